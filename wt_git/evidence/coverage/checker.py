"""Coverage of commits of a real repository: reads notes and history, and applies the rules.

    checker = CoverageChecker(repository, view)
    result = checker.commit(commit_id)

Nothing here scans the working tree, writes, or uses the network.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from wt_git.config import FILE_NAME, Settings
from wt_git.errors import ConfigurationError, GitError
from wt_git.evidence.coverage.evidence_trees import CommitToCheck, EvidenceTree, EvidenceTrees
from wt_git.evidence.coverage.nearest_evidence import Explainer, remarks
from wt_git.evidence.coverage.result import CoverageResult, NotCovered
from wt_git.evidence.coverage.row_rules import COUNTING_TIERS
from wt_git.evidence.coverage.rules import (
    CommitEvidence,
    EarlierEvidence,
    check_coverage,
    readable_rows,
)
from wt_git.evidence.policy import Policy, policy_from, settings_of
from wt_git.git.history import History
from wt_git.git.notes.store import Notes
from wt_git.git.trees import find_entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pygit2

    from wt_git.evidence.coverage.evidence_trees import NotesSource
    from wt_git.evidence.coverage.row_rules import CheckedRow
    from wt_git.git.history import CommitFacts


def coverage_of(
    repository: pygit2.Repository,
    commit_id: str,
    *,
    policy: Policy | None = None,
    notes: NotesSource | None = None,
    before: Settings | None = None,
    runs_dirs: Sequence[Path] = (),
) -> CoverageResult:
    """Return whether the commit is covered.

    `policy` defaults to that of the commit's own pyproject.toml, `notes` to what the notes ref that
    it names and those of the remotes say. Changes of the gate and ladder tables since `before` are
    named in the answer. Raises `GitError` when objects are missing, `ConfigurationError` for tables
    that may not be.
    """
    if notes is None:
        history = History(repository)
        settings = settings_of(history, _here(history, commit_id))
        notes = Notes(repository, ref=settings.notes_ref).view()
    checker = CoverageChecker(repository, notes, runs_dirs=runs_dirs)
    return checker.commit(commit_id, policy=policy, before=before)


class CoverageChecker:
    """Answers for any number of commits of one repository from one view of its notes.

    `runs_dirs` are where ledgers may be, to explain what is missing; they never cover anything.
    Without `explain` nothing is searched for that explains it.
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
        self._explainer = Explainer(self.history, view, runs_dirs) if explain else None
        self._keys = EvidenceTrees(self.history.trees, lambda tree: bool(view.sweeps(tree)))
        self._patterns: dict[str | None, tuple[str, ...]] = {}

    def commit(
        self, commit_id: str, *, policy: Policy | None = None, before: Settings | None = None
    ) -> CoverageResult:
        """Return whether a commit is covered; see `coverage_of`."""
        facts = _here(self.history, commit_id)
        own = settings_of(self.history, facts)
        case = CommitToCheck(
            commit=facts.id,
            tree=facts.tree,
            parents=facts.parents,
            own=own,
            policy=policy or policy_from(own),
        )
        return self._answer(case, before)

    def tree(
        self,
        tree_id: str,
        own: Settings,
        *,
        parents: Sequence[str] = (),
        policy: Policy | None = None,
    ) -> CoverageResult:
        """Return whether a commit of this tree would be covered; `own` are the settings in it.

        `parents` are the commits that it would build on. The answer's `commit` is empty.
        """
        case = CommitToCheck(
            commit="",
            tree=tree_id,
            parents=tuple(parents),
            own=own,
            policy=policy or policy_from(own),
        )
        return self._answer(case, None)

    def recorded(self, commit_id: str, skipped: set[bytes] | None = None) -> list[CheckedRow]:
        """Return every row on the commit's tree that can be read, of whatever tier and runtime.

        Lines that cannot are added to `skipped`.
        """
        facts = _here(self.history, commit_id)
        try:
            own = settings_of(self.history, facts)
        except ConfigurationError:
            own = Settings()
        case = CommitToCheck(
            commit=facts.id,
            tree=facts.tree,
            parents=facts.parents,
            own=own,
            policy=policy_from(own),
        )
        found: dict[bytes, CheckedRow] = {}
        passed_over: dict[bytes, str] = {}
        for key in self._keys.of(case.tree, case.patterns):
            found = readable_rows(self.view.sweeps(key.tree), key, passed_over) | found
        if skipped is not None:
            skipped |= passed_over.keys() - found.keys()
        return list(found.values())

    @cached_property
    def _keys_with_notes(self) -> frozenset[str]:
        return frozenset(self.view.record_keys())

    @cached_property
    def _keys_of_earlier(self) -> EvidenceTrees:
        """As `_keys`, for many commits: what has notes was listed once."""
        return EvidenceTrees(self.history.trees, self._keys_with_notes.__contains__)

    def _answer(self, case: CommitToCheck, before: Settings | None) -> CoverageResult:
        keys = self._keys.of(case.tree, case.patterns)
        filed = CommitEvidence(
            commit=case.commit,
            keys=keys,
            notes={key.tree: self.view.sweeps(key.tree) for key in keys},
            earlier=lambda target: self._earlier(case, target),
        )
        answer = check_coverage(filed, case.policy)
        also = remarks(case, answer, before)
        if not isinstance(answer, NotCovered):
            return replace(answer, remarks=also)
        answer = replace(answer, remarks=also)
        return self._explainer.explained(case, answer) if self._explainer else answer

    def _earlier(self, case: CommitToCheck, target: str | None) -> EarlierEvidence:
        """Say whether a commit that this one builds on has evidence for `target`."""
        same = {key.tree for key in self._keys.of(case.tree, case.patterns)}
        cut = case.commit in self.history.cut
        for facts in self._builds_on(case):
            cut = cut or facts.id in self.history.cut
            patterns = dict.fromkeys((case.patterns, self._patterns_of(facts)))
            keys = [key for each in patterns for key in self._keys_of_earlier.of(facts.tree, each)]
            # What is under test is the same there: its evidence is the one that is judged here.
            if same.isdisjoint(key.tree for key in keys) and any(
                self._has_evidence(key, target) for key in keys
            ):
                return EarlierEvidence.SOME
        return EarlierEvidence.CUT if cut else EarlierEvidence.NONE

    def _patterns_of(self, commit: CommitFacts) -> tuple[str, ...]:
        """Return what no experiment depends on in a commit; its file is parsed once for all."""
        entry = find_entry(commit.tree, FILE_NAME.encode(), self.history.trees)
        blob = entry.id if entry else None
        if blob not in self._patterns:
            try:
                found = settings_of(self.history, commit).gate.not_under_test
            except (ConfigurationError, GitError):
                found = ()
            self._patterns[blob] = found
        return self._patterns[blob]

    def _builds_on(self, case: CommitToCheck) -> Iterator[CommitFacts]:
        if case.commit:
            yield from self.history.ancestors(case.commit)
            return
        for parent in case.parents:
            own = self.history.commit(parent)
            if own is not None:
                yield own
                yield from self.history.ancestors(parent)

    def _has_evidence(self, key: EvidenceTree, target: str | None) -> bool:
        if key.tree not in self._keys_with_notes:
            return False
        rows = readable_rows(self.view.sweeps(key.tree), key).values()
        return any(
            one.row.parts.target == target and one.row.tier in COUNTING_TIERS for one in rows
        )


def _here(history: History, commit_id: str) -> CommitFacts:
    facts = history.commit(commit_id)
    if facts is None:
        raise GitError(
            f"the commit {commit_id} is not in this clone",
            hints=(f"git fetch origin {commit_id}",),
            code="commit-missing",
        )
    return facts
