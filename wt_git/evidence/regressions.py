"""Whether a regression on a tree is whole: every row counts, nothing left out, and it was earned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wt_git.naming import named

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from wt_git.evidence.stored_rows import StoredRow, StoredSweep


@dataclass(frozen=True, slots=True)
class Judged:
    """A row, the records of its sweep, and why it does not count.

    `thinned`: it is not about the very tree it was found under, but about that tree before what no
    experiment depends on was left out.
    """

    row: StoredRow
    sweeps: tuple[StoredSweep, ...]
    thinned: bool
    flaws: tuple[str, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.flaws

    def with_flaws(self, flaws: tuple[str, ...]) -> Judged:
        """Return the same row with what speaks against it."""
        return replace(self, flaws=flaws)


def regression_flaws(
    rows: Sequence[Judged], *, packs: Collection[str], focused: Collection[str]
) -> tuple[str, ...]:
    """Return why a regression, all its `rows` on one tree, does not count; empty when it may.

    `focused` are the sweeps with a counting focused row on the tree. A regression that names no
    sweep as having earned it passes here: whether it is the first of its target is asked later.
    """
    return tuple(_flaws(rows, packs, focused))


def _flaws(
    rows: Sequence[Judged], packs: Collection[str], focused: Collection[str]
) -> Iterator[str]:
    for one in rows:
        if not one.counts:
            yield f"{named([one.row.name])}: {one.flaws[0]}"
    yield from _incomplete(rows)
    if len({one.row.fingerprint for one in rows}) > 1:
        yield "its rows are about different states"
    excluded = sorted({name for one in rows for name in one.row.excluded_failing})
    if excluded:
        yield f"failing scenarios were left out of it: {named(excluded)}"
    lacking = sorted(set(packs) - {one.row.pack for one in rows})
    if lacking:
        yield f"it does not cover {named(lacking)}"
    earned_by = {one.row.earned_by for one in rows}
    if len(earned_by) > 1:
        yield "its rows disagree on what earned it"
    for sweep_id in sorted(one for one in earned_by if one is not None and one not in focused):
        yield f"{named([sweep_id])}, which it says earned it, has no focused row that counts here"


def _incomplete(rows: Sequence[Judged]) -> Iterator[str]:
    """Say what of the sweep has no row here: rows that were dropped would say nothing of it."""
    for sweep in {one.raw: one for judged in rows for one in judged.sweeps}.values():
        if sweep.errors or sweep.not_started:
            yield f"{sweep.errors + sweep.not_started} of its scenarios have no result"
        elif sweep.scenarios != len({one.row.identity for one in rows}):
            yield f"it selected {sweep.scenarios} scenarios, and {len(rows)} are recorded here"
        elif not sweep.passed:
            yield "it ended with a failure"
