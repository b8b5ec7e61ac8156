"""A finished sweep is kept in git: under its tree for machines, under its commit for people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kit.commands import DECLARED, experiments, ledger, write_pack, write_plugin, wt

if TYPE_CHECKING:
    from kit.repo import Repo

NOTES = "refs/windtunnel/notes"


@pytest.fixture
def here(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository with a pack and an agent in it, committed, as working directory."""
    monkeypatch.chdir(repo.path)
    write_pack(scenarios=[("passes", "ok", []), ("fails", "no", [])])
    write_plugin()
    repo.write({".gitignore": "__pycache__/\n"})  # as wherever Python is written
    repo.git("config", "notes.displayRef", "refs/windtunnel/notes*")
    repo.commit("agent and pack")
    return repo


def run(*more: str) -> None:
    wt("run", "--pack-source", "pack.py:PACK", "--runtime", "plugin.py:PLUGIN", *DECLARED, *more)


def kept(repo: Repo) -> dict[str, str]:
    """Return the text of every note, by its path in the notes tree."""
    listed = repo.git("ls-tree", "-r", "--name-only", NOTES).split("\n")
    return {path: repo.git("show", f"{NOTES}:{path}") for path in listed if path}


def test_the_rows_and_the_record_stand_under_the_tree_byte_for_byte(here: Repo) -> None:
    """Anybody who fetches the ref can look the tree of a commit up, without this machine."""
    run()
    tree = here.git("rev-parse", "HEAD^{tree}").strip()
    sweep = ledger()[0]["sweep_id"]
    text = kept(here)[f"{tree[:2]}/{tree[2:]}/{sweep}"]
    recorded = (
        Path("runs/ledger.ndjsonl").read_text() + Path("runs/experiments.ndjsonl").read_text()
    )
    assert sorted(text.splitlines()) == sorted(recorded.splitlines())


def test_git_log_shows_a_line_for_each_sweep_under_a_commit_that_is_there(here: Repo) -> None:
    """The newest sweep's line, and the older one's, once each."""
    run("--scenario", "passes")
    run()
    shown = here.git("log", "-1")
    assert shown.count("focused PASS passes 1/1") == 1
    assert shown.count("regression FAIL 1/2 scenarios") == 1
    subjects = here.git("log", "--format=%s", NOTES).splitlines()
    assert [subject.split(" [")[0].split(" in ")[0] for subject in subjects] == [
        "regression FAIL 1/2 scenarios",
        "focused PASS passes 1/1",
    ]


def test_an_uncommitted_state_is_kept_under_its_tree_only(here: Repo) -> None:
    """There is no commit yet that people could look at; the tree is the commit's to be."""
    here.write({"prompt.md": "new"})
    run("--scenario", "passes")
    assert "focused" not in here.git("log", "-1")
    here.commit("the state that was tested")
    tree = here.git("rev-parse", "HEAD^{tree}").strip()
    assert any(path.startswith(f"{tree[:2]}/{tree[2:]}/") for path in kept(here))


def test_a_sweep_whose_tree_changed_meanwhile_leaves_no_evidence_under_it(here: Repo) -> None:
    """It is recorded in the runs directory all the same."""
    write_plugin(send="open('fresh', 'w').close()")
    here.commit("an agent that writes into the repository")
    run("--scenario", "passes")
    assert ledger()[0]["experiment"]["fingerprint"] == "changed-during-sweep"
    assert "focused" not in here.git("log", "-1")


def test_notes_that_cannot_be_written_are_a_warning_and_lose_nothing(here: Repo) -> None:
    """The runs directory is the record; a rebuild brings the notes back."""
    (here.path / ".git/refs/windtunnel").write_text("in the way")
    ran = wt("run", "--pack-source", "pack.py:PACK", "--runtime", "plugin.py:PLUGIN")
    assert "its notes could not be written" in ran.err
    assert "wt notes rebuild" in ran.err
    assert len(ledger()) == 2
    assert len(experiments()) == 1


def test_nothing_of_the_working_repository_is_touched(here: Repo) -> None:
    """Index, HEAD and branches are as they were; only our own ref moved."""
    before = (here.path / ".git/index").read_bytes()
    refs = here.git("for-each-ref", "refs/heads")
    run()
    assert (here.path / ".git/index").read_bytes() == before
    assert here.git("for-each-ref", "refs/heads") == refs
    assert here.git("status", "--porcelain") == ""


def test_a_line_in_the_note_is_the_line_in_the_ledger(here: Repo) -> None:
    """Also with text that JSON may write in two ways."""
    write_pack("odd.py", name="odd", scenarios=[("grün\u2028", "ok", [])])
    here.commit("odd")
    wt("run", "--pack-source", "odd.py:PACK", "--runtime", "plugin.py:PLUGIN")
    line = Path("runs/ledger.ndjsonl").read_bytes().split(b"\n")[0].decode()
    assert any(line in text for text in kept(here).values())
    assert json.loads(line)["scenario_id"] == "grün\u2028"
