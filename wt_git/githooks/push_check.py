"""Checking the evidence of a push: of each updated branch, or of each new commit."""

from __future__ import annotations

from dataclasses import dataclass
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
"""A policy that wants each commit covered is held for so many new ones in a push."""


class CheckedCommit(NamedTuple):
    """What was found for one commit of a pushed branch, under which settings."""

    pushed: PushedRef
    commit: CommitFacts
    settings: Settings
    answer: CoverageResult


@dataclass(frozen=True, slots=True)
class PushCheck:
    """How the commits of a push are judged.

    `settings_for(pushed, commit)` are those that decide about a commit, `known(pushed)` the commits
    that the other side has already.
    """

    checker: CoverageChecker
    settings_for: Callable[[PushedRef, CommitFacts], Settings]
    known: Callable[[PushedRef], Sequence[str]]

    def judge(self, pushed: Sequence[PushedRef]) -> list[CheckedCommit]:
        """Return a judgement for each commit that a policy asks about.

        Raises `GitError`, `ConfigurationError`, and `UsageError` for more than can be judged.
        """
        found = []
        for one in pushed:
            tip = tip_of(self.checker.history, one)
            settings = self.settings_for(one, tip)
            if not settings.gate.asks_about(one.branch or ""):
                continue
            for commit in self._commits(one, tip, settings):
                settings = self.settings_for(one, commit)
                answer = self.checker.commit(
                    commit.id, policy=policy_from(settings), before=settings
                )
                found.append(CheckedCommit(one, commit, settings, answer))
        return found

    def _commits(self, one: PushedRef, tip: CommitFacts, settings: Settings) -> list[CommitFacts]:
        if settings.gate.commits == "tip":
            return [tip]
        known = [*self.known(one), *([one.old] if one.old else [])]
        ids = new_commits(self.checker.history.repository, tip.id, known, limit=MOST_COMMITS)
        if len(ids) > MOST_COMMITS:
            half = ids[len(ids) // 2][:12]
            raise UsageError(
                f"{one.branch} has more than {MOST_COMMITS} new commits, and the policy wants "
                "evidence for each of them; push them in parts",
                hints=(f"git push REMOTE {half}:{one.ref}",),
            )
        return [commit for one_id in ids if (commit := self.checker.history.commit(one_id))]


def tip_of(history: History, pushed: PushedRef) -> CommitFacts:
    """Return the commit that is pushed, also by way of an annotated tag. Raises `UsageError`."""
    tip = history.resolve(pushed.new or "")
    if tip is None:
        raise UsageError(f"the commit {pushed.new} for {pushed.ref} is not in this repository")
    return tip
