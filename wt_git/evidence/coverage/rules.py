"""The rules that decide whether a commit is covered under a policy, and the reasons if it is not.

Each reason has a code, explained in docs/messages.md.
"""

from __future__ import annotations

import shlex
from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from wt_git.evidence.coverage.result import (
    RUNTIME_PLACEHOLDER,
    CoverageResult,
    Covered,
    NotCovered,
    Reason,
)
from wt_git.evidence.coverage.row_rules import CheckedRow, regression_flaws, row_flaws
from wt_git.evidence.coverage.stored_rows import StoredRow, stored_row, stored_sweep
from wt_git.records.notes import read_note, recorded_trees
from wt_git.text import DECLARATION_OPTIONS, one_line, quoted_list, shortened_list

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from wt_git.evidence.coverage.evidence_trees import EvidenceTree
    from wt_git.evidence.policy import Policy

_SHOWN = 5


class EarlierEvidence(Enum):
    """Whether a commit that this one builds on has evidence for a target; CUT: not known."""

    NONE = "none"
    SOME = "some"
    CUT = "cut"


class CommitEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """The notes under the trees of one commit, its own tree first.

    `notes` maps a tree to the lines of each sweep, by sweep id. `earlier(target)` is called only
    for a regression that no focused sweep earned.
    """

    commit: str
    trees: Sequence[EvidenceTree]
    notes: Mapping[str, Mapping[str, Sequence[bytes]]]
    earlier: Callable[[str | None], EarlierEvidence] = msgspec.field(
        default=lambda _: EarlierEvidence.CUT
    )


def check_coverage(evidence: CommitEvidence, policy: Policy) -> CoverageResult:
    """Return whether the commit is covered under `policy`, or every reason why not.

    The order of lines, notes and trees does not matter: pass and fail on one tree are variance. So
    a scenario that failed needs a counting row of its own, and the result names the failing rows.
    """
    checked, other_runtimes, skipped = _checked_rows(evidence, policy)
    unanswered = _unanswered(checked)
    accepted, missing = _required(checked, policy, evidence.earlier)
    reasons: list[Reason] = []
    if not checked:
        reasons.append(_no_evidence(other_runtimes, policy))
    if unanswered:
        reasons.append(_failing_scenarios(unanswered))
    if checked and not accepted:
        reasons += missing
    commit, tree = evidence.commit, evidence.trees[0].tree
    failing = tuple(one.row for one in checked if one.row.fails)
    if reasons:
        return NotCovered(
            commit=commit,
            tree=tree,
            reasons=tuple(reasons),
            failing_rows=failing,
            agents=tuple(dict.fromkeys(one.row.agent for one in checked)),
            skipped=skipped,
        )
    return Covered(
        commit=commit,
        tree=tree,
        sweeps=tuple(sorted({row.sweep_id for row in accepted})),
        rows=tuple(sorted(accepted, key=lambda row: (row.ts, row.raw))),
        failing_rows=failing,
        agents=tuple(dict.fromkeys(row.agent for row in accepted)),
        thinned=all(one.thinned for one in checked if one.row in accepted),
        skipped=skipped,
    )


def readable_rows(
    notes: Mapping[str, Sequence[bytes]], under: EvidenceTree, skipped: dict[bytes, str]
) -> dict[bytes, CheckedRow]:
    """Return the rows in the notes under one tree that are about it, by line, not checked yet.

    A row is about a tree if it says so itself, and its parts hash to its fingerprint. Other lines
    are added to `skipped`, with the reason. A row without data is passed over, as if not written.
    """
    found: dict[bytes, CheckedRow] = {}
    for sweep_id, lines in sorted(notes.items()):
        content = read_note(lines, sweep_id)
        skipped |= {line.raw: line.why for line in content.unreadable}
        sweeps = []
        for line in content.sweeps:
            sweep = stored_sweep(line)
            if sweep is None:
                skipped[line.raw] = "unknown-record"
            else:
                sweeps.append(sweep)
        # With one unreadable record it is not known how the sweep ended, so no row of it counts.
        known = tuple(sweeps) if len(sweeps) == len(content.sweeps) else ()
        for line in content.rows:
            row = stored_row(line)
            if row is None:
                skipped[line.raw] = "unknown-record"
            elif under.tree not in recorded_trees(line.record):
                skipped[line.raw] = "another-tree"
            elif row.data.is_none:
                continue
            elif under.left_out is not None or row.parts.git_tree == under.tree:
                found[row.raw] = CheckedRow(row, known, thinned=row.parts.git_tree != under.tree)
    return found


