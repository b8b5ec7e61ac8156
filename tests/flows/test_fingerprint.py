"""What a row says was under test, through the real command in real repositories."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from kit.commands import DECLARED, ledger, write_pack, write_plugin, wt
from kit.repo import Repo, git

ONE = [("passes", "ok", [])]


@pytest.fixture
def here(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with a pack and an agent in it, committed, as working directory."""
    monkeypatch.chdir(repo.path)
    write_pack(scenarios=ONE)
    write_plugin()
    repo.commit("agent and pack")
    return repo


PYTHONS = "__pycache__/\n"
"""What Python writes beside a pack is not to be committed with it."""


def run(*more: str, code: int = 0, runtime: str = "plugin.py:PLUGIN") -> Any:
    ran = wt("run", "--pack-source", "pack.py:PACK", "--runtime", runtime, *DECLARED, *more)
    assert ran.code == code
    return ran


def last() -> dict[str, Any]:
    experiment: dict[str, Any] = ledger()[-1]["experiment"]
    return experiment


def tree_of_head(repo: Repo) -> str:
    return repo.git("rev-parse", "HEAD^{tree}").strip()


def test_a_clean_checkout_is_the_tree_of_its_commit(here: Repo) -> None:
    """So evidence recorded before a commit can be looked up after it."""
    run()
    experiment = last()
    assert experiment["fingerprint_parts"]["git_tree"] == tree_of_head(here)
    assert experiment["tree_under_test"] == tree_of_head(here)
    assert experiment["fingerprint"].startswith("sha256:")
    assert experiment["baseline"] is True
    assert ledger()[0]["git_sha"] == here.git("rev-parse", "--short", "HEAD").strip()
    run()
    assert last()["baseline"] is False
    assert last()["fingerprint"] == experiment["fingerprint"]


def test_the_tree_before_a_commit_is_the_one_after_it(here: Repo) -> None:
    """Edits, new files and deletions, from a folder below the top."""
    here.write({".gitignore": PYTHONS, "prompt.md": "Be brief.", "src/deep/new.py": "x = 1\n"})
    run()
    taken = last()["fingerprint_parts"]["git_tree"]
    here.commit("what was tested")
    assert taken == tree_of_head(here)


def test_what_the_bench_and_python_write_is_no_part_of_it(here: Repo) -> None:
    """Runs directory, outputs and compiled files; nothing becomes stale by being run."""
    run("--format", "json", "--out", "out.json")
    before = last()["fingerprint"]
    here.write({"__pycache__/plugin.pyc": "x", "src/a.pyo": "x"})
    run("--format", "json", "--out", "out.json")
    assert last()["fingerprint"] == before
    assert Path("out.json").exists()


def test_a_second_runs_directory_makes_nothing_stale(here: Repo) -> None:
    """It ignores itself when it is created inside a repository."""
    run()
    before = last()["fingerprint"]
    run("--runs-dir", "other")
    run()
    assert last()["fingerprint"] == before


@pytest.mark.parametrize(
    "edit",
    [
        lambda repo: repo.write({"plugin.py": (repo.path / "plugin.py").read_text() + "\n"}),
        lambda repo: repo.write({"untracked": ""}),
        lambda repo: (repo.path / "plugin.py").chmod(0o755),
        lambda repo: (repo.path / "pack.py").rename(repo.path / "pack2.py"),
    ],
    ids=["one byte", "a new file", "a mode", "a rename"],
)
def test_any_edit_is_another_fingerprint(here: Repo, edit: Any) -> None:
    """A byte, a mode, a name, a new file."""
    run()
    before = last()["fingerprint"]
    edit(here)
    source = "pack2.py:PACK" if Path("pack2.py").exists() else "pack.py:PACK"
    assert wt("run", "--pack-source", source, "--runtime", "plugin.py:PLUGIN", *DECLARED).code == 0
    assert last()["fingerprint"] != before


def test_an_edit_while_it_runs_is_no_evidence_and_named(here: Repo) -> None:
    """What was scored ran partly on something else."""
    write_plugin(send="open('plugin.py', 'a').write('#'); open('fresh', 'w').close()")
    here.commit("an agent that edits itself")
    ran = run()
    assert "artifact changed while this sweep ran (files: fresh, plugin.py)" in ran.err
    assert "is not evidence" in ran.err
    experiment = last()
    assert experiment["fingerprint"] == "changed-during-sweep"
    assert experiment["fingerprint_parts"]["git_tree"] == tree_of_head(here)


def test_the_parts_name_runtime_prompt_model_and_the_plugins_own_word(here: Repo) -> None:
    """Each is another fingerprint."""
    write_plugin(
        more="def model_label(self, name): return 'm-1'\n"
        "    def artifact_fingerprint(self, name): return f'image of {name}'\n"
    )
    Path("soul.md").write_bytes(b"hello\n")
    run("--soul", "soul.md")
    parts = last()["fingerprint_parts"]
    assert parts["runtime"] == "plugin.py:PLUGIN"
    assert parts["target"] == "plugin.py:Plugin"
    assert parts["model"] == "m-1"
    assert parts["plugin"] == "image of plugin.py:PLUGIN"
    assert parts["soul"].startswith("sha256:5891b5b5")
    assert last()["sources"] == {
        "soul": "soul.md",
        "runtime": "plugin.py",
        "pack_source:pack.py:PACK": "pack.py",
    }


