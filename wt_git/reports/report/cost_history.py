"""What finished sweeps cost, in the order in which they ended. Pure."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from wt_git.records.finished_sweeps import FinishedSweep, Review
from wt_git.records.report import SweepCost
from wt_git.reports.ladder.totals import ladder_results

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from wt_git.records.ladder_results import TierTotals

MOST_SWEEPS = 2_000
"""Of how many sweeps a report lists the cost: more make no better picture, and a longer page."""


class SweepHistory(NamedTuple):
    """The cost of the latest sweeps, the latest last; how many there are; the totals of all."""

    costs: list[SweepCost]
    sweeps: int
    tiers: dict[str, TierTotals] | None


def sweep_history(
    newest_first: Iterable[FinishedSweep | Review],
    labels: AbstractSet[str] = frozenset(),
    *,
    most: int = MOST_SWEEPS,
) -> SweepHistory:
    """Return what the sweeps under `labels` (none: all of them) cost, and their totals by tier.

    `newest_first` are the records of one experiments file, the last one first. `most`: so many of
    the latest are listed; the totals are those of all.
    """
    seen: set[str] = set()
    costs: deque[SweepCost] = deque()

    def watched() -> Iterator[FinishedSweep | Review]:
        for found in newest_first:
            if isinstance(found, FinishedSweep):
                if labels and found.label not in labels:
                    continue
                if found.sweep_id not in seen and len(costs) < most:
                    costs.appendleft(_cost(found))
                seen.add(found.sweep_id)
            yield found

    totals = ladder_results(watched(), "")
    return SweepHistory(list(costs), len(seen), None if totals is None else totals.tiers)


def _cost(sweep: FinishedSweep) -> SweepCost:
    dollars = None if sweep.spent is None else sweep.spent.total
    return SweepCost(
        sweep_id=sweep.sweep_id,
        ended_at=sweep.ts,
        tier=sweep.tier,
        label=sweep.label,
        wall_s=None if sweep.wall_s is None else float(sweep.wall_s),
        input_tokens=sweep.input_tokens,
        output_tokens=sweep.output_tokens,
        cost_usd=None if dollars is None else float(dollars),
        outcome=sweep.outcome,
        prediction_held=sweep.prediction_held,
    )
