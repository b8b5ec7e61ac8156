"""What a server does with notes that are none, and with branches that come and go."""

from __future__ import annotations

import pytest
from kit.projects import POLICY, Project, bare, new_project, set_up

NOTES = "refs/windtunnel/notes"


@pytest.fixture
def project(tmp_path) -> Project:
    """A project without its own hook, whose remote has that of a server; the tip is covered there."""
    remote = bare(tmp_path / "remote.git")
    set_up(remote)
    made = new_project(tmp_path / "project", remote)
    made.experiment()
    made.pushed("origin", "main")
    (made.path / ".git/hooks/pre-push").unlink()
    return made


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
