"""Whether one row counts, and if not, why: the rules that look at nothing but the row and its sweep.

docs/evidence-in-git.md, "What counts", has them as a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.evidence.stored_rows import is_inside
from wt_git.naming import named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wt_git.evidence.policy import Policy
    from wt_git.evidence.stored_rows import StoredRow, StoredSweep
    from wt_git.git.path_patterns import PathPatterns

COUNTING_TIERS = ("focused", "regression")


def flaws(
    row: StoredRow,
    sweeps: Sequence[StoredSweep],
    policy: Policy,
    *,
    left_out: PathPatterns | None = None,
) -> tuple[str, ...]:
    """Return why `row` does not count, each in a few words; empty when it does.

    `sweeps` are the records of its sweep; normally one. `left_out` are the paths that are not in the
    tree under which the row was found.
    """
    return tuple(_flaws(row, sweeps, policy, left_out))


def _flaws(
    row: StoredRow, sweeps: Sequence[StoredSweep], policy: Policy, left_out: PathPatterns | None
) -> Iterator[str]:
    if not row.passes:
        yield _verdict(row)
    yield from _of_the_sweep(row, sweeps)
    if row.tier not in COUNTING_TIERS:
        yield f"its tier is {named([row.tier])}"
    if not policy.allows_model(row.tier, row.parts.model):
        allowed = named(policy.models.get(row.tier, ()))
        yield f"{named([row.parts.model or 'unknown'])} is no model for {row.tier}: {allowed}"
    yield from _unseen(row)
    if row.pack not in policy.gate.packs:
        outside = [name for name, path in row.sources.items() if not _is_in_tree(path, left_out)]
        if outside:
            yield f"not in the tree: {named(outside)}"


def _verdict(row: StoredRow) -> str:
    if row.verdict.startswith("PASS") and row.passed == 0:
        return f"none of its {row.runs} runs passed"
    return f"its verdict is {named([row.verdict])}" + (
        ", and it counts as a failure" if row.counts_as_failure else ""
    )


def _of_the_sweep(row: StoredRow, sweeps: Sequence[StoredSweep]) -> Iterator[str]:
    if not sweeps:
        yield "there is no record of how its sweep ended"
    elif not all(one.completed for one in sweeps):
        yield "its sweep did not run to its end"
    if row.interrupted:
        yield "it was interrupted"
    if row.budget_exhausted or any(one.budget_exhausted for one in sweeps):
        yield "its sweep was cut by its budget"


def _unseen(row: StoredRow) -> Iterator[str]:
    """Say what was not as the tree has it while the experiment ran."""
    if row.absent:
        yield f"in the tree and not on disk: {named(row.absent)}"
    if row.dirty_submodules:
        yield f"submodules with uncommitted changes: {named(row.dirty_submodules)}"
    if row.hidden_edits:
        yield f"edited, and git was told to pass over them: {named(row.hidden_edits)}"


def _is_in_tree(path: str, left_out: PathPatterns | None) -> bool:
    if not is_inside(path):
        return False
    return left_out is None or not left_out.match(path.encode("utf-8", "surrogateescape"))
