"""Results for a comment on a pull request: Markdown, in which foreign text is no markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.naming import told_apart
from wt_git.reports.markdown_blocks import left_out, table
from wt_git.reports.metric_text import metric_text
from wt_git.reports.rate_text import interval_text
from wt_git.reports.results.text import about
from wt_git.text import markdown_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wt_git.records.results import Results, ScenarioTotals

_LIMIT = 120
_MOST_ROWS = 100
"""Of each label; a comment on GitHub holds 65536 characters."""
_MOST_METRICS = 6


def results_markdown(found: Results, remarks: Sequence[str]) -> Iterator[str]:
    """Yield the lines; `remarks` are sentences about what is left out."""
    untold: list[str] = []
    by_label: dict[str, list[ScenarioTotals]] = {}
    for one in found.results:
        by_label.setdefault(one.label, []).append(one)
    for label, of_label in by_label.items():
        runs = sum(one.runs for one in of_label)
        shown = markdown_text(label, _LIMIT)
        yield (
            f"**{shown}**: {len(of_label)} scenario(s), {runs} run(s) "
            f"under {markdown_text(found.runs_dir, _LIMIT)}"
        )
        yield ""
        yield from table(_heads(of_label), _rows(of_label[:_MOST_ROWS]))
        yield ""
        untold += _cut(label, of_label)
    yield from left_out([*untold, *remarks])


def _heads(of_label: Sequence[ScenarioTotals]) -> tuple[str, ...]:
    metrics = ("Metrics",) if _have_metrics(of_label) else ()
    return ("Scenario", "Verdict", "Passed", "95% interval", "In a row", *metrics, "Rests on")


def _have_metrics(of_label: Sequence[ScenarioTotals]) -> bool:
    return any(one.metrics for one in of_label[:_MOST_ROWS])


def _rows(of_label: Sequence[ScenarioTotals]) -> Iterator[tuple[str, ...]]:
    name_of = told_apart(one.scenario_id for one in of_label)
    with_metrics = _have_metrics(of_label)
    for one in of_label:
        name = name_of(one.scenario_id, one.pack)
        invalid = f", {one.invalid} invalid" if one.invalid else ""
        yield (
            markdown_text(name, _LIMIT),
            markdown_text(one.verdict, _LIMIT),
            f"{one.passed}/{one.runs} ({one.pass_rate:.0%}){invalid}",
            "" if one.interval is None else interval_text(one.interval),
            "" if one.pass_hat_k is None else f"pass^{one.pass_hat_k.k} {one.pass_hat_k.value:.0%}",
            *([_metrics(one)] if with_metrics else []),
            markdown_text("; ".join([about(one), *_diagnostics(one)])),
        )


def _diagnostics(one: ScenarioTotals) -> Iterator[str]:
    return (f"{layer} failed, diagnostic" for layer in one.diagnostic_failures)


def _metrics(one: ScenarioTotals) -> str:
    shown = list(one.metrics.items())[:_MOST_METRICS]
    return "; ".join(
        f"{markdown_text(name, _LIMIT)} {markdown_text(metric_text(of))}" for name, of in shown
    )


def _cut(label: str, of_label: Sequence[ScenarioTotals]) -> Iterator[str]:
    if len(of_label) > _MOST_ROWS:
        yield f"{len(of_label) - _MOST_ROWS} more scenario(s) of {label}, which `wt results` shows"
    metrics = sum(max(len(one.metrics) - _MOST_METRICS, 0) for one in of_label[:_MOST_ROWS])
    if metrics:
        yield f"{metrics} more metric(s) of {label}, which `wt results` shows"
