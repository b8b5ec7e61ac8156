"""Taking fingerprints: what is left out, and what becomes of each source and of a plugin's word."""

from __future__ import annotations

import pytest
from kit.fingerprints import a_fingerprinter
from kit.repo import new_repo
from msgspec.structs import replace

from wt_git.errors import GitError, UsageError
from wt_git.evidence.fingerprint import Fingerprinter, uncommitted_paths
from wt_git.records.runs_dir import RunsDir


class Mute(Exception):  # noqa: N818 - a plugin may name it as it likes
    """An exception that cannot say what it is about."""

    def __str__(self):
        raise ValueError("no words")


class Wordless:
    """A value that is no text and does not become one."""

    def __str__(self):
        raise Mute


def raises(error):
    def said():
        raise error

    return said


@pytest.mark.parametrize(
    ("plugin", "note"),
    [
        (raises(OSError("registry down")), "artifact_fingerprint() raised OSError: registry down"),
        (raises(OSError()), "artifact_fingerprint() raised OSError"),
        (raises(Mute()), "artifact_fingerprint() raised Mute"),
        (Wordless, "artifact_fingerprint() raised Mute"),
    ],
    ids=["a failure", "one without words", "one that cannot say its words", "no text"],
)
def test_whatever_a_plugin_does_is_a_note(tmp_path, plugin, note):
    """The part is null then, and the fingerprint is taken all the same."""
    subject = a_fingerprinter(folder=tmp_path).inputs
    taken = Fingerprinter(replace(subject, plugin=plugin)).take()
    assert taken.parts.plugin is None
    assert note in taken.notes


@pytest.fixture
def repo(tmp_path):
    """A repository with a file, a page and a compiled file."""
    files = {"agent.py": "1\n", "docs/a.md": "a\n", "lib.pyc": "compiled\n"}
    return new_repo(tmp_path / "repo", files)


def taken(repo, **inputs):
    changed = {"runs_dir": repo.path / "runs", **inputs}
    return Fingerprinter(replace(a_fingerprinter(folder=repo.path).inputs, **changed)).take()


def test_compiled_files_and_what_wt_writes_are_left_out(repo, tmp_path):
    """The runs directory and registered outputs; paths elsewhere and the top itself hide nothing."""
    before = taken(repo).parts.git_tree
    repo.write({"runs/ledger.ndjsonl": "{}\n", "out.json": "{}\n", "new.pyc": "x\n"})
    assert taken(repo).parts.git_tree != before
    written = [repo.path / "out.json", tmp_path / "elsewhere.json", repo.path, repo.path / ".."]
    found = taken(repo, outputs=lambda: written)
    assert found.parts.git_tree == before
    assert "lib.pyc" not in found.manifest().entries or found.manifest().entries["lib.pyc"] is None


def test_a_source_is_in_the_tree_or_outside(repo, tmp_path):
    """An ignored file is outside, and so is one in an ignored folder."""
    repo.write(
        {".gitignore": "ignored/\nsecret.md\n", "ignored/soul.md": "s\n", "secret.md": "s\n"}
    )
    names = {
        "soul": repo.path / "docs/a.md",
        "agents": tmp_path / "AGENTS.md",
        "pack_source:a": repo.path / "ignored/soul.md",
        "pack_source:b": repo.path / "secret.md",
        "pack_source:c": repo.path / "ignored-not/soul.md",
    }
    assert taken(repo, sources=names).sources == {
        "soul": "docs/a.md",
        "agents": "outside",
        "pack_source:a": "outside",
        "pack_source:b": "outside",
        "pack_source:c": "ignored-not/soul.md",
    }


def test_outside_of_a_repository_every_source_is_outside(tmp_path):
    """And a note says what is not noticed."""
    inputs = a_fingerprinter(folder=tmp_path).inputs
    found = Fingerprinter(replace(inputs, sources={"soul": tmp_path / "soul.md"})).take()
    assert found.sources == {"soul": "outside"}
    assert found.parts.git_tree is None
    assert found.manifest() is None
    assert found.tree_under_test is None
    assert found.value.startswith("sha256:")
    assert "not in a git repository" in found.notes[0]


def test_a_tree_that_git_cannot_read_is_named_as_the_cause(repo, monkeypatch):
    """The fingerprint is a word that equals no state; what git advises is part of the cause."""

    def fails(*_, **__):
        raise GitError("the index is locked", hints=("rm .git/index.lock", "try again"))

    monkeypatch.setattr("wt_git.evidence.fingerprint.take_snapshot", fails)
    found = taken(repo, sources={"soul": repo.path / "docs/a.md"})
    assert found.value == "snapshot-failed"
    assert found.parts.git_tree is None
    assert found.sources == {"soul": "outside"}
    assert found.failure == "the index is locked; rm .git/index.lock; try again"
    assert f"({found.failure})" in found.notes[0]
    assert not found.may_pass


def test_a_soul_that_went_away_is_an_error(repo):
    """It was there when the sweep was asked for."""
    with pytest.raises(UsageError, match="cannot be read any more"):
        taken(repo, soul=repo.path / "soul.md")


def uncommitted(repo, revision="HEAD", **options):
    tree = repo.git("rev-parse", f"{revision}^{{tree}}")
    return uncommitted_paths(repo.path, tree, runs_dir=repo.path / "runs", **options)


def test_a_clean_working_directory_has_no_uncommitted_paths(repo):
    """Nor has one with files that wt wrote, or that Python compiled."""
    assert uncommitted(repo) == ()
    runs = RunsDir(repo.path / "runs")
    runs.prepare()
    runs.register_output(repo.path / "out.json")
    repo.write({"out.json": "{}\n", "new.pyc": "x\n"})
    assert uncommitted(repo) == ()


def test_uncommitted_paths_are_those_under_test(repo):
    """Edited, new, and removed ones."""
    repo.write({"agent.py": "2\n", "docs/b.md": "b\n", "new.py": "n\n"})
    assert uncommitted(repo) == ("agent.py", "docs/b.md", "new.py")
    assert uncommitted(repo, not_under_test=("docs/**",)) == ("agent.py", "new.py")


def test_what_is_uncommitted_is_not_known_for_another_tree(repo, tmp_path):
    """Nor outside of a repository. A working directory that is back at that tree has nothing."""
    (repo.path / "lib.pyc").unlink()
    repo.commit("no compiled file")
    repo.write({"agent.py": "2\n"})
    repo.commit("second")
    assert uncommitted(repo) == ()
    assert uncommitted(repo, "HEAD~1") is None
    repo.write({"agent.py": "1\n"})
    assert uncommitted(repo, "HEAD~1") == ()
    assert uncommitted_paths(tmp_path, "a" * 40, runs_dir=tmp_path / "runs") is None
