"""Judging what is about to be committed, by the policy in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wt_git.config import FILE_NAME, Gate, Settings, parse
from wt_git.git.process import ask
from wt_git.git.staged_tree import staged_tree
from wt_git.githooks.surroundings import surroundings

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.evidence.answers import Answer
    from wt_git.githooks.hook_call import HookCall
    from wt_git.githooks.surroundings import Surroundings


class StagedJudgement(NamedTuple):
    """What there is for the tree about to be committed, and the policy that says so."""

    answer: Answer
    gate: Gate


def judged(call: HookCall, wanted: Callable[[Gate], bool]) -> StagedJudgement | None:
    """Return the judgement; None outside of a repository and where the policy has no use for it.

    Raises `GitError`, and `ConfigurationError` for a policy that may not be.
    """
    around = surroundings(call)
    if around is None:
        return None
    tree = staged_tree(around.folders, call.environ)
    settings = _settings(around, tree)
    if not wanted(settings.gate):
        return None
    from wt_git.evidence.commit_coverage import CoverageChecker  # noqa: PLC0415 - only where wanted

    notes = around.notes()
    if notes is None:
        return None
    checker = CoverageChecker(notes.repository, notes.view(), runs_dirs=around.runs_dirs)
    head = checker.history.resolve("HEAD")
    parents = [head.id] if head else []
    return StagedJudgement(checker.tree(tree, settings, parents=parents), settings.gate)


def _settings(around: Surroundings, tree: str) -> Settings:
    """Return the settings in the tree, without loading what reads notes: the policy may be "off"."""
    answer = ask(("cat-file", "blob", f"{tree}:{FILE_NAME}"), cwd=around.folders.git_dir)
    return parse(answer.out, f"{FILE_NAME} as staged") if answer.status == 0 else Settings()
