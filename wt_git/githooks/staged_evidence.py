"""The evidence for the tree that is about to be committed, as `pre-commit` and the trailer show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import EXIT_NO, EXIT_YES
from wt_git.evidence.coverage.checker import CoverageChecker
from wt_git.evidence.coverage.result import CoverageResult, Covered
from wt_git.git.notes.store import open_notes
from wt_git.githooks.git_hooks import GitHookResult
from wt_git.githooks.push_messages import (
    command_lines,
    covered_line,
    rule_line,
    seen_lines,
    suggested_commands,
)

if TYPE_CHECKING:
    from wt_git.config import Gate, Settings
    from wt_git.git.repository import GitFolders


class StagedEvidence(NamedTuple):
    """Whether the staged tree is covered by evidence, under the policy `gate`."""

    result: CoverageResult
    gate: Gate

    def pre_commit_result(self) -> GitHookResult:
        """Return the result of `pre-commit`."""
        if isinstance(self.result, Covered):
            return GitHookResult(lines=(covered_line("this commit", self.result),))
        seen = seen_lines(self.result)
        suggested = suggested_commands(self.result, self.gate)
        if self.gate.pre_commit != "refuse":
            head = "this commit has no evidence yet, and a push may require it"
            return GitHookResult(EXIT_YES, (head, *seen, *command_lines(suggested[:1])))
        head = "refused: this commit would have no evidence that counts"
        lines = (head, rule_line(self.gate), *seen, *command_lines(suggested))
        return GitHookResult(
            EXIT_NO, (*lines, "then commit again; unchecked: git commit --no-verify")
        )

    def trailer(self) -> str:
        """Return the value of the commit's trailer; empty without evidence."""
        if not isinstance(self.result, Covered):
            return ""
        row = self.result.rows[-1]
        return f"{row.tier} evidence of sweep {row.sweep_id}, recorded {row.ts}"


def find_staged_evidence(
    folders: GitFolders, notes_ref: str, tree: str, settings: Settings
) -> StagedEvidence | None:
    """Return the evidence for `tree`; None where libgit2 finds no repository. Raises `GitError`."""
    notes = open_notes(folders.git_dir, ref=notes_ref)
    if notes is None:
        return None
    runs = folders.home / "runs"
    runs_dirs = [runs] if runs.is_dir() else []
    checker = CoverageChecker(notes.repository, notes.view(), runs_dirs=runs_dirs)
    head = checker.history.resolve("HEAD")
    parents = [head.id] if head else []
    return StagedEvidence(checker.tree(tree, settings, parents=parents), settings.gate)
