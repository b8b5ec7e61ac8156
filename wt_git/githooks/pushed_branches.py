"""Judging what is pushed: each branch that gets new commits, or each of its new commits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import UsageError
from wt_git.git.commit_walk import commit_id, new_commits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pygit2

    from wt_git.config import Settings
    from wt_git.evidence.coverage import Covered, NotCovered
    from wt_git.githooks.push_lines import PushedRef

MOST_COMMITS = 1000
"""A policy that wants each commit covered is held for so many new ones in a push."""


class Judgement(NamedTuple):
    """What was found for one commit of a pushed branch."""

    pushed: PushedRef
    commit: str
    answer: Covered | NotCovered


@dataclass(frozen=True, slots=True)
class Judge:
    """How the commits of a push are judged.

    `settings_of(pushed, commit)` is the policy for a pushed branch, `answer(commit, settings)` what
    there is for a commit, `known(pushed)` the commits that the other side has already.
    """

    repository: pygit2.Repository
    settings_of: Callable[[PushedRef, str], Settings]
    answer: Callable[[str, Settings], Covered | NotCovered]
    known: Callable[[PushedRef], Sequence[str]]

    def judge(self, pushed: Sequence[PushedRef]) -> list[Judgement]:
        """Return a judgement for each commit that a policy asks about. Raises `GitError`."""
        found = []
        for one in pushed:
            assert one.new is not None
            assert one.branch is not None
            tip = commit_id(self.repository, one.new)
            if tip is None:
                raise UsageError(f"{one.branch}: the pushed commit {one.new} is not here")
            settings = self.settings_of(one, tip)
            if settings.gate.asks_about(one.branch):
                found += [
                    Judgement(one, commit, self.answer(commit, settings))
                    for commit in self._commits(one, tip, settings)
                ]
        return found

    def _commits(self, one: PushedRef, tip: str, settings: Settings) -> list[str]:
        if settings.gate.commits == "tip":
            return [tip]
        known = [*self.known(one), *([one.old] if one.old else [])]
        commits = new_commits(self.repository, tip, known, limit=MOST_COMMITS)
        if len(commits) > MOST_COMMITS:
            raise UsageError(
                f"{one.branch}: more than {MOST_COMMITS} new commits, and the policy wants evidence "
                "for each; push them in parts",
                hints=(f"git push REMOTE {commits[len(commits) // 2][:12]}:{one.ref}",),
            )
        return commits
