"""The rules that decide whether a commit is covered under a policy.

Pure: notes, policy and facts from history go in, a result comes out. They are read by
`wt_git.evidence.coverage.checker`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from wt_git.evidence.coverage.reasons import (
    failing_scenarios,
    history_cut,
    no_evidence,
    no_regression,
    nothing_counts,
    regression_not_earned,
    regression_not_met,
)
from wt_git.evidence.coverage.result import (
    CoverageResult,
    Covered,
    NotCovered,
    Reason,
    SkippedLines,
)
from wt_git.evidence.coverage.row_rules import CheckedRow, regression_flaws, row_flaws
from wt_git.evidence.coverage.stored_rows import StoredRow, stored_row, stored_sweep
from wt_git.records.notes import read_note, recorded_trees

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wt_git.evidence.coverage.evidence_trees import EvidenceTree
    from wt_git.evidence.coverage.stored_rows import AgentIdentity
    from wt_git.evidence.policy import Policy

_SHOWN = 5


class EarlierEvidence(Enum):
    """Whether anything that a commit builds on has evidence for a target."""

    NONE = "none"
    SOME = "some"
    CUT = "cut"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitEvidence:
    """What stands under the trees of one commit.

    `notes` maps a tree to its notes: sweep id to lines, byte for byte. `earlier(target)` is asked
    only where a regression was the first experiment of its target.
    """

    commit: str
    keys: Sequence[EvidenceTree]
    notes: Mapping[str, Mapping[str, Sequence[bytes]]]
    earlier: Callable[[str | None], EarlierEvidence] = field(default=lambda _: EarlierEvidence.CUT)

    @property
    def tree(self) -> str:
        """The commit's own tree."""
        return self.keys[0].tree


def check_coverage(filed: CommitEvidence, policy: Policy) -> CoverageResult:
    """Return whether the commit is covered under `policy`, or every reason why not.

    The order of lines, notes and keys does not matter: on one tree, pass and fail are variance, so
    a scenario that failed needs a row that counts, and the answer names the failing rows.
    """
    judged, elsewhere, skipped = _checked_rows(filed, policy)
    reasons: list[Reason] = []
    failing = tuple(one.row for one in judged if one.row.fails)
    open_failures = _unanswered(judged)
    if not judged:
        reasons.append(no_evidence(elsewhere, policy))
    if open_failures:
        reasons.append(failing_scenarios(open_failures))
    proof, missing = _required(judged, policy, filed.earlier)
    if judged and not proof:
        reasons += missing
    if reasons:
        return NotCovered(
            commit=filed.commit,
            tree=filed.tree,
            reasons=tuple(reasons),
            failing_rows=failing,
            subjects=_agents([one.row for one in judged]),
            skipped=skipped,
        )
    return Covered(
        commit=filed.commit,
        tree=filed.tree,
        sweeps=tuple(sorted({row.sweep_id for row in proof})),
        rows=tuple(sorted(proof, key=lambda row: (row.ts, row.raw))),
        failing_rows=failing,
        subjects=_agents(proof),
        thinned=all(one.thinned for one in judged if one.row in proof),
        skipped=skipped,
    )


def readable_rows(
    notes: Mapping[str, Sequence[bytes]], key: EvidenceTree, skipped: dict[bytes, str] | None = None
) -> dict[bytes, CheckedRow]:
    """Return the rows under one key that may speak for it, by their line, none of them judged yet.

    A row may only where it says itself that it is about this tree, and where its parts hash to its
    fingerprint. What is passed over comes to stand in `skipped`, with the reason.
    """
    found: dict[bytes, CheckedRow] = {}
    passed_over: dict[bytes, str] = {} if skipped is None else skipped
    for sweep_id, lines in sorted(notes.items()):
        content = read_note(lines, sweep_id)
        passed_over |= {line.raw: line.why for line in content.unreadable}
        sweeps = [stored_sweep(line) for line in content.sweeps]
        passed_over |= {
            line.raw: "unknown-record"
            for line, one in zip(content.sweeps, sweeps, strict=True)
            if one is None
        }
        known = tuple(one for one in sweeps if one is not None)
        # A record that cannot be read says nothing good: with one of them no row's sweep is known.
        usable = known if len(known) == len(sweeps) else ()
        for line in content.rows:
            row = stored_row(line)
            if row is None:
                passed_over[line.raw] = "unknown-record"
            elif key.tree not in recorded_trees(line.record):
                passed_over[line.raw] = "another-tree"
            elif key.left_out is not None or row.parts.git_tree == key.tree:
                found[row.raw] = CheckedRow(row, usable, thinned=row.parts.git_tree != key.tree)
    return found


