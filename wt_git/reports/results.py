"""`wt results`: its document, its lines for the terminal, and its Markdown for a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wt_git.records.documents.results import Results
from wt_git.reports.run_groups.load import load_groups
from wt_git.reports.run_groups.totals import scenario_totals
from wt_git.reports.wording import (
    experiment_parts,
    interval_text,
    left_out_list,
    markdown_table,
    metric_text,
)
from wt_git.text import log_line, markdown_text, scenario_namer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from wt_git.records.documents.results import ScenarioTotals

_NAME_WIDTH, _NAME_LIMIT = 40, 120
_VERDICT_WIDTH, _VERDICT_LIMIT = 18, 30
_VALUE_LIMIT = 60
_LABEL_LIMIT = 80
_LIMIT = 120
_MOST_ROWS = 100
"""In the table of a label; a comment on GitHub holds 65536 characters."""
_MOST_METRICS = 6


class LoadedResults(NamedTuple):
    """The results, and sentences about runs that they leave out."""

    document: Results
    remarks: tuple[str, ...]


def load_results(
    runs_dir: Path, labels: Sequence[str] = (), scenarios: Sequence[str] = ()
) -> LoadedResults:
    """Return the totals of the runs that `load_groups` finds. Raises `UsageError` as it does."""
    loaded = load_groups(runs_dir, labels, scenarios)
    document = Results(
        runs_dir=str(runs_dir),
        labels=list(loaded.labels),
        results=[scenario_totals(one) for one in loaded.groups],
    )
    return LoadedResults(document, loaded.remarks)


def result_lines(found: Results) -> list[str]:
    """Return the lines of each label, with an empty line between two labels."""
    lines: list[str] = []
    for label, of_label in _by_label(found).items():
        if lines:
            lines.append("")
        runs = sum(one.runs for one in of_label)
        heading = (
            f"label {log_line(label, _LABEL_LIMIT)}: {len(of_label)} scenario(s), {runs} run(s)"
        )
        lines += [f"{heading} under {log_line(found.runs_dir)}", *_scenario_lines(of_label)]
    return lines


def _by_label(found: Results) -> dict[str, list[ScenarioTotals]]:
    by_label: dict[str, list[ScenarioTotals]] = {}
    for one in found.results:
        by_label.setdefault(one.label, []).append(one)
    return by_label


def _scenario_lines(of_label: Sequence[ScenarioTotals]) -> Iterator[str]:
    name_of = scenario_namer(one.scenario_id for one in of_label)
    for one in of_label:
        name = name_of(one.scenario_id, one.pack)
        verdict = log_line(one.verdict, _VERDICT_LIMIT)
        invalid = f", {one.invalid} invalid" if one.invalid else ""
        yield (
            f"  {log_line(name, _NAME_LIMIT):<{_NAME_WIDTH}} {verdict:<{_VERDICT_WIDTH}} "
            f"{one.passed}/{one.runs} pass ({one.pass_rate:.0%}){invalid}{_data(one)}"
            f"{_certainty_text(one)}"
            f"  [{experiment_text(one)}]"
        )
        yield from _metric_lines(one)
        for layer in one.diagnostic_failures:
            yield f"    {layer} failed; it is diagnostic here and decides nothing"


def _data(one: ScenarioTotals) -> str:
    return f", {one.data.text}" if one.data.text else ""


def _certainty_text(one: ScenarioTotals) -> str:
    """Return the interval of the pass rate, and the chance of several passes in a row."""
    if one.interval is None:
        return ""
    valid = one.runs - one.invalid
    of = f" of {valid} valid run(s)" if one.invalid else ""
    interval = f"  {interval_text(one.interval)} ({one.interval.confidence:.0%} interval{of})"
    if one.pass_hat_k is None or one.pass_hat_k.k == 1:
        return interval
    return f"{interval}, pass^{one.pass_hat_k.k} {one.pass_hat_k.value:.0%}"


def experiment_text(one: ScenarioTotals) -> str:
    """Return the experiment behind a line, and reasons to read it with care."""
    parts = [log_line(word, _VALUE_LIMIT) for word in experiment_parts(one.tier, one.selection)]
    if one.budget_exhausted:
        parts.append("cut by its budget")
    if one.interrupted:
        parts.append("interrupted")
    if one.counts_as_failure and one.verdict.startswith("PASS"):
        parts.append("counted as a failure")
    if one.rescored:
        parts.append("rescored")
    return ", ".join(parts)


def _metric_lines(one: ScenarioTotals) -> Iterator[str]:
    shown = {log_line(name, _NAME_LIMIT): of for name, of in one.metrics.items()}
    width = max(map(len, shown), default=0)
    for name, of in shown.items():
        yield f"    {name:<{width}}  {metric_text(of)}"


def results_markdown(found: Results, remarks: Sequence[str]) -> Iterator[str]:
    """Yield the lines; `remarks` are sentences about runs that were left out."""
    left_out: list[str] = []
    for label, of_label in _by_label(found).items():
        runs = sum(one.runs for one in of_label)
        shown = markdown_text(label, _LIMIT)
        yield (
            f"**{shown}**: {len(of_label)} scenario(s), {runs} run(s) "
            f"under {markdown_text(found.runs_dir, _LIMIT)}"
        )
        yield ""
        yield from markdown_table(_table_heads(of_label), _table_rows(of_label[:_MOST_ROWS]))
        yield ""
        left_out += _cut_remarks(label, of_label)
    yield from left_out_list([*left_out, *remarks])


def _table_heads(of_label: Sequence[ScenarioTotals]) -> tuple[str, ...]:
    metrics = ("Metrics",) if _have_metrics(of_label) else ()
    return ("Scenario", "Verdict", "Passed", "95% interval", "In a row", *metrics, "Rests on")


def _have_metrics(of_label: Sequence[ScenarioTotals]) -> bool:
    return any(one.metrics for one in of_label[:_MOST_ROWS])


def _table_rows(of_label: Sequence[ScenarioTotals]) -> Iterator[tuple[str, ...]]:
    name_of = scenario_namer(one.scenario_id for one in of_label)
    with_metrics = _have_metrics(of_label)
    for one in of_label:
        name = name_of(one.scenario_id, one.pack)
        invalid = f", {one.invalid} invalid" if one.invalid else ""
        yield (
            markdown_text(name, _LIMIT),
            markdown_text(one.verdict, _LIMIT),
            f"{one.passed}/{one.runs} ({one.pass_rate:.0%}){invalid}{_data(one)}",
            "" if one.interval is None else interval_text(one.interval),
            "" if one.pass_hat_k is None else f"pass^{one.pass_hat_k.k} {one.pass_hat_k.value:.0%}",
            *([_metrics_cell(one)] if with_metrics else []),
            markdown_text("; ".join([experiment_text(one), *_diagnostic_texts(one)])),
        )


def _diagnostic_texts(one: ScenarioTotals) -> Iterator[str]:
    return (f"{layer} failed, diagnostic" for layer in one.diagnostic_failures)


def _metrics_cell(one: ScenarioTotals) -> str:
    shown = list(one.metrics.items())[:_MOST_METRICS]
    return "; ".join(
        f"{markdown_text(name, _LIMIT)} {markdown_text(metric_text(of))}" for name, of in shown
    )


def _cut_remarks(label: str, of_label: Sequence[ScenarioTotals]) -> Iterator[str]:
    if len(of_label) > _MOST_ROWS:
        yield f"{len(of_label) - _MOST_ROWS} more scenario(s) of {label}, which `wt results` shows"
    metrics = sum(max(len(one.metrics) - _MOST_METRICS, 0) for one in of_label[:_MOST_ROWS])
    if metrics:
        yield f"{metrics} more metric(s) of {label}, which `wt results` shows"
