"""`wt sync` and `wt notes`: looking at evidence, sharing it, making it again, taking it out."""

from __future__ import annotations

import json

import pytest
from kit.commands import Ran, wt
from kit.projects import Project, bare, clone_of, new_project
from kit.repo import Repo, git

NOTES = "refs/windtunnel/notes"


@pytest.fixture
def remote(tmp_path) -> Repo:
    return bare(tmp_path / "remote.git")


@pytest.fixture
def project(tmp_path, remote) -> Project:
    return new_project(tmp_path / "project", remote)


def run(repo: Repo, *args: str, code: int = 0) -> Ran:
    ran = wt(*args, cwd=repo.path)
    assert ran.code == code
    return ran


def test_what_was_recorded_is_shown_for_commits_and_trees(project):
    """By any name that git knows them by, in lines or as the records themselves."""
    sweep = project.experiment()
    tree = project.git("rev-parse", "HEAD^{tree}")
    for revision in ([], ["HEAD"], ["main"], [project.git("rev-parse", "HEAD")], [tree]):
        assert sweep in run(project, "notes", "show", *revision).out
    document = json.loads(run(project, "notes", "show", "--json").out)
    assert document["windtunnel_notes"] == 1
    assert tree in document["trees"]
    (shown,) = document["sweeps"]
    assert shown["sweep_id"] == sweep
    kinds = {"windtunnel_ledger" in record for record in shown["records"]}
    assert kinds == {True, False}


def test_where_there_is_nothing_the_answer_is_no(project):
    """With the command that looks elsewhere; a name that is none is asked wrongly."""
    assert "wt sync" in run(project, "notes", "show", code=1).err
    assert "neither a commit nor a tree" in run(project, "notes", "show", "nothing", code=2).err


def test_lines_that_count_for_nothing_are_counted_aloud(project):
    """Somebody put notes of another tree under this one."""
    project.experiment()
    project.write({"other.txt": "other"})
    project.commit("another tree")
    first, second = (project.git("rev-parse", f"{one}^{{tree}}") for one in ("HEAD~1", "HEAD"))
    folder = project.git("rev-parse", f"{NOTES}:{first[:2]}/{first[2:]}")
    forge(project, second, folder)
    ran = run(project, "notes", "show", code=1)
    assert "are not about this tree" in ran.err


def forge(project: Project, key: str, folder: str) -> None:
    """File a folder of notes under another key, as anybody can who can push."""
    index = {"GIT_INDEX_FILE": str(project.path / ".git/forged")}
    project.tried("read-tree", NOTES, env=index)
    project.tried("read-tree", f"--prefix={key[:2]}/{key[2:]}", folder, env=index)
    tree = project.tried("write-tree", env=index).stdout.strip()
    commit = project.git("commit-tree", "-p", NOTES, "-m", "forged", tree)
    project.git("update-ref", NOTES, commit)


def test_notes_are_made_again_from_the_runs_directory(project):
    """The ref was lost; the second time there is nothing left to do."""
    sweep = project.experiment()
    before = project.git("rev-parse", f"{NOTES}^{{tree}}")
    project.git("update-ref", "-d", NOTES)
    run(project, "notes", "show", code=1)
    assert "1 sweeps have notes; all is there now" in run(project, "notes", "rebuild").out
    assert project.git("rev-parse", f"{NOTES}^{{tree}}") == before
    assert sweep in "".join(project.lines())
    commit = project.git("rev-parse", NOTES)
    assert "all was there already" in run(project, "notes", "rebuild", "--runs-dir", "runs").out
    assert project.git("rev-parse", NOTES) == commit


def test_a_runs_directory_that_is_not_there_is_asked_wrongly(project):
    """Nothing is created for it."""
    run(project, "notes", "rebuild", code=2)
    run(project, "notes", "rebuild", "--runs-dir", "elsewhere", code=2)
    assert not (project.path / "elsewhere").exists()
    assert not (project.path / "runs").exists()


def test_what_was_pruned_stays_away_everywhere(project, remote, tmp_path):
    """Neither the other clone's sync nor a rebuild brings it back."""
    sweep = project.experiment()
    project.pushed("origin", "main")
    other = clone_of(remote, tmp_path / "other")
    run(other, "sync")
    assert sweep in run(other, "notes", "show").out
    said = run(project, "notes", "prune", sweep)
    assert sweep in said.out
    assert "history of the notes still holds" in said.err
    run(project, "sync")
    run(other, "sync")
    run(project, "notes", "rebuild")
    for clone in (project, other):
        run(clone, "notes", "show", code=1)
        assert clone.lines() == []


