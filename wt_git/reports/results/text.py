"""Results for people: a line for each scenario, a line for each of its metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.naming import told_apart
from wt_git.reports.metric_text import metric_text
from wt_git.reports.rate_text import experiment_words, interval_text
from wt_git.text import log_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wt_git.records.results import Results, ScenarioTotals

_NAME_WIDTH, _NAME_LIMIT = 40, 120
_VERDICT_WIDTH, _VERDICT_LIMIT = 18, 30
_VALUE_LIMIT = 60
_LABEL_LIMIT = 80


def result_lines(found: Results) -> list[str]:
    """Return the lines of the labels that have any, an empty one between two of them."""
    by_label: dict[str, list[ScenarioTotals]] = {}
    for one in found.results:
        by_label.setdefault(one.label, []).append(one)
    lines: list[str] = []
    for label, of_label in by_label.items():
        if lines:
            lines.append("")
        runs = sum(one.runs for one in of_label)
        heading = (
            f"label {log_line(label, _LABEL_LIMIT)}: {len(of_label)} scenario(s), {runs} run(s)"
        )
        lines += [f"{heading} under {log_line(found.runs_dir)}", *_scenarios(of_label)]
    return lines


def _scenarios(of_label: Sequence[ScenarioTotals]) -> Iterator[str]:
    name_of = told_apart(one.scenario_id for one in of_label)
    for one in of_label:
        name = name_of(one.scenario_id, one.pack)
        verdict = log_line(one.verdict, _VERDICT_LIMIT)
        invalid = f", {one.invalid} invalid" if one.invalid else ""
        yield (
            f"  {log_line(name, _NAME_LIMIT):<{_NAME_WIDTH}} {verdict:<{_VERDICT_WIDTH}} "
            f"{one.passed}/{one.runs} pass ({one.pass_rate:.0%}){invalid}{_behind(one)}"
            f"  [{about(one)}]"
        )
        yield from _metrics(one)
        for layer in one.diagnostic_failures:
            yield f"    {layer} failed; it is diagnostic here and decides nothing"


def _behind(one: ScenarioTotals) -> str:
    """Return what the pass rate says about the agent: its interval, and runs in a row."""
    if one.interval is None:
        return ""
    valid = one.runs - one.invalid
    of = f" of {valid} valid run(s)" if one.invalid else ""
    said = f"  {interval_text(one.interval)} ({one.interval.confidence:.0%} interval{of})"
    if one.pass_hat_k is None or one.pass_hat_k.k == 1:
        return said
    return f"{said}, pass^{one.pass_hat_k.k} {one.pass_hat_k.value:.0%}"


def about(one: ScenarioTotals) -> str:
    """Return which experiment the line rests on, and what a reader must know about that."""
    parts = [log_line(word, _VALUE_LIMIT) for word in experiment_words(one.tier, one.selection)]
    if one.budget_exhausted:
        parts.append("cut by its budget")
    if one.interrupted:
        parts.append("interrupted")
    if one.counts_as_failure and one.verdict.startswith("PASS"):
        parts.append("counted as a failure")
    if one.rescored:
        parts.append("rescored")
    return ", ".join(parts)


def _metrics(one: ScenarioTotals) -> Iterator[str]:
    shown = {log_line(name, _NAME_LIMIT): of for name, of in one.metrics.items()}
    width = max(map(len, shown), default=0)
    for name, of in shown.items():
        yield f"    {name:<{width}}  {metric_text(of)}"
