"""Where output files and the runs directory may be."""

from __future__ import annotations

from pathlib import Path

import pytest
from kit.fingerprints import a_fingerprinter
from kit.repo import new_repo
from msgspec.structs import replace

from wt_git.errors import UsageError
from wt_git.evidence.fingerprint import Fingerprinter
from wt_git.evidence.written_paths import check_output, check_runs_dir, writing_output
from wt_git.records.runs_dir import RunsDir


@pytest.fixture
def repo(tmp_path, monkeypatch):
    """A repository as the working directory."""
    made = new_repo(tmp_path / "repo", {"tracked.json": "{}\n", ".gitignore": "runs/\n"})
    monkeypatch.chdir(made.path)
    return made


@pytest.fixture
def runs_dir(repo):
    made = RunsDir(Path("runs"))
    made.prepare()
    return made


def reason(out: str, runs_dir, **options) -> str | None:
    """Why an output is refused, in one word; None when it may be written."""
    try:
        check_output(Path(out), runs_dir, **options)
    except UsageError as error:
        return error.facts["reason"] if error.specific_code == "out-not-ours" else error.message
    return None


@pytest.mark.parametrize(
    ("out", "expected"),
    [
        ("new.json", None),
        ("new/folder/new.json", None),
        ("../beside.json", None),
        ("runs/new.json", None),
        ("tracked.json", "tracked"),
        ("theirs.json", "exists"),
        ("dangling.json", "exists"),
        ("folder", "folder"),
        ("a\nb.json", "line-break"),
        ("a\rb.json", "line-break"),
        ("runs/ledger.ndjsonl", "record"),
        ("runs/some/new.json", "record"),
        ("runs", "record"),
        ("new.py", "code"),
        ("new.PY", "code"),
        ("pyproject.toml", "code"),
        (".git/new.json", "code"),
        ("elsewhere/.git/new", "code"),
        ("new.pyi", None),
    ],
)
def test_an_output_replaces_nothing_and_hides_nothing(repo, runs_dir, out, expected):
    """New documents are fine, also beside the records; whatever is there belongs to somebody."""
    repo.write({"theirs.json": "{}\n", "folder/a.txt": "a\n"})
    Path("dangling.json").symlink_to("nowhere")
    assert reason(out, runs_dir) == expected


def test_a_link_to_itself_is_refused(repo, runs_dir):
    """The system says why."""
    Path("loop.json").symlink_to("loop.json")
    with pytest.raises(UsageError, match=r"--out 'loop\.json' cannot be written: "):
        check_output(Path("loop.json"), runs_dir)


def test_a_file_that_can_be_recognised_as_ours_may_be_replaced(repo, runs_dir):
    """Without any record of it."""
    repo.write({"ours.html": "ours\n"})
    assert reason("ours.html", runs_dir, is_ours=lambda path: path.name == "ours.html") is None


def write(out: str, runs_dir, text: str = "text", say=lambda _: None) -> None:
    with writing_output(
        Path(out), runs_dir, named="--junit", is_ours=lambda _: False, say=say
    ) as stream:
        stream.write(text)


def test_what_wt_wrote_it_may_write_again(repo, runs_dir):
    """It is remembered, and folders are made."""
    write("deep/out.xml", runs_dir)
    write("deep/out.xml", runs_dir, "again")
    assert Path("deep/out.xml").read_text() == "again"


def test_a_refused_output_is_neither_written_nor_remembered(repo, runs_dir):
    """The message says which option named it."""
    with pytest.raises(UsageError, match=r"^--junit 'tracked.json' is a file that git tracks"):
        write("tracked.json", runs_dir)
    assert Path("tracked.json").read_text() == "{}\n"
    assert runs_dir.registered_outputs(repo.path) == frozenset()


def test_an_output_that_cannot_be_written_is_an_error(repo, runs_dir):
    """With the system's reason."""
    repo.write({"file": "a\n"})
    with pytest.raises(UsageError, match=r"could not write --junit 'file/out\.xml'") as caught:
        write("file/out.xml", runs_dir)
    assert caught.value.specific_code == "output-unwritable"


def test_an_output_that_cannot_be_remembered_is_written_with_a_note(repo):
    """It will be part of what is under test."""
    said: list[str] = []
    Path("runs").mkdir()
    Path("runs/.wt-outputs").mkdir()
    write("out.xml", RunsDir(Path("runs")), say=said.append)
    assert Path("out.xml").read_text() == "text"
    assert said[0].endswith("'out.xml' will be part of what is under test")


def hides(repo, runs: str) -> str | None:
    """The fact that names why a runs directory is refused, None when it is not."""
    inputs = replace(a_fingerprinter(folder=repo.path).inputs, runs_dir=Path(runs))
    try:
        check_runs_dir(Fingerprinter(inputs))
    except UsageError as error:
        if not error.message.endswith("; name a folder of its own with --runs-dir"):
            return error.message
        return ", ".join(error.facts.keys() - {"runs_dir", "repository"}) or "all"
    return None


def test_a_runs_directory_hides_no_file_under_test(repo, tmp_path):
    """It may not be the repository, hold it, lead out of it, or hold tracked files."""
    assert hides(repo, "runs") is None
    assert hides(repo, "new/folder") is None
    assert hides(repo, ".") == "all"
    assert hides(repo, "..") == "all"
    assert hides(repo, str(tmp_path / "elsewhere")) is None
    (tmp_path / "elsewhere").mkdir()
    Path("link").symlink_to(tmp_path / "elsewhere")
    assert hides(repo, "link") == "leads_to"
    Path("inner").symlink_to("new")
    assert hides(repo, "inner") is None
    repo.write({"src/agent.py": "a\n", "kept/ledger.ndjsonl": "{}\n"})
    repo.commit("tracked")
    assert hides(repo, "src") == "tracked"
    assert hides(repo, "kept") is None
    assert hides(repo, "tracked.json") is None  # a file is refused when it is written to


def test_outside_of_a_repository_there_is_nothing_to_hide(tmp_path):
    """Nor where git cannot be asked: that is said when the snapshot is taken."""
    inputs = replace(a_fingerprinter(folder=tmp_path).inputs, runs_dir=tmp_path)
    check_runs_dir(Fingerprinter(inputs))
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    check_runs_dir(Fingerprinter(inputs))
    assert [path.name for path in tmp_path.iterdir()] == [".git"]
