"""Coverage of commits of a real repository: reads notes and history, and applies the rules.

    checker = CoverageChecker(repository, view)
    result = checker.commit(commit_id)

Nothing here scans the working tree, writes, or uses the network.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from wt_git.config import FILE_NAME, Settings
from wt_git.errors import ConfigurationError, GitError
from wt_git.evidence.coverage.evidence_trees import CommitToCheck, EvidenceTree, EvidenceTrees
from wt_git.evidence.coverage.result import CoverageResult, NotCovered
from wt_git.evidence.coverage.row_rules import COUNTING_TIERS
from wt_git.evidence.coverage.rules import (
    CommitEvidence,
    EarlierEvidence,
    check_coverage,
    readable_rows,
)
from wt_git.evidence.policy import Policy, gate_changes, policy_from, settings_of
from wt_git.git.history import History
from wt_git.git.trees import find_entry
from wt_git.text import quoted_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pygit2

    from wt_git.evidence.coverage.evidence_trees import NotesSource
    from wt_git.evidence.coverage.row_rules import CheckedRow
    from wt_git.git.history import CommitFacts


class CoverageChecker:
    """Checks any number of commits of one repository against one view of its notes.

    `runs_dirs` may hold ledgers that explain a missing result; they never cover anything. Without
    `explain`, nothing is searched for an explanation.
    """

    def __init__(
        self,
        repository: pygit2.Repository,
        view: NotesSource,
        *,
        runs_dirs: Sequence[Path] = (),
        explain: bool = True,
    ) -> None:
        self.history = History(repository)
        self.view = view
        self._runs_dirs = runs_dirs
        self._explain = explain
        self._trees = EvidenceTrees(self.history.trees, lambda tree: bool(view.sweeps(tree)))
        self._not_under_test: dict[str | None, tuple[str, ...]] = {}

    def commit(
        self, commit_id: str, *, policy: Policy | None = None, before: Settings | None = None
    ) -> CoverageResult:
        """Return whether a commit is covered under `policy`, by default its own.

        Changes of the gate and ladder tables since `before` become remarks. Raises `GitError` for
        missing objects, `ConfigurationError` for invalid tables.
        """
        facts = self._facts(commit_id)
        own = settings_of(self.history, facts)
        return self._result(_to_check(facts, own, policy), before)

    def tree(
        self,
        tree_id: str,
        own: Settings,
        *,
        parents: Sequence[str] = (),
        policy: Policy | None = None,
    ) -> CoverageResult:
        """Return whether a commit of this tree, with these parents, would be covered.

        `own` are the settings in the tree. The result's `commit` is empty.
        """
        to_check = CommitToCheck(
            commit="",
            tree=tree_id,
            parents=tuple(parents),
            own=own,
            policy=policy or policy_from(own),
        )
        return self._result(to_check, None)

    def recorded(self, commit_id: str, skipped: set[bytes]) -> list[CheckedRow]:
        """Return every readable row on the commit's tree, of any tier and runtime.

        Lines that cannot be read are added to `skipped`.
        """
        facts = self._facts(commit_id)
        try:
            own = settings_of(self.history, facts)
        except ConfigurationError:
            own = Settings()
        found: dict[bytes, CheckedRow] = {}
        unreadable: dict[bytes, str] = {}
        for under in self._trees.of(facts.tree, _to_check(facts, own).not_under_test):
            found = readable_rows(self.view.sweeps(under.tree), under, unreadable) | found
        skipped |= unreadable.keys() - found.keys()
        return list(found.values())

    def _facts(self, commit_id: str) -> CommitFacts:
        facts = self.history.commit(commit_id)
        if facts is None:
            raise GitError(
                f"the commit {commit_id} is not in this clone",
                hints=(f"git fetch origin {commit_id}",),
                code="commit-missing",
            )
        return facts

    def _result(self, commit: CommitToCheck, before: Settings | None) -> CoverageResult:
        trees = self._trees.of(commit.tree, commit.not_under_test)
        evidence = CommitEvidence(
            commit=commit.commit,
            trees=trees,
            notes={one.tree: self.view.sweeps(one.tree) for one in trees},
            earlier=lambda target: self._earlier(commit, trees, target),
        )
        found = check_coverage(evidence, commit.policy)
        result = replace(found, remarks=_remarks(commit, found, before))
        if not isinstance(result, NotCovered) or not self._explain:
            return result
        from wt_git.evidence.coverage.nearest_evidence import (  # noqa: PLC0415 - most are covered
            Explainer,
        )

        explainer = Explainer(
            commit=commit, history=self.history, view=self.view, runs_dirs=self._runs_dirs
        )
        return explainer.explained(result)

    # Earlier evidence.

    @cached_property
    def _trees_with_notes(self) -> frozenset[str]:
        return frozenset(self.view.record_keys())

    @cached_property
    def _earlier_trees(self) -> EvidenceTrees:
        """As `_trees`; for many commits, one list of the trees with notes is faster."""
        return EvidenceTrees(self.history.trees, self._trees_with_notes.__contains__)

    def _earlier(
        self, commit: CommitToCheck, own: Sequence[EvidenceTree], target: str | None
    ) -> EarlierEvidence:
        """Say whether a commit that this one builds on has evidence for `target`."""
        same = {one.tree for one in own}
        cut = commit.commit in self.history.shallow_commits
        for facts in self._builds_on(commit):
            cut = cut or facts.id in self.history.shallow_commits
            patterns = dict.fromkeys((commit.not_under_test, self._patterns_of(facts)))
            trees = [one for each in patterns for one in self._earlier_trees.of(facts.tree, each)]
            # A commit with the same tree under test has the same evidence, which is not earlier.
            if same.isdisjoint(one.tree for one in trees) and any(
                self._has_evidence(one, target) for one in trees
            ):
                return EarlierEvidence.SOME
        return EarlierEvidence.CUT if cut else EarlierEvidence.NONE

    def _patterns_of(self, commit: CommitFacts) -> tuple[str, ...]:
        """Return a commit's `not_under_test`; each version of the file is parsed once."""
        entry = find_entry(commit.tree, FILE_NAME.encode(), self.history.trees)
        blob = entry.id if entry else None
        if blob not in self._not_under_test:
            try:
                found = settings_of(self.history, commit).gate.not_under_test
            except (ConfigurationError, GitError):
                found = ()
            self._not_under_test[blob] = found
        return self._not_under_test[blob]

    def _builds_on(self, commit: CommitToCheck) -> Iterator[CommitFacts]:
        if commit.commit:
            yield from self.history.ancestors(commit.commit)
            return
        for parent in commit.parents:
            own = self.history.commit(parent)
            if own is not None:
                yield own
                yield from self.history.ancestors(parent)

    def _has_evidence(self, under: EvidenceTree, target: str | None) -> bool:
        if under.tree not in self._trees_with_notes:
            return False
        rows = [one.row for one in readable_rows(self.view.sweeps(under.tree), under, {}).values()]
        return any(row.parts.target == target and row.tier in COUNTING_TIERS for row in rows)


def _to_check(facts: CommitFacts, own: Settings, policy: Policy | None = None) -> CommitToCheck:
    return CommitToCheck(
        commit=facts.id,
        tree=facts.tree,
        parents=facts.parents,
        own=own,
        policy=policy or policy_from(own),
    )


def _remarks(
    commit: CommitToCheck, result: CoverageResult, before: Settings | None
) -> tuple[str, ...]:
    """Name changes of the rules since `before`, and skipped lines; neither changes the result."""
    remarks = []
    if before is not None:
        changes = gate_changes(before, commit.own)
        if changes:
            remarks.append(f"the rules themselves change: {quoted_list(changes, most=8)}")
    allowed = commit.policy.gate.not_under_test
    more = [one for one in commit.own.gate.not_under_test if one not in allowed]
    if more:
        remarks.append(
            f"this commit leaves {quoted_list(more)} out of what is under test, and the policy that "
            "judges it does not: only evidence for the whole tree counts"
        )
    if result.skipped:
        counted = ", ".join(f"{count} {why}" for why, count in sorted(result.skipped.items()))
        remarks.append(f"lines of notes on this tree that count for nothing: {counted}")
    return tuple(remarks)