def _checked_rows(
    evidence: CommitEvidence, policy: Policy
) -> tuple[list[CheckedRow], list[StoredRow], Counter[str]]:
    """Return the rows that the policy is about, those of other runtimes, and the skipped lines."""
    skipped: dict[bytes, str] = {}
    found: dict[bytes, CheckedRow] = {}
    for under in evidence.trees:
        rows = readable_rows(evidence.notes.get(under.tree, {}), under, skipped)
        for line, one in rows.items():
            left_out = under.left_out if one.thinned else None
            flaws = row_flaws(one.row, one.sweeps, policy, left_out=left_out)
            if line not in found or len(flaws) < len(found[line].flaws):
                found[line] = replace(one, flaws=flaws)
    checked, other_runtimes = [], []
    for one in sorted(found.values(), key=lambda one: one.row.raw):
        if policy.is_about(one.row.parts.runtime, one.row.parts.target):
            checked.append(one)
        else:
            other_runtimes.append(one.row)
    return (
        checked,
        other_runtimes,
        Counter(why for line, why in skipped.items() if line not in found),
    )


def _unanswered(checked: Sequence[CheckedRow]) -> list[StoredRow]:
    """Return the failing rows of scenarios that have no counting row on this tree."""
    answered = {one.row.identity for one in checked if one.counts}
    return [one.row for one in checked if one.row.fails and one.row.identity not in answered]


def _required(
    checked: Sequence[CheckedRow],
    policy: Policy,
    earlier: Callable[[str | None], EarlierEvidence],
) -> tuple[list[StoredRow], list[Reason]]:
    """Return the rows that satisfy `require`, or the reasons why none do."""
    packs = policy.gate.packs
    of_packs = [one.row for one in checked if one.counts and (not packs or one.row.pack in packs)]
    focused = [row for row in of_packs if row.tier == "focused"]
    if policy.gate.require == "focused" and focused:
        return focused, []
    accepted, reasons = _regressions(checked, packs, earlier)
    if accepted:
        return accepted, []
    if policy.gate.require != "focused":
        return [], reasons or [_no_regression(checked)]
    # A failure needs one focused pass. To ask for a whole regression beside it would be too much.
    regressions = [] if _unanswered(checked) else reasons
    return [], [*_nothing_counts(checked, of_packs, packs), *regressions]


def _regressions(
    checked: Sequence[CheckedRow],
    packs: tuple[str, ...],
    earlier: Callable[[str | None], EarlierEvidence],
) -> tuple[list[StoredRow], list[Reason]]:
    """Return the rows of the first regression that counts, or the reasons why none does."""
    sweeps: dict[str, list[CheckedRow]] = {}
    for one in checked:
        if one.row.tier == "regression":
            sweeps.setdefault(one.row.sweep_id, []).append(one)
    focused = {one.row.sweep_id for one in checked if one.counts and one.row.tier == "focused"}
    reasons = []
    for sweep_id, rows in sorted(sweeps.items()):
        flaws = regression_flaws(rows, packs=packs, focused=focused)
        if flaws:
            reason: Reason | None = _regression_not_met(sweep_id, flaws, rows)
        elif all(one.row.experiment.earned_by is None for one in rows):
            reason = _not_the_first(sweep_id, rows[0].row, earlier)
        else:
            reason = None
        if reason is None:
            return [one.row for one in rows], []
        reasons.append(reason)
    return [], reasons


def _not_the_first(
    sweep_id: str, row: StoredRow, earlier: Callable[[str | None], EarlierEvidence]
) -> Reason | None:
    """Return why a regression that nothing earned does not count; None if it may be the first.

    Only history decides. The sweep's own record would say so in every fresh runs directory.
    """
    match earlier(row.parts.target):
        case EarlierEvidence.NONE:
            return None
        case EarlierEvidence.SOME:
            return _regression_not_earned(sweep_id, row)
        case EarlierEvidence.CUT:
            return _history_cut(sweep_id, row)


