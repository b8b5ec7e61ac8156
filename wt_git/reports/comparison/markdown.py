"""The comment of `wt compare` on a pull request: Markdown, with text from outside escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.reports.comparison.text import (
    comparison_names,
    difference_text,
    metric_change_text,
    overall_finding_text,
    p_value_text,
    rate_finding_text,
)
from wt_git.reports.wording import left_out_list, markdown_table
from wt_git.text import markdown_text, quoted_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wt_git.records.documents.results import (
        ComparedScenario,
        Comparison,
        RateDelta,
        RateTotals,
    )

    Name = Callable[[str, str | None], str]

_LIMIT = 120
_TWO = 2
_MOST_ROWS = 60
"""A comment on GitHub holds 65536 characters."""


def comparison_markdown(found: Comparison, remarks: Sequence[str]) -> Iterator[str]:
    """Yield the lines; `remarks` are sentences about runs that were left out."""
    names = comparison_names(found)

    def name_of(scenario: str, pack: str | None) -> str:
        return markdown_text(names(scenario, pack), _LIMIT)

    yield _headline(found)
    yield ""
    left_out: list[str] = []
    yield from _scenario_lines(found, name_of, left_out)
    yield from _overall_lines(found)
    yield from _metric_lines(found, name_of, left_out)
    yield from left_out_list([*_new_scenarios(found), *left_out, *remarks])


def _headline(found: Comparison) -> str:
    worse = sum(one.direction == "regression" for one in found.changes)
    better = len(found.changes) - worse
    regressions = f"{worse} verdict regression(s)" if worse else "No verdict regression"
    also = f", {better} improvement(s)" if better else ""
    labels = ", ".join(markdown_text(label, _LIMIT) for label in found.labels[1:])
    return f"**{regressions}**{also}: {labels} against {markdown_text(found.baseline, _LIMIT)}"


def _scenario_lines(found: Comparison, name_of: Name, left_out: list[str]) -> Iterator[str]:
    """Yield the scenarios with runs under both labels, those whose verdict changed first."""
    changes = {(one.label, one.scenario_id, one.pack): at for at, one in enumerate(found.changes)}
    compared = {(one.scenario_id, one.pack): one for one in found.scenarios}

    def place(of: RateDelta) -> int:
        return changes.get((of.label, of.scenario_id, of.pack), len(changes))

    rows = [
        (
            name_of(one.scenario_id, one.pack),
            *_label_cell(found, one.label),
            _cell_text(compared[one.scenario_id, one.pack], found.baseline, one.baseline),
            _cell_text(compared[one.scenario_id, one.pack], one.label, one.candidate),
            *_difference_cells(one),
            _finding_text(found, place(one), one),
        )
        for one in sorted(found.pass_rates, key=place)
    ]
    if rows:
        heads = (*_heads(found), "Difference (95% interval)", "Adjusted p", "Finding")
        yield from markdown_table(heads, _first_rows(rows, "scenario(s)", left_out))
        yield ""


def _label_cell(found: Comparison, label: str) -> tuple[str, ...]:
    """Return the cell with the label; none where the table is about a single label."""
    return (markdown_text(label, _LIMIT),) if len(found.labels) > _TWO else ()


def _heads(found: Comparison) -> tuple[str, ...]:
    baseline, *others = (markdown_text(label, _LIMIT) for label in found.labels)
    if len(others) == 1:
        return ("Scenario", baseline, others[0])
    return ("Scenario", "Label", baseline, "With the label")


def _cell_text(one: ComparedScenario, label: str, of: RateTotals) -> str:
    verdict = markdown_text(one.verdicts[label] or "N/A", _LIMIT)
    invalid = f", {of.invalid} invalid" if of.invalid else ""
    marks = " (probe)" if one.tiers[label] == "probe" else ""
    marks += " (rescored)" if label in one.rescored else ""
    data = f", {of.data.text}" if of.data.text else ""
    return f"{verdict} {of.passed}/{of.runs}{invalid}{data}{marks}"


def _difference_cells(of: RateDelta) -> tuple[str, str]:
    if of.difference is None or of.interval is None or of.p_adjusted is None:
        return "", ""
    return difference_text(of.difference, of.interval), markdown_text(p_value_text(of.p_adjusted))


def _finding_text(found: Comparison, place: int, of: RateDelta) -> str:
    if place == len(found.changes):
        return rate_finding_text(of)
    change = found.changes[place]
    risk = f"risk {change.risk_a:.2f} to {change.risk_b:.2f}"
    return f"**{change.direction}**, {risk}; {rate_finding_text(of)}"


def _overall_lines(found: Comparison) -> Iterator[str]:
    for label, of in found.overall.items():
        if of is not None:
            yield (
                f"All {of.scenarios} scenario(s) of {markdown_text(label, _LIMIT)}, each counted "
                f"once: {difference_text(of.difference, of.interval)}, "
                f"p {markdown_text(p_value_text(of.p_value))}, {overall_finding_text(of)}."
            )
            yield ""


def _metric_lines(found: Comparison, name_of: Name, left_out: list[str]) -> Iterator[str]:
    """Yield the metrics that moved."""
    moved = [one for one in found.metric_deltas if one.baseline != one.candidate]
    rows = [
        (
            name_of(one.scenario_id, one.pack),
            *_label_cell(found, one.label),
            markdown_text(one.metric, _LIMIT),
            markdown_text(metric_change_text(one)),
        )
        for one in moved
    ]
    if rows:
        heads = ("Scenario", *_label_cell(found, "Label"), "Metric", "From the baseline")
        yield from markdown_table(heads, _first_rows(rows, "metric(s)", left_out))
        yield ""
    if len(moved) < len(found.metric_deltas):
        left_out.append(f"{len(found.metric_deltas) - len(moved)} metric(s) that did not move")


def _new_scenarios(found: Comparison) -> Iterator[str]:
    """Yield a sentence about the scenarios without runs under the baseline."""
    name_of = comparison_names(found)
    names = [
        name_of(one.scenario_id, one.pack)
        for one in found.scenarios
        if one.verdicts[found.baseline] is None
    ]
    if names:
        yield f"{len(names)} scenario(s) have no runs under '{found.baseline}': {quoted_list(names)}"


def _first_rows(
    rows: Sequence[tuple[str, ...]], what: str, left_out: list[str]
) -> Sequence[tuple[str, ...]]:
    if len(rows) > _MOST_ROWS:
        left_out.append(f"{len(rows) - _MOST_ROWS} more {what}, which `wt compare` shows")
    return rows[:_MOST_ROWS]
