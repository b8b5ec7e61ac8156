"""The words of a comparison that its text and its Markdown share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.naming import told_apart
from wt_git.reports.metric_text import metric_text, number_text, value_text
from wt_git.stats.planning import SMALLEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.records.comparison import Comparison, MetricDelta, OverallDelta, RateDelta
    from wt_git.records.pass_rates import IntervalTotals
    from wt_git.records.results import MetricTotals

_NOISE = 1e-12
_SMALL_P = 0.001


def names_of(found: Comparison) -> Callable[[str, str | None], str]:
    """Return what names a scenario: with its pack where another one has such a scenario too."""
    return told_apart(one.scenario_id for one in found.scenarios)


def metric_words(of: MetricDelta) -> str:
    """Return how a metric moved."""
    before, after, moved = of.baseline, of.candidate, of.delta
    if before is None or after is None or before.kind != after.kind:
        return f"{_summary(before)} -> {_summary(after)}"
    if before.rate is not None and after.rate is not None:
        return f"rate {before.rate:.0%} -> {after.rate:.0%} ({points(after.rate - before.rate)})"
    if before.mean is not None and after.mean is not None:
        told = f"mean {number_text(before.mean)} -> {number_text(after.mean)}"
        if isinstance(moved, dict) or moved is None:
            return told
        return f"{told} ({_signed(moved, near=after.mean)})"
    counts = moved.items() if isinstance(moved, dict) else ()
    told = ", ".join(f"{value_text(value)} {count:+d}" for value, count in counts if count)
    return f"{_counts(before)} -> {_counts(after)} ({told or 'no change'})"


def _summary(of: MetricTotals | None) -> str:
    return "absent" if of is None else metric_text(of)


def _counts(of: MetricTotals) -> str:
    return ", ".join(f"{value_text(value)}={count}" for value, count in (of.counts or {}).items())


def _signed(moved: float, *, near: float) -> str:
    """Return a difference with its sign; one that only rounding made is none."""
    if moved == 0 or (not isinstance(moved, int) and abs(moved) <= _NOISE * abs(near)):
        return "+0"
    return number_text(moved) if moved < 0 else f"+{number_text(moved)}"


def points(difference: float) -> str:
    """Return a difference of rates in percentage points, with its sign."""
    return f"{round(difference * 100):+d}pp"


def difference_words(difference: float, interval: IntervalTotals) -> str:
    """Return a difference of pass rates with its interval."""
    return f"{points(difference)} ({round(interval.low * 100):+d} to {points(interval.high)})"


def p_words(p_value: float) -> str:
    """Return a p-value, or that it is very small."""
    return f"<{_SMALL_P}" if p_value < _SMALL_P else f"{p_value:.2g}"


def rate_finding(of: RateDelta) -> str:
    """Return what the runs of one scenario show."""
    if of.finding != "cannot_tell":
        return _TOLD[of.finding]
    before, after = of.baseline.runs, of.candidate.runs
    if before != after:
        there, each = f"{before} and {after} runs", " of each"
    else:
        there, each = f"{before} run{'s' * (before > 1)}", ""
    return f"cannot tell with {there}; about {of.runs_needed}{each} would{_seeing(of)}"


def _seeing(of: RateDelta | OverallDelta) -> str:
    """Return which difference was planned for, where it is not the one that was seen."""
    planned, seen = of.planned_difference, of.difference
    if planned is None or seen is None or planned <= abs(seen):
        return ""
    return f" see {planned * 100:.0f}pp"


def overall_finding(of: OverallDelta) -> str:
    """Return what all scenarios show together."""
    if of.finding != "cannot_tell":
        return _TOLD[of.finding]
    needed = f"{of.scenarios_needed} would{_seeing(of)}"
    return f"cannot tell with {of.scenarios} scenario(s); about {needed}"


_TOLD = {
    "better": "passes more often",
    "worse": "passes less often",
    "alike": f"no difference of {SMALLEST * 100:.0f}pp or more",
    "no_valid_runs": "no valid runs to compare",
}
