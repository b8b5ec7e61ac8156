"""A repository that asks for a regression before a push, with the ladder deciding what is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.commands import DECLARED, Ran, write_pack, wt
from kit.projects import Project, bare, set_up
from kit.repo import git

if TYPE_CHECKING:
    from pathlib import Path

POLICY = '[tool.windtunnel.gate]\nruntime = "in_memory"\nrequire = "regression"\n'


def _project(tmp_path: Path) -> Project:
    """A project whose first commit is covered by the first regression against its target."""
    remote = bare(tmp_path / "remote.git")
    (tmp_path / "project").mkdir()
    git(tmp_path / "project", "init", "--quiet")
    project = Project(tmp_path / "project")
    project.git("remote", "add", "origin", str(remote.path))
    project.write({"pyproject.toml": POLICY, ".gitignore": "runs*/\n*.pyc\n", "prompt.md": "one\n"})
    write_pack(str(project.path / "pack.py"), scenarios=[("first", "ok", []), ("second", "ok", [])])
    project.commit("an agent")
    set_up(project)
    return project


def _run(project: Project, *arguments: str) -> Ran:
    return wt("run", "--pack-source", "pack.py:PACK", *DECLARED, *arguments, cwd=project.path)


def _edit(project: Project) -> None:
    project.write({"prompt.md": "another\n"})


def test_a_change_is_pushed_once_a_regression_was_earned_and_passed(tmp_path: Path) -> None:
    """Not with the focused pass alone, and not with a regression that nothing earned."""
    project = _project(tmp_path)
    assert _run(project).code == 0
    project.pushed("origin", "HEAD")

    _edit(project)
    assert _run(project, "--scenario", "first").code == 0
    project.commit("a change")
    assert "regression" in project.refused("origin", "HEAD")

    assert _run(project).code == 0, "the pass earned it"
    project.pushed("origin", "HEAD")


def test_starting_over_in_another_directory_buys_no_push(tmp_path: Path) -> None:
    """The ladder lets a fresh directory begin with a baseline; the gate of the push does not."""
    project = _project(tmp_path)
    assert _run(project).code == 0
    project.pushed("origin", "HEAD")
    _edit(project)
    fresh = _run(project, "--runs-dir", "runs-again")
    assert fresh.code == 0
    assert "has history for this target" in fresh.err
    project.commit("a change that nobody earned")
    assert "earned by no focused experiment" in project.refused("origin", "HEAD")


def test_a_regression_that_its_budget_cut_short_covers_nothing(tmp_path: Path) -> None:
    """What it reached passed, and that is not everything."""
    project = _project(tmp_path)
    assert _run(project, "--budget", "0.000001").code == 1
    assert "wt pre-push: refused" in project.refused("origin", "HEAD")


def test_a_failure_that_was_left_out_keeps_the_push_closed(tmp_path: Path) -> None:
    """A regression that excludes a failing scenario is none of everything."""
    project = _project(tmp_path)
    broken = [("first", "ok", []), ("second", "ok", []), ("third", "nope", [])]
    write_pack(str(project.path / "pack.py"), scenarios=broken)
    assert _run(project).code == 1
    assert _run(project, "--scenario", "first").code == 0
    left_out = _run(project, "--scenario", "first", "--scenario", "second")
    assert left_out.code == 0, left_out.err
    project.commit("third is broken")
    assert "third" in project.refused("origin", "HEAD")
