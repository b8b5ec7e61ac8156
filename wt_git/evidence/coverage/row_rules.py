"""Whether one row counts, whether a regression counts, and if not, why.

The rules are listed in docs/evidence-in-git.md, "What counts".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wt_git.evidence.coverage.stored_rows import is_inside
from wt_git.text import quoted_list

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from wt_git.evidence.coverage.stored_rows import StoredRow, StoredSweep
    from wt_git.evidence.policy import Policy
    from wt_git.git.path_patterns import PathPatterns

COUNTING_TIERS = ("focused", "regression")


class CheckedRow(msgspec.Struct, frozen=True):
    """A row, the records of its sweep (normally one), and why the row does not count.

    `thinned`: the row was found under its tree without the paths in `not_under_test`.
    """

    row: StoredRow
    sweeps: tuple[StoredSweep, ...]
    thinned: bool
    flaws: tuple[str, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether the row has no flaw."""
        return not self.flaws


def row_flaws(
    row: StoredRow,
    sweeps: Sequence[StoredSweep],
    policy: Policy,
    *,
    left_out: PathPatterns | None = None,
) -> tuple[str, ...]:
    """Return why `row` does not count, each reason in a few words; empty if it does.

    `left_out` are the paths that the tree lacks under which the row was found.
    """
    return tuple(_row_flaws(row, sweeps, policy, left_out))


def _row_flaws(
    row: StoredRow, sweeps: Sequence[StoredSweep], policy: Policy, left_out: PathPatterns | None
) -> Iterator[str]:
    if not row.passes:
        yield _verdict(row)
    yield from _end_of_sweep(row, sweeps)
    if row.tier not in COUNTING_TIERS:
        yield f"its tier is {quoted_list([row.tier])}"
    if not policy.allows_model(row.tier, row.parts.model):
        model, allowed = row.parts.model or "unknown", policy.models.get(row.tier, ())
        yield f"{quoted_list([model])} is no model for {row.tier}: {quoted_list(allowed)}"
    yield from _unlike_the_tree(row)
    if row.pack not in policy.gate.packs:
        outside = [
            name for name, path in row.experiment.sources.items() if not _is_in_tree(path, left_out)
        ]
        if outside:
            yield f"not in the tree: {quoted_list(outside)}"


def _end_of_sweep(row: StoredRow, sweeps: Sequence[StoredSweep]) -> Iterator[str]:
    if not sweeps:
        yield "there is no record of how its sweep ended"
    elif not all(one.completed for one in sweeps):
        yield "its sweep did not run to its end"
    if row.experiment.interrupted:
        yield "it was interrupted"
    if row.data.is_partial:
        yield f"only {row.data.runs} of its {row.data.of} runs are data"
    if row.experiment.budget_exhausted or any(one.budget_exhausted for one in sweeps):
        yield "its sweep was cut by its budget"


def _unlike_the_tree(row: StoredRow) -> Iterator[str]:
    """Name the files that the agent ran with, and that differed from the tree."""
    if row.experiment.snapshot.absent:
        yield f"in the tree and not on disk: {quoted_list(row.experiment.snapshot.absent)}"
    if row.experiment.snapshot.dirty_submodules:
        yield f"submodules with uncommitted changes: {quoted_list(row.experiment.snapshot.dirty_submodules)}"
    if row.experiment.snapshot.hidden_edits:
        yield f"edited, and git was told to pass over them: {quoted_list(row.experiment.snapshot.hidden_edits)}"


def _verdict(row: StoredRow) -> str:
    if row.verdict.startswith("PASS") and row.passed == 0:
        return f"none of its {row.runs} runs passed"
    counted = ", and it counts as a failure" if row.experiment.counts_as_failure else ""
    return f"its verdict is {quoted_list([row.verdict])}{counted}"


def _is_in_tree(path: str, left_out: PathPatterns | None) -> bool:
    if not is_inside(path):
        return False
    return left_out is None or not left_out.match(path.encode("utf-8", "surrogateescape"))


def regression_flaws(
    rows: Sequence[CheckedRow], *, packs: Collection[str], focused: Collection[str]
) -> tuple[str, ...]:
    """Return why a regression with these `rows` on one tree does not count; empty if it may.

    `focused` are the sweeps with a counting focused row on the tree. A regression that nothing
    earned has no flaw here: the caller checks whether it is the first of its target.
    """
    return tuple(_regression_flaws(rows, packs, focused))


def _regression_flaws(
    rows: Sequence[CheckedRow], packs: Collection[str], focused: Collection[str]
) -> Iterator[str]:
    for one in rows:
        if not one.counts:
            yield f"{quoted_list([one.row.name])}: {one.flaws[0]}"
    yield from _incomplete(rows)
    if len({one.row.fingerprint for one in rows}) > 1:
        yield "its rows are about different states"
    excluded = sorted({name for one in rows for name in one.row.experiment.excluded_failing})
    if excluded:
        yield f"failing scenarios were left out of it: {quoted_list(excluded)}"
    missing = sorted(set(packs) - {one.row.pack for one in rows})
    if missing:
        yield f"it does not cover {quoted_list(missing)}"
    earned_by = {one.row.experiment.earned_by for one in rows}
    if len(earned_by) > 1:
        yield "its rows disagree on what earned it"
    for sweep_id in sorted(one for one in earned_by if one is not None and one not in focused):
        yield f"{quoted_list([sweep_id])}, which it says earned it, has no focused row that counts here"


def _incomplete(rows: Sequence[CheckedRow]) -> Iterator[str]:
    """Compare the rows with the sweep's record, which also knows of rows that were removed."""
    recorded = len({one.row.identity for one in rows})
    for sweep in {record.raw: record for one in rows for record in one.sweeps}.values():
        if sweep.errors or sweep.not_started:
            yield f"{sweep.errors + sweep.not_started} of its scenarios have no result"
        elif sweep.scenarios != recorded:
            yield f"it selected {sweep.scenarios} scenarios, and {recorded} are recorded here"
        elif not sweep.passed:
            yield "it ended with a failure"
