"""The report as Markdown, in which nothing that anybody else wrote is markup, nor HTML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wt_git.api.score import SCORE_LAYER_ORDER
from wt_git.reports.wording import PASSED_VERDICTS, experiment_parts, interval_text, markdown_table
from wt_git.text import markdown_text, short_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from wt_git.records.documents.document import IntervalTotals
    from wt_git.records.documents.report import (
        Cell,
        Failure,
        Flaky,
        ReportHead,
        ScenarioRow,
    )
    from wt_git.records.documents.results import TierTotals

_NAME_LIMIT, _DETAIL_LIMIT = 120, 200
_NOTHING = "—"
_TIME = re.compile(r"[0-9T:.+Z-]{1,40}")
_SHORT = {"PASS": "PASS", "PASS_WITH_VARIANCE": "VAR", "FAIL": "FAIL", "INVALID": "INVALID"}
_FAILURE_COLUMNS = ("Risk", "Scenario", "Label", "Verdict", "Passed", "Decided by", "Run", "Detail")
_LAYER_COLUMNS = ("Scenario", "Label", "Rests on", *SCORE_LAYER_ORDER)
_FLAKY_COLUMNS = ("Scenario", "Label", "Passed of valid runs")
_TIER_COLUMNS = ("Tier", "Sweeps", "Wall time", "Tokens in / out", "Cost", "Predictions held")


def report_lines(head: ReportHead, rows: Iterable[ScenarioRow]) -> Iterator[str]:
    """Yield the lines of the report; its `rows` are kept in memory and need no conversations."""
    cells = list(rows)
    yield f"# Wind Tunnel report: {_latest(head)}"
    yield ""
    yield _counts(head, cells)
    yield from _section("Pass rates", ("Layer", "Passed"), _rates(head, cells))
    if cells:
        yield from _section("Verdicts", ("Scenario", *_labels(head)), _matrix(head, cells))
        yield from _section("Layers", _LAYER_COLUMNS, _layers(cells))
    if head.failures:
        yield from _section("Failures by risk", _FAILURE_COLUMNS, map(_failure, head.failures))
    if head.flaky:
        yield from _section("Flaky scenarios", _FLAKY_COLUMNS, map(_flaky, head.flaky))
    if head.predictions:
        yield from _section("Cost by tier", _TIER_COLUMNS, map(_tier, head.predictions.items()))
    yield from _remarks(head.remarks)


def _latest(head: ReportHead) -> str:
    """Return the start of the latest run, escaped unless it is a time: a trace may hold any text."""
    started = head.latest_run_ts
    if not started:
        return "no runs"
    return f"latest run {started if _TIME.fullmatch(started) else _text(started)}"


def _counts(head: ReportHead, rows: Sequence[ScenarioRow]) -> str:
    runs = sum(cell.runs for row in rows for cell in row.cells.values())
    return (
        f"{head.scenario_count} scenario(s), {len(head.variants)} label(s), {runs} run(s) "
        f"under {_text(head.runs_dir)}"
    )


def _rates(head: ReportHead, rows: Sequence[ScenarioRow]) -> Iterator[tuple[str, str]]:
    summary = head.summary
    for layer in SCORE_LAYER_ORDER:
        yield layer, f"{getattr(summary, f'{layer}_pass_rate'):.0%}" if rows else _NOTHING
    held = [cell.robustness for row in rows for cell in row.cells.values()]
    known = sum(robustness.pass_rate is not None for robustness in held)
    rate = summary.robustness_pass_rate
    yield "Robustness cases", _NOTHING if rate is None else f"{known} ({rate:.0%})"
    yield "Failure risk", f"{summary.total_failure_risk:.2f}"


def _labels(head: ReportHead) -> list[str]:
    return [_text(label) for label in head.variants]


def _matrix(head: ReportHead, rows: Sequence[ScenarioRow]) -> Iterator[list[str]]:
    for row in rows:
        found = [row.cells.get(label) for label in head.variants]
        yield [_text(row.name), *(_NOTHING if cell is None else _cell(cell) for cell in found)]
    yield ["**passed**", *(_passed(label, rows) for label in head.variants)]


def _cell(cell: Cell) -> str:
    verdict = _SHORT.get(cell.verdict) or _text(cell.verdict)
    severity = cell.failure_cost.severity
    parts = [verdict, f"n={cell.tool_call_count}"]
    return " ".join([*parts, *([] if severity == "low" else [f"[{_text(severity)}]"])])


def _passed(label: str, rows: Sequence[ScenarioRow]) -> str:
    verdicts = [row.cells[label].verdict for row in rows if label in row.cells]
    return f"**{sum(one in PASSED_VERDICTS for one in verdicts)}/{len(verdicts)}**"


def _layers(rows: Sequence[ScenarioRow]) -> Iterator[list[str]]:
    for row in rows:
        for label, cell in row.cells.items():
            rates = [_layer(cell, name) for name in SCORE_LAYER_ORDER]
            yield [_text(row.name), _text(label), _rests_on(cell), *rates]


def _rests_on(cell: Cell) -> str:
    """Return the experiment behind the cell: a probe, for example, certifies nothing."""
    about = experiment_parts(cell.tier, cell.selection)
    marks = [*(["rescored"] if cell.rescored else []), *filter(None, [cell.data.text])]
    return _text(", ".join([*about, *marks]))


def _layer(cell: Cell, name: str) -> str:
    """Return the rate of a layer, marked where the layer is diagnostic."""
    decides = name == "integrity" or name in cell.gate_layers
    return f"{cell.layers[name].pass_rate:.0%}{'' if decides else ' (diagnostic)'}"


def _failure(one: Failure) -> list[str]:
    return [
        f"{one.failure_risk:.2f}",
        _text(one.name),
        _text(one.label),
        _SHORT.get(one.verdict) or _text(one.verdict),
        _share(one.passed, one.runs, one.interval),
        ", ".join(one.decided_by) or _NOTHING,
        markdown_text(short_run(one.run_id)) if one.run_id else _NOTHING,
        markdown_text(one.detail, _DETAIL_LIMIT) if one.detail else _NOTHING,
    ]


def _flaky(one: Flaky) -> list[str]:
    return [_text(one.name), _text(one.label), _share(one.passed, one.runs, one.interval)]


def _share(passed: int, runs: int, interval: IntervalTotals | None) -> str:
    between = "" if interval is None else f" ({interval_text(interval)})"
    return f"{passed}/{runs}{between}"


def _tier(of: tuple[str, TierTotals]) -> list[str]:
    tier, totals = of
    tokens = "unknown"
    if totals.input_tokens is not None:
        tokens = f"{totals.input_tokens} / {totals.output_tokens}"
    return [
        _text(tier),
        str(totals.sweeps),
        f"{totals.wall_s:.0f} s",
        tokens,
        "no price" if totals.cost_usd is None else f"{totals.cost_usd:.4f}",
        f"{totals.predictions_held}/{totals.predictions}" if totals.predictions else _NOTHING,
    ]


def _remarks(remarks: Sequence[str]) -> Iterator[str]:
    if remarks:
        yield from ("", "## Left out", "")
        yield from (f"- {markdown_text(remark)}" for remark in remarks)


def _section(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a heading and a table, whose cells are escaped already."""
    yield from ("", f"## {title}", "")
    yield from markdown_table(columns, rows)


def _text(name: str) -> str:
    return markdown_text(name, _NAME_LIMIT)