def _checked_rows(
    filed: CommitEvidence, policy: Policy
) -> tuple[list[CheckedRow], list[StoredRow], SkippedLines]:
    """Return the rows that the policy is about, with their flaws, and those of other runtimes."""
    skipped: dict[bytes, str] = {}
    found: dict[bytes, CheckedRow] = {}
    for key in filed.keys:
        for name, one in readable_rows(filed.notes.get(key.tree, {}), key, skipped).items():
            thinned_out = key.left_out if one.thinned else None
            why = row_flaws(one.row, one.sweeps, policy, left_out=thinned_out)
            if name not in found or len(why) < len(found[name].flaws):
                found[name] = one.with_flaws(why)
    about = [one for one in found.values() if _is_about(one.row, policy)]
    elsewhere = [one.row for one in found.values() if not _is_about(one.row, policy)]
    counts = Counter(why for raw, why in skipped.items() if raw not in found)
    return sorted(about, key=lambda one: one.row.raw), elsewhere, SkippedLines(counts=counts)


def _is_about(row: StoredRow, policy: Policy) -> bool:
    return policy.is_about(row.parts.runtime, row.parts.target)


def _unanswered(judged: Sequence[CheckedRow]) -> list[StoredRow]:
    """Return the failing rows of scenarios that have no counting row on this tree."""
    answered = {one.row.identity for one in judged if one.counts}
    return [one.row for one in judged if one.row.fails and one.row.identity not in answered]


def _required(
    judged: Sequence[CheckedRow], policy: Policy, earlier: Callable[[str | None], EarlierEvidence]
) -> tuple[list[StoredRow], list[Reason]]:
    """Return the rows that satisfy `require`, or the reasons why none do."""
    packs = policy.gate.packs
    counting = [one.row for one in judged if one.counts]
    of_packs = [row for row in counting if not packs or row.pack in packs]
    focused = [row for row in of_packs if row.tier == "focused"]
    if policy.gate.require == "focused" and focused:
        return focused, []
    proof, why = _regressions(judged, packs, earlier)
    if proof:
        return proof, []
    if policy.gate.require == "focused":
        # One pass of what failed is all that is missing then, and not a whole regression.
        regressions = [] if _unanswered(judged) else why
        return [], [*nothing_counts(judged, of_packs, packs), *regressions]
    return [], why or [no_regression(judged)]


def _regressions(
    judged: Sequence[CheckedRow],
    packs: tuple[str, ...],
    earlier: Callable[[str | None], EarlierEvidence],
) -> tuple[list[StoredRow], list[Reason]]:
    sweeps: dict[str, list[CheckedRow]] = {}
    for one in judged:
        if one.row.tier == "regression":
            sweeps.setdefault(one.row.sweep_id, []).append(one)
    focused = {one.row.sweep_id for one in judged if one.counts and one.row.tier == "focused"}
    reasons = []
    for sweep_id, rows in sorted(sweeps.items()):
        why = regression_flaws(rows, packs=packs, focused=focused)
        if not why and all(one.row.earned_by is None for one in rows):
            reason = _first_of_its_target(sweep_id, rows[0].row, earlier)
        else:
            reason = regression_not_met(sweep_id, why, rows) if why else None
        if reason is None:
            return [one.row for one in rows], []
        reasons.append(reason)
    return [], reasons


def _first_of_its_target(
    sweep_id: str, row: StoredRow, earlier: Callable[[str | None], EarlierEvidence]
) -> Reason | None:
    """Return why a regression that nothing earned does not count; None when it may be the first.

    The record's own word for it is not asked: a fresh runs directory would always give it.
    """
    match earlier(row.parts.target):
        case EarlierEvidence.NONE:
            return None
        case EarlierEvidence.SOME:
            return regression_not_earned(sweep_id, row)
        case EarlierEvidence.CUT:
            return history_cut(sweep_id, row)


def _agents(rows: Sequence[StoredRow]) -> tuple[AgentIdentity, ...]:
    return tuple(dict.fromkeys(row.subject for row in rows))
