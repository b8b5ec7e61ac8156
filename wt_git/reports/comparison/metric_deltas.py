"""How the metrics of shared scenarios moved. Pure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from wt_git.records.comparison import MetricDelta

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wt_git.records.comparison import MetricKind
    from wt_git.records.results import MetricTotals
    from wt_git.reports.comparison.shared_scenarios import Pair

Moved = int | float | dict[str, int] | None


def metric_deltas(shared: Iterable[Pair], baseline_label: str) -> Iterator[MetricDelta]:
    """Yield a delta for each metric that a pair reports under either label, by its name."""
    for one in shared:
        before, after = one.baseline.metrics, one.candidate.metrics
        for name in sorted({*before, *after}):
            kind, moved = _delta(before.get(name), after.get(name))
            yield MetricDelta(
                scenario_id=one.subject.scenario,
                baseline_label=baseline_label,
                label=one.label,
                metric=name,
                kind=kind,
                baseline=before.get(name),
                candidate=after.get(name),
                delta=moved,
                pack=one.subject.pack,
            )


class _Delta(NamedTuple):
    kind: MetricKind
    moved: Moved


def _delta(before: MetricTotals | None, after: MetricTotals | None) -> _Delta:
    if before is None or after is None:
        there = before if before is not None else after
        return _Delta("mixed" if there is None else there.kind, None)
    if before.kind != after.kind:
        return _Delta("mixed", None)
    if before.kind == "bool":
        return _Delta("bool", _less(after.rate, before.rate))
    if before.kind == "number":
        return _Delta("number", _less(after.mean, before.mean))
    counted, counts = before.counts or {}, after.counts or {}
    return _Delta(
        before.kind,
        {
            value: counts.get(value, 0) - counted.get(value, 0)
            for value in sorted({*counted, *counts})
        },
    )


def _less(after: float | None, before: float | None) -> float | None:
    """Return the difference; None where no number holds it."""
    if after is None or before is None:
        return None
    try:
        moved = after - before
    except OverflowError:  # an integer that no float holds, and a float
        return None
    return moved if isinstance(moved, int) or math.isfinite(moved) else None
