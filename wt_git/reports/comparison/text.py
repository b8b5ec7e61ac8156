"""A comparison for people: verdicts, what changed, metrics, and whether pass rates differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.reports.comparison.words import (
    difference_words,
    metric_words,
    names_of,
    overall_finding,
    p_words,
    rate_finding,
)
from wt_git.text import log_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wt_git.records.comparison import (
        Comparison,
        OverallDelta,
        RateDelta,
        RateTotals,
        VerdictChange,
    )

    Name = Callable[[str, str | None], str]

_NAME_WIDTH, _NAME_LIMIT = 40, 120
_COLUMN_WIDTH, _LABEL_WIDTH, _LABEL_LIMIT = 16, 15, 80
_VERDICT_LIMIT = 30
_DIRECTION_WIDTH = 11


def comparison_lines(found: Comparison) -> Iterator[str]:
    """Yield the sections that have anything to say, an empty line between them."""
    names = names_of(found)

    def shown(scenario: str, pack: str | None) -> str:
        return f"{log_line(names(scenario, pack), _NAME_LIMIT):<{_NAME_WIDTH}}"

    yield from _verdicts(found, shown)
    if found.changes:
        yield ""
        yield "Risk-ranked changes:"
        yield from (_change(one, found.baseline, names) for one in found.changes)
    if found.metric_deltas:
        yield ""
        yield f"Metric deltas (vs {_label(found.baseline)}):"
        yield from _metrics(found, shown)
    if found.pass_rates:
        yield ""
        yield f"Pass rates (vs {_label(found.baseline)}):"
        yield from _rates(found, shown)


def _label(label: str) -> str:
    return log_line(label, _LABEL_LIMIT)


def _verdicts(found: Comparison, shown: Name) -> Iterator[str]:
    rows = [
        [log_line(one.verdicts[label] or "N/A", _VERDICT_LIMIT) for label in found.labels]
        for one in found.scenarios
    ]
    heads = [_label(label) for label in found.labels]
    widths = [max(_COLUMN_WIDTH, *map(len, column)) for column in zip(heads, *rows, strict=True)]
    names = [shown(one.scenario_id, one.pack) for one in found.scenarios]
    for name, cells in zip([f"{'Scenario':<{_NAME_WIDTH}}", *names], [heads, *rows], strict=True):
        padded = (f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))
        yield f"{name} {' '.join(padded)}".rstrip()


def _change(of: VerdictChange, baseline: str, names: Name) -> str:
    before, after = (log_line(verdict, _VERDICT_LIMIT) for verdict in (of.verdict_a, of.verdict_b))
    return (
        f"  {of.direction.upper():<{_DIRECTION_WIDTH}} "
        f"{log_line(names(of.scenario_id, of.pack), _NAME_LIMIT)} "
        f"({_label(baseline)}={before} -> {_label(of.label)}={after}, "
        f"risk {of.risk_a:.2f} -> {of.risk_b:.2f})"
    )


def _metrics(found: Comparison, shown: Name) -> Iterator[str]:
    metrics = [log_line(one.metric, _NAME_LIMIT) for one in found.metric_deltas]
    width = max(map(len, metrics))
    for one, metric in zip(found.metric_deltas, metrics, strict=True):
        place = f"{_label(one.label):<{_LABEL_WIDTH}} {shown(one.scenario_id, one.pack)}"
        yield f"  {place} {metric:<{width}}  {metric_words(one)}"


def _rates(found: Comparison, shown: Name) -> Iterator[str]:
    """Yield the scenarios of each label, and then all of them together."""
    by_label: dict[str, list[RateDelta]] = {label: [] for label in found.labels[1:]}
    for one in found.pass_rates:
        by_label[one.label].append(one)
    for label, of_label in by_label.items():
        place = f"{_label(label):<{_LABEL_WIDTH}}"
        for one in of_label:
            yield f"  {place} {shown(one.scenario_id, one.pack)} {_rate(one)}"
        overall = found.overall.get(label)
        if overall is not None:
            yield f"  {place} {_overall(overall)}"


def _rate(of: RateDelta) -> str:
    told = f"{_passes(of.baseline)} -> {_passes(of.candidate)}"
    if of.difference is None or of.interval is None or of.p_adjusted is None:
        return f"{told}  {rate_finding(of)}"
    moved = difference_words(of.difference, of.interval)
    return f"{told}  {moved}  adjusted p {p_words(of.p_adjusted)}  {rate_finding(of)}"


def _passes(of: RateTotals) -> str:
    """Return how many of the valid runs passed, and how many were not valid."""
    invalid = f" and {of.invalid} invalid" if of.invalid else ""
    rate = (
        "no valid runs" if of.pass_rate is None else f"{of.pass_rate:.0%} ({of.passed}/{of.runs})"
    )
    return f"{rate}{invalid}"


def _overall(of: OverallDelta) -> str:
    every = f"all {of.scenarios} scenario(s), each counted once"
    moved = difference_words(of.difference, of.interval)
    return f"{every:<{_NAME_WIDTH}} mean {moved}  p {p_words(of.p_value)}  {overall_finding(of)}"