def test_pruning_what_is_not_there(project):
    """A sweep without notes is named; what is no sweep id is asked wrongly."""
    project.experiment()
    assert (
        "no notes of sweep 0123456789ab"
        in run(project, "notes", "prune", "0123456789ab", code=1).err
    )
    assert "twelve digits" in run(project, "notes", "prune", "everything", code=2).err
    run(project, "notes", "prune", code=2)


def test_both_sides_get_what_the_other_has(project, remote, tmp_path):
    """Two clones that recorded different sweeps agree after each has synced."""
    project.experiment()
    project.pushed("origin", "main")
    other = clone_of(remote, tmp_path / "other")
    sweeps = {project.experiment(), other.experiment()}
    assert "sent notes" in run(project, "sync").out
    assert "received notes, sent notes" in run(other, "sync", "origin").out
    assert "received notes" in run(project, "sync").out
    assert "nothing new to receive, nothing new to send" in run(project, "sync").out
    for clone in (project, other):
        shown = "\n".join(clone.lines())
        assert all(shown.count(sweep) == 1 for sweep in sweeps)


def test_receiving_only(project, remote):
    """`--no-push` sends nothing."""
    project.experiment()
    run(project, "sync", "--no-push")
    assert remote.git("for-each-ref") == ""


def test_a_remote_without_notes_and_a_clone_without_notes(project):
    """There is nothing to do, and that is fine."""
    assert "there are no notes yet" in run(project, "sync").out


@pytest.mark.parametrize("name", ["elsewhere", "--upload-pack=touch x", ""])
def test_a_remote_that_is_not_one_is_asked_wrongly(project, name):
    """The answer names those that there are."""
    ran = run(project, "sync", "--", name, code=2)
    assert "origin" in ran.err


def test_no_remote_was_ever_recorded(project):
    """The answer has the command for each that there is."""
    project.git("config", "--unset", "windtunnel.remote")
    assert "wt sync origin" in run(project, "sync", code=2).err


def test_a_remote_that_does_not_answer(project):
    """Exit 1 in git's words; what is recorded stays."""
    sweep = project.experiment()
    project.git("remote", "set-url", "origin", "/nowhere/at/all.git")
    ran = run(project, "sync", code=1)
    assert "at the fetch" in ran.err
    assert sweep in run(project, "notes", "show").out


def test_a_remote_that_takes_too_long(project, remote):
    """Exit 124 after the time that was given."""
    project.experiment()
    hook = remote.path / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\nsleep 60\n")
    hook.chmod(0o755)
    run(project, "sync", "--timeout", "0.5", code=124)


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_a_time_that_is_none(project, seconds):
    """Asked wrongly."""
    run(project, "sync", "--timeout", seconds, code=2)


@pytest.mark.parametrize(
    "args", [["sync"], ["notes", "show"], ["notes", "rebuild", "--runs-dir", "."]]
)
def test_outside_of_a_repository(tmp_path, args):
    """There are no notes to speak of."""
    ran = wt(*args, cwd=tmp_path)
    assert ran.code == 2
    assert "git init" in ran.err


def test_another_notes_ref(tmp_path, remote):
    """One below refs/notes/ is for git's own commands; everything works the same on it."""
    policy = (
        '[tool.windtunnel]\nnotes_ref = "refs/notes/windtunnel"\n'
        '[tool.windtunnel.gate]\nruntime = "in_memory"\n'
    )
    project = new_project(tmp_path / "p", remote, policy=policy)
    sweep = project.experiment()
    project.pushed("origin", "main")
    assert "refs/notes/windtunnel" in remote.git("for-each-ref")
    assert sweep in project.git("notes", "--ref=windtunnel", "show", "HEAD")
    other = clone_of(remote, tmp_path / "other")
    git(other.path, "fetch", "--quiet")
    run(other, "sync")
    assert sweep in other.git("notes", "--ref=windtunnel", "show", "HEAD")
    assert len(other.lines()) == 1