def test_sources_that_the_tree_does_not_hold_are_outside(here: Repo, tmp_path: Path) -> None:
    """Outside the repository, or ignored in it: the tree says nothing about them."""
    here.write({".gitignore": "ignored/\n", "ignored/soul.md": "x"})
    outside = tmp_path / "notes.md"
    outside.write_text("x")
    run("--soul", "ignored/soul.md", "--agents", str(outside))
    sources = last()["sources"]
    assert (sources["soul"], sources["agents"]) == ("outside", "outside")


def test_the_target_is_the_same_however_the_runtime_was_spelt(here: Repo) -> None:
    """A clone elsewhere, or a dotted name, must find the evidence."""
    run()
    by_path = last()["fingerprint_parts"]["target"]
    elsewhere = here.path.parent / "clone"
    git(here.path.parent, "clone", "-q", str(here.path), str(elsewhere))
    os.chdir(elsewhere)
    run()
    assert last()["fingerprint_parts"]["target"] == by_path
    assert last()["fingerprint_parts"]["git_tree"] == tree_of_head(here)


def test_a_plugin_whose_word_fails_is_noted(here: Repo) -> None:
    """The part is null and the sweep goes on."""
    write_plugin(more="def artifact_fingerprint(self, name): raise OSError('registry down')")
    ran = run()
    assert "artifact_fingerprint() raised OSError" in ran.err
    assert last()["fingerprint_parts"]["plugin"] is None


def test_outside_a_repository_the_fingerprint_is_weak_and_says_so() -> None:
    """Only the named parts count."""
    write_pack(scenarios=ONE)
    ran = run(runtime="in_memory")
    assert "not in a git repository" in ran.err
    assert last()["fingerprint_parts"]["git_tree"] is None
    assert last()["fingerprint"].startswith("sha256:")


def test_a_repository_that_git_refuses_is_not_taken_for_none(here: Repo) -> None:
    """Two failed snapshots must not look alike: such a row is evidence for nothing."""
    (here.path / ".git/HEAD").write_text("garbage")
    ran = run()
    assert "could not snapshot the git working tree" in ran.err
    assert last()["fingerprint"] == "snapshot-failed"


@pytest.mark.parametrize("runs_dir", [".", "..", "src"])
def test_a_runs_directory_that_would_hide_source_is_refused(here: Repo, runs_dir: str) -> None:
    """Everything in it is left out, so edits there would never make evidence stale."""
    here.write({"src/agent.py": "x"})
    here.commit("source")
    ran = run("--runs-dir", runs_dir, code=2)
    assert "runs directory" in ran.err
    assert not Path(runs_dir, "ledger.ndjsonl").exists()
    if runs_dir == "src":
        assert "'src/agent.py'" in ran.err


@pytest.mark.parametrize("name", ["web/page.html", "web/deep/a.pack.json", "web/deep/.gitignore"])
def test_source_that_looks_like_a_report_is_source_below_the_top(here: Repo, name: str) -> None:
    """Sweeps put reports and artifacts directly into their directory."""
    here.write({f"assets/{name}": "x"})
    here.commit("source")
    assert f"'assets/{name}'" in run("--runs-dir", "assets", code=2).err


def test_a_runs_directory_that_links_out_of_the_repository_is_refused(
    here: Repo, tmp_path: Path
) -> None:
    """The link itself would be part of the tree."""
    (tmp_path / "elsewhere").mkdir()
    Path("linked").symlink_to(tmp_path / "elsewhere")
    assert "leads out" in run("--runs-dir", "linked", code=2).err


def test_a_committed_runs_directory_may_be_used_again(here: Repo) -> None:
    """Its files are of the layout that sweeps write."""
    run("--runs-dir", "kept")
    Path("kept/.gitignore").unlink()
    here.git("add", "-A")
    here.commit("keep the runs")
    ran = run("--runs-dir", "kept")
    assert "tracked and left out of the tree" in ran.err


def test_the_surroundings_of_a_hook_are_not_obeyed(
    here: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook exports GIT_DIR and GIT_INDEX_FILE; the working directory decides."""
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nonexistent/index")
    run()
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert last()["fingerprint_parts"]["git_tree"] == tree_of_head(here)


def test_the_listing_grows_with_the_change_and_is_written_once(here: Repo) -> None:
    """Only what differs from HEAD; a truncated one is replaced."""
    here.write({f"many/{n}": str(n) for n in range(300)})
    here.commit("many files")
    here.write({"many/7": "edited", "new": "x"})
    (here.path / "many/8").unlink()
    run()
    tree = last()["fingerprint_parts"]["git_tree"]
    listing = Path("runs/.fingerprints", f"{tree}.manifest")
    document = json.loads(listing.read_text())
    assert document["base"] == tree_of_head(here)
    assert sorted(document["entries"]) == ["many/7", "many/8", "new"]
    assert document["entries"]["many/8"] is None
    assert document["entries"]["new"] == here.git("hash-object", "new").strip()
    listing.write_text('{"base": ')
    run()
    assert json.loads(listing.read_text()) == document


def test_file_names_that_are_not_utf8_do_not_matter(here: Repo) -> None:
    """They are hashed like any other and survive in the listing."""
    Path(os.fsdecode(b"odd-\xff.txt")).write_text("x")
    here.write({".gitignore": PYTHONS})
    run()
    taken = last()["fingerprint_parts"]["git_tree"]
    here.commit("odd")
    assert taken == tree_of_head(here)