# Reasons.


def _no_evidence(other_runtimes: Sequence[StoredRow], policy: Policy) -> Reason:
    if not other_runtimes:
        return Reason(code="no-evidence", message="no experiment was recorded on this tree")
    wanted = "a runtime with an agent, not in_memory"
    if policy.gate.runtime is not None:
        wanted = quoted_list([policy.gate.runtime])
    runtime = policy.gate.runtime or RUNTIME_PLACEHOLDER
    seen = tuple(dict.fromkeys(row.parts.runtime or "unknown" for row in other_runtimes))
    return Reason(
        code="other-runtime",
        message=f"the policy asks for evidence against {wanted}; on this tree there is only "
        f"some against {quoted_list(seen)}",
        facts=seen,
        hints=tuple(dict.fromkeys(row.command(runtime) for row in other_runtimes))[:_SHOWN],
    )


def _failing_scenarios(rows: Sequence[StoredRow]) -> Reason:
    names = tuple(dict.fromkeys(row.name for row in rows))
    return Reason(
        code="failing-scenarios",
        message=f"failed on this tree, and no later or earlier pass of it counts: {quoted_list(names)}",
        facts=tuple(f"{row.name} in sweep {row.sweep_id}" for row in rows),
        hints=tuple(dict.fromkeys(row.command() for row in rows))[:_SHOWN],
    )


def _nothing_counts(
    checked: Sequence[CheckedRow], of_packs: Sequence[StoredRow], packs: tuple[str, ...]
) -> list[Reason]:
    if packs and not of_packs and any(one.counts for one in checked):
        seen = tuple(dict.fromkeys(one.row.pack or "unknown" for one in checked))
        options = [f"--pack={one_line(shlex.quote(pack))}" for pack in packs[:_SHOWN]]
        return [
            Reason(
                code="other-pack",
                message=f"the policy asks for evidence from {quoted_list(packs)}; on this tree there "
                f"is only some from {quoted_list(seen)}",
                facts=seen,
                hints=tuple(f"wt run {option} {DECLARATION_OPTIONS}" for option in options),
            )
        ]
    # Failing rows have a reason of their own.
    flawed = [one for one in checked if not one.counts and not one.row.fails]
    if not flawed:
        return []
    shown = [f"{quoted_list([one.row.name])}: {one.flaws[0]}" for one in flawed]
    return [
        Reason(
            code="nothing-counts",
            message="what was recorded on this tree does not count: "
            f"{shortened_list(shown, most=_SHOWN, between='; ')}",
            facts=tuple(f"{one.row.name}: {'; '.join(one.flaws)}" for one in flawed),
            hints=(flawed[0].row.command(),),
        )
    ]


def _regression_not_met(sweep_id: str, flaws: Sequence[str], rows: Sequence[CheckedRow]) -> Reason:
    return Reason(
        code="regression-not-met",
        message=f"regression {sweep_id} does not count: {'; '.join(flaws)}",
        facts=tuple(flaws),
        hints=(rows[0].row.command(),),
    )


def _no_regression(checked: Sequence[CheckedRow]) -> Reason:
    return Reason(
        code="no-regression",
        message="the policy asks for a regression, and on this tree there are only focused "
        "experiments and probes",
        facts=tuple(sorted({one.row.sweep_id for one in checked})),
        hints=(f"wt run --all-packs {DECLARATION_OPTIONS}",),
    )


def _regression_not_earned(sweep_id: str, row: StoredRow) -> Reason:
    return Reason(
        code="regression-not-earned",
        message=f"regression {sweep_id} was earned by no focused experiment, and it is not the first "
        "of its target: commits that this one builds on have evidence for "
        f"{quoted_list([row.parts.target or 'unknown'])}",
        facts=(sweep_id,),
        hints=(row.command(),),
    )


def _history_cut(sweep_id: str, row: StoredRow) -> Reason:
    return Reason(
        code="history-cut",
        message=f"regression {sweep_id} was earned by no focused experiment, and this clone does not "
        "reach back far enough to tell whether it is the first for "
        f"{quoted_list([row.parts.target or 'unknown'])}",
        facts=(sweep_id,),
        hints=("git fetch --unshallow", row.command()),
    )
