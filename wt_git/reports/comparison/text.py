"""A comparison as text: verdicts, changes, metrics, and whether pass rates differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.reports.wording import metric_text, number_text, value_text
from wt_git.stats.comparison import SMALLEST
from wt_git.text import log_line, scenario_namer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wt_git.records.documents.document import IntervalTotals
    from wt_git.records.documents.results import (
        Comparison,
        MetricDelta,
        MetricTotals,
        OverallDelta,
        RateDelta,
        RateTotals,
        VerdictChange,
    )

    Name = Callable[[str, str | None], str]

_NOISE = 1e-12
_SMALL_P = 0.001
_NAME_WIDTH, _NAME_LIMIT = 40, 120
_COLUMN_WIDTH, _LABEL_WIDTH, _LABEL_LIMIT = 16, 15, 80
_VERDICT_LIMIT = 30
_DIRECTION_WIDTH = 11
_FINDING_TEXT = {
    "better": "passes more often",
    "worse": "passes less often",
    "alike": f"no difference of {SMALLEST * 100:.0f}pp or more",
    "no_valid_runs": "no valid runs to compare",
}


def comparison_names(found: Comparison) -> Callable[[str, str | None], str]:
    """Return a function that names a scenario, with its pack where two packs have one of the name."""
    return scenario_namer(one.scenario_id for one in found.scenarios)


def metric_change_text(of: MetricDelta) -> str:
    """Return the change of a metric."""
    before, after, moved = of.baseline, of.candidate, of.delta
    if before is None or after is None or before.kind != after.kind:
        return f"{_metric_or_absent(before)} -> {_metric_or_absent(after)}"
    if before.rate is not None and after.rate is not None:
        return f"rate {before.rate:.0%} -> {after.rate:.0%} ({percentage_points(after.rate - before.rate)})"
    if before.mean is not None and after.mean is not None:
        means = f"mean {number_text(before.mean)} -> {number_text(after.mean)}"
        if isinstance(moved, dict) or moved is None:
            return means
        return f"{means} ({_signed_text(moved, near=after.mean)})"
    counts = moved.items() if isinstance(moved, dict) else ()
    changes = ", ".join(f"{value_text(value)} {count:+d}" for value, count in counts if count)
    return f"{_counts_text(before)} -> {_counts_text(after)} ({changes or 'no change'})"


def _metric_or_absent(of: MetricTotals | None) -> str:
    return "absent" if of is None else metric_text(of)


def _counts_text(of: MetricTotals) -> str:
    return ", ".join(f"{value_text(value)}={count}" for value, count in (of.counts or {}).items())


def _signed_text(moved: float, *, near: float) -> str:
    """Return a difference with its sign; a rounding error counts as none."""
    if moved == 0 or (not isinstance(moved, int) and abs(moved) <= _NOISE * abs(near)):
        return "+0"
    return number_text(moved) if moved < 0 else f"+{number_text(moved)}"


def percentage_points(difference: float) -> str:
    """Return a difference of rates in percentage points, with its sign."""
    return f"{round(difference * 100):+d}pp"


def difference_text(difference: float, interval: IntervalTotals) -> str:
    """Return a difference of pass rates with its interval."""
    return f"{percentage_points(difference)} ({round(interval.low * 100):+d} to {percentage_points(interval.high)})"


def p_value_text(p_value: float) -> str:
    """Return a p-value; `<0.001` for a smaller one."""
    return f"<{_SMALL_P}" if p_value < _SMALL_P else f"{p_value:.2g}"


def rate_finding_text(of: RateDelta) -> str:
    """Return the finding about one scenario in words."""
    if of.finding != "cannot_tell":
        return _FINDING_TEXT[of.finding]
    before, after = of.baseline.runs, of.candidate.runs
    if before != after:
        runs, each = f"{before} and {after} runs", " of each"
    else:
        runs, each = f"{before} run{'s' * (before > 1)}", ""
    return f"cannot tell with {runs}; about {of.runs_needed}{each} would{_planned_text(of)}"


def _planned_text(of: RateDelta | OverallDelta) -> str:
    """Return the planned difference, where it is larger than the one that was seen."""
    planned, seen = of.planned_difference, of.difference
    if planned is None or seen is None or planned <= abs(seen):
        return ""
    return f" see {planned * 100:.0f}pp"


def overall_finding_text(of: OverallDelta) -> str:
    """Return the finding about all scenarios together in words."""
    if of.finding != "cannot_tell":
        return _FINDING_TEXT[of.finding]
    needed = f"{of.scenarios_needed} would{_planned_text(of)}"
    return f"cannot tell with {of.scenarios} scenario(s); about {needed}"


def comparison_lines(found: Comparison) -> Iterator[str]:
    """Yield the sections that are not empty, with an empty line between them."""
    names = comparison_names(found)

    def shown(scenario: str, pack: str | None) -> str:
        return f"{log_line(names(scenario, pack), _NAME_LIMIT):<{_NAME_WIDTH}}"

    yield from _verdict_lines(found, shown)
    if found.changes:
        yield ""
        yield "Risk-ranked changes:"
        yield from (_change_line(one, found.baseline, names) for one in found.changes)
    if found.metric_deltas:
        yield ""
        yield f"Metric deltas (vs {_label_text(found.baseline)}):"
        yield from _metric_lines(found, shown)
    if found.pass_rates:
        yield ""
        yield f"Pass rates (vs {_label_text(found.baseline)}):"
        yield from _rate_lines(found, shown)


def _label_text(label: str) -> str:
    return log_line(label, _LABEL_LIMIT)


def _verdict_lines(found: Comparison, shown: Name) -> Iterator[str]:
    rows = [
        [log_line(one.verdicts[label] or "N/A", _VERDICT_LIMIT) for label in found.labels]
        for one in found.scenarios
    ]
    heads = [_label_text(label) for label in found.labels]
    widths = [max(_COLUMN_WIDTH, *map(len, column)) for column in zip(heads, *rows, strict=True)]
    names = [shown(one.scenario_id, one.pack) for one in found.scenarios]
    for name, cells in zip([f"{'Scenario':<{_NAME_WIDTH}}", *names], [heads, *rows], strict=True):
        padded = (f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))
        yield f"{name} {' '.join(padded)}".rstrip()


def _change_line(of: VerdictChange, baseline: str, names: Name) -> str:
    before, after = (log_line(verdict, _VERDICT_LIMIT) for verdict in (of.verdict_a, of.verdict_b))
    return (
        f"  {of.direction.upper():<{_DIRECTION_WIDTH}} "
        f"{log_line(names(of.scenario_id, of.pack), _NAME_LIMIT)} "
        f"({_label_text(baseline)}={before} -> {_label_text(of.label)}={after}, "
        f"risk {of.risk_a:.2f} -> {of.risk_b:.2f})"
    )


def _metric_lines(found: Comparison, shown: Name) -> Iterator[str]:
    metrics = [log_line(one.metric, _NAME_LIMIT) for one in found.metric_deltas]
    width = max(map(len, metrics))
    for one, metric in zip(found.metric_deltas, metrics, strict=True):
        place = f"{_label_text(one.label):<{_LABEL_WIDTH}} {shown(one.scenario_id, one.pack)}"
        yield f"  {place} {metric:<{width}}  {metric_change_text(one)}"


def _rate_lines(found: Comparison, shown: Name) -> Iterator[str]:
    """Yield the scenarios of each label, and then all of them together."""
    by_label: dict[str, list[RateDelta]] = {label: [] for label in found.labels[1:]}
    for one in found.pass_rates:
        by_label[one.label].append(one)
    for label, of_label in by_label.items():
        place = f"{_label_text(label):<{_LABEL_WIDTH}}"
        for one in of_label:
            yield f"  {place} {shown(one.scenario_id, one.pack)} {_rate_text(one)}"
        overall = found.overall.get(label)
        if overall is not None:
            yield f"  {place} {_overall_text(overall)}"


def _rate_text(of: RateDelta) -> str:
    rates = f"{_passes_text(of.baseline)} -> {_passes_text(of.candidate)}"
    if of.difference is None or of.interval is None or of.p_adjusted is None:
        return f"{rates}  {rate_finding_text(of)}"
    moved = difference_text(of.difference, of.interval)
    return f"{rates}  {moved}  adjusted p {p_value_text(of.p_adjusted)}  {rate_finding_text(of)}"


def _passes_text(of: RateTotals) -> str:
    """Return how many of the valid runs passed, and how many were not valid."""
    invalid = f" and {of.invalid} invalid" if of.invalid else ""
    rate = (
        "no valid runs" if of.pass_rate is None else f"{of.pass_rate:.0%} ({of.passed}/{of.runs})"
    )
    return f"{rate}{invalid}{', ' if of.data.text else ''}{of.data.text}"


def _overall_text(of: OverallDelta) -> str:
    every = f"all {of.scenarios} scenario(s), each counted once"
    moved = difference_text(of.difference, of.interval)
    return f"{every:<{_NAME_WIDTH}} mean {moved}  p {p_value_text(of.p_value)}  {overall_finding_text(of)}"
