"""What a server does with notes that are none, and with branches that come and go."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from kit.commands import wt
from kit.projects import POLICY, Project, bare, copied, new_project, set_up

if TYPE_CHECKING:
    from pathlib import Path

NOTES = "refs/windtunnel/notes"


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Path:
    """A project without its own hook, whose remote has that of a server; the tip is covered there."""
    folder = tmp_path_factory.mktemp("template")
    remote = bare(folder / "remote.git")
    set_up(remote)
    made = new_project(folder / "project", remote)
    made.experiment()
    made.pushed("origin", "main")
    (made.path / ".git/hooks/pre-push").unlink()
    return folder


@pytest.fixture
def project(template, tmp_path) -> Project:
    return copied(template, tmp_path)


@pytest.mark.parametrize("what", ["HEAD:pack.py", "HEAD^{tree}"])
def test_notes_that_are_no_commit_are_refused(tmp_path, what):
    """A server that took them could not read anybody's evidence any more."""
    remote = bare(tmp_path / "remote.git")
    set_up(remote)
    project = new_project(tmp_path / "project", remote)
    (project.path / ".git/hooks/pre-push").unlink()
    done = project.tried("push", "origin", f"{project.git('rev-parse', what)}:{NOTES}")
    assert done.returncode != 0
    assert "wt pre-receive: refused" in done.stderr
    assert remote.git("for-each-ref") == ""


def test_notes_of_an_unrelated_history_are_refused(project):
    """Also without force they would take the place of what is there."""
    commit = project.git("commit-tree", "-m", "unrelated", project.git("rev-parse", "HEAD^{tree}"))
    done = project.tried("push", "--force", "origin", f"{commit}:{NOTES}")
    assert done.returncode != 0
    assert "that others recorded" in done.stderr


def test_a_branch_that_was_deleted_is_judged_like_a_new_one(project):
    """Making it anew with a weaker policy in it does not help: the default branch's judges."""
    assert project.tried("push", "origin", "main:side").returncode == 0
    project.write({"pyproject.toml": POLICY + 'branches = ["none"]\n'})
    project.commit("weaker")
    assert project.tried("push", "origin", ":side").returncode == 0
    done = project.tried("push", "origin", "main:side")
    assert done.returncode != 0
    assert "has no evidence that counts" in done.stderr


def test_a_policy_that_may_not_be_never_gets_in(project):
    """It would stop every later push, the one that mends it included."""
    project.write({"pyproject.toml": '[tool.windtunnel.gate]\nrequire = "nothing"\n'})
    project.commit("broken")
    done = project.tried("push", "origin", "main")
    assert done.returncode != 0
    assert "require" in done.stderr


@pytest.mark.parametrize("what", ["everything", "one sweep"])
def test_notes_on_top_that_lack_some_are_refused(project, what):
    """A commit can be built on what was there, and hold less: without a failure, for one."""
    project.write({"more.txt": "more\n"})
    project.commit("more")
    project.experiment()
    project.git("push", "--quiet", "origin", NOTES)
    tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # the empty one
    project.git("hash-object", "-t", "tree", "-w", "/dev/null")
    if what == "one sweep":
        fan = project.git("rev-parse", "HEAD^{tree}")[:2]
        listing = project.git("ls-tree", NOTES).split("\n")
        left = "\n".join(one for one in listing if not one.endswith(f"\t{fan}"))
        assert 0 < left.count("\n") + 1 < len(listing)
        tree = made_of(project, left)
    commit = project.git("commit-tree", "-p", NOTES, "-m", "less", tree)
    done = project.tried("push", "origin", f"{commit}:{NOTES}")
    assert done.returncode != 0
    assert "that others recorded: it lacks lines under" in done.stderr


def test_notes_without_what_was_pruned_are_taken(project):
    """That is what pruning is, and each of the ways to send it works."""
    sweep = project.experiment()
    assert wt("sync", cwd=project.path).code == 0
    assert wt("notes", "prune", sweep, cwd=project.path).code == 0
    assert project.tried("push", "origin", NOTES).returncode == 0
    assert wt("sync", cwd=project.path).code == 0


def test_what_was_pruned_stays_pruned(project):
    """Notes that forget it would bring it back everywhere."""
    sweep = project.experiment()
    assert wt("notes", "prune", sweep, cwd=project.path).code == 0
    project.git("push", "--quiet", "origin", NOTES)
    listing = project.git("ls-tree", NOTES).split("\n")
    tree = made_of(project, "\n".join(one for one in listing if not one.endswith("\tPRUNED")))
    commit = project.git("commit-tree", "-p", NOTES, "-m", "forgotten", tree)
    done = project.tried("push", "origin", f"{commit}:{NOTES}")
    assert done.returncode != 0
    assert "it lacks lines under PRUNED" in done.stderr


def made_of(project: Project, listing: str) -> str:
    """The tree that `listing` describes, as `git ls-tree` does."""
    done = subprocess.run(
        ["git", "mktree"],
        cwd=project.path,
        input=f"{listing}\n",
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()
