"""Checking the evidence of a push: of each updated branch, or of each new commit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import UsageError
from wt_git.evidence.policy import policy_from
from wt_git.git.history import new_commits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wt_git.config import Settings
    from wt_git.evidence.coverage.checker import CoverageChecker
    from wt_git.evidence.coverage.result import CoverageResult
    from wt_git.git.history import CommitFacts, History
    from wt_git.githooks.push_lines import PushedRef

MOST_COMMITS = 1000
"""The most new commits of a push that a policy for each commit can check."""


class CheckedCommit(NamedTuple):
    """One commit of a pushed branch, its settings, and whether it is covered by evidence."""

    pushed: PushedRef
    commit: CommitFacts
    settings: Settings
    result: CoverageResult


def check_push(
    pushed: Sequence[PushedRef],
    checker: CoverageChecker,
    *,
    settings_for: Callable[[PushedRef, CommitFacts], Settings],
    known: Callable[[], Sequence[str]],
) -> list[CheckedCommit]:
    """Check each commit for which a policy requires evidence.

    `settings_for` returns the settings that apply to a commit; `known` returns commits that
    the other side has already. Raises `GitError`, `ConfigurationError`, and `UsageError` for too many commits.
    """
    found = []
    for ref in pushed:
        tip = tip_of(checker.history, ref)
        settings = settings_for(ref, tip)
        if not settings.gate.asks_about(ref.branch or ""):
            continue
        each = settings.gate.commits == "each"
        for commit in _new_commits(checker.history, ref, tip, known()) if each else [tip]:
            settings = settings_for(ref, commit)
            result = checker.commit(commit.id, policy=policy_from(settings), before=settings)
            found.append(CheckedCommit(ref, commit, settings, result))
    return found


def _new_commits(
    history: History, ref: PushedRef, tip: CommitFacts, known: Sequence[str]
) -> list[CommitFacts]:
    before = [*known, *([ref.old] if ref.old else [])]
    ids = new_commits(history.repository, tip.id, before, limit=MOST_COMMITS)
    if len(ids) > MOST_COMMITS:
        half = ids[len(ids) // 2][:12]
        raise UsageError(
            f"{ref.branch} has more than {MOST_COMMITS} new commits, and the policy wants "
            "evidence for each of them; push them in parts",
            hints=(f"git push REMOTE {half}:{ref.ref}",),
        )
    return [commit for one in ids if (commit := history.commit(one))]


def tip_of(history: History, pushed: PushedRef) -> CommitFacts:
    """Return the pushed commit, also that of an annotated tag. Raises `UsageError`."""
    tip = history.resolve(pushed.new or "")
    if tip is None:
        raise UsageError(f"the commit {pushed.new} for {pushed.ref} is not in this repository")
    return tip
