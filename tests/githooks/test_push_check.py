"""Which commits of a push are checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kit.verified_repos import agent_repo, notes_of

from wt_git.config import Gate, Settings
from wt_git.evidence.coverage.checker import CoverageChecker
from wt_git.githooks.push_check import check_push
from wt_git.githooks.push_lines import PushedRef

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def repo(tmp_path: Path):
    """A repository with four commits."""
    made = agent_repo(tmp_path / "repo")
    for number in range(3):
        made.write({"agent.py": f"{number}\n"})
        made.commit(f"edit {number}")
    return made


def checked(repo, old: str | None, *, known: tuple[str, ...] = (), commits: str = "each"):
    """The titles of the commits that are checked when HEAD is pushed over `old`."""
    settings = Settings(gate=Gate(commits=commits))
    notes = notes_of(repo)
    old_id = repo.git("rev-parse", old) if old else None
    pushed = PushedRef("HEAD", repo.git("rev-parse", "HEAD"), "refs/heads/main", old_id)
    found = check_push(
        [pushed],
        CoverageChecker(notes.repository, notes.view()),
        settings_for=lambda _ref, _commit: settings,
        known=lambda: [repo.git("rev-parse", one) for one in known],
    )
    return {one.commit.subject for one in found}


def test_commits_that_the_branch_had_before_are_not_checked(repo) -> None:
    """Those below its old tip, even where nothing else is known of the other side."""
    assert checked(repo, "HEAD~2") == {"edit 1", "edit 2"}
    assert checked(repo, "HEAD") == set()


def test_commits_that_the_other_side_has_elsewhere_are_not_checked(repo) -> None:
    """A new branch has no old tip."""
    assert checked(repo, None, known=("HEAD~1",)) == {"edit 2"}
    assert checked(repo, "HEAD~2", known=("HEAD~1",)) == {"edit 2"}
    assert len(checked(repo, None)) == 4


def test_a_policy_about_the_tip_checks_it_alone(repo) -> None:
    """However many commits are new."""
    assert checked(repo, "HEAD~2", commits="tip") == {"edit 2"}
