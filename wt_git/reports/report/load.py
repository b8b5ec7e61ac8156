"""Loads a report on a runs directory, and writes it as HTML, Markdown or JSON (docs/reports.md)."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO, assert_never

from wt_git import files
from wt_git.clock import whole_seconds
from wt_git.errors import UsageError, os_reason
from wt_git.files import LineReport
from wt_git.records import layout
from wt_git.records.documents.report import ReportHead, SweepCost
from wt_git.records.experiments import FinishedSweep, Review, newest_first
from wt_git.records.layout import passed_over
from wt_git.records.runs_dir import indented_json
from wt_git.reports.ladder import ladder_results
from wt_git.reports.report.cells import failures, flaky, summary, verdict_totals
from wt_git.reports.report.markdown import report_lines
from wt_git.reports.report.rows import ReportRows, RunDetails, row_groups, scored_rows, variants
from wt_git.reports.run_groups.load import load_groups
from wt_git.text import json_characters, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime
    from pathlib import Path

    from wt_git.records.documents.results import TierTotals
    from wt_git.reports.run_groups.groups import RunGroup

MOST_SWEEPS = 2_000
"""A report lists the cost of so many sweeps: more make the page longer and the picture no better."""


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
    """Return the cost of the sweeps under `labels` (none: all of them), and their totals by tier.

    `newest_first` are the records of one experiments file, the last one first. At most `most` of the
    latest are listed; the totals are those of all.
    """
    seen: set[str] = set()
    costs: deque[SweepCost] = deque()

    def watched() -> Iterator[FinishedSweep | Review]:
        for found in newest_first:
            if isinstance(found, FinishedSweep):
                if labels and found.label not in labels:
                    continue
                if found.sweep_id not in seen and len(costs) < most:
                    costs.appendleft(_sweep_cost(found))
                seen.add(found.sweep_id)
            yield found

    totals = ladder_results(watched(), "")
    return SweepHistory(list(costs), len(seen), None if totals is None else totals.tiers)


def _sweep_cost(sweep: FinishedSweep) -> SweepCost:
    cost, price = sweep.cost, sweep.cost_usd
    dollars = None if price is None else price.total
    return SweepCost(
        sweep_id=sweep.sweep_id,
        ended_at=sweep.ts,
        tier=sweep.tier,
        label=sweep.label,
        wall_s=None if cost.wall_s is None else float(cost.wall_s),
        input_tokens=cost.input_tokens,
        output_tokens=cost.output_tokens,
        cost_usd=None if dollars is None else float(dollars),
        outcome=sweep.outcome,
        prediction_held=sweep.prediction_held,
    )


@dataclass(frozen=True, slots=True)
class LoadedReport:
    """A report: its head, the rows with their cells, and the detail of every run in their order.

    Rows and details read the conversations again each time they are iterated.
    """

    head: ReportHead
    rows: ReportRows
    details: RunDetails

    @property
    def document(self) -> Mapping[str, Any]:
        """The whole document; its `scenarios` are the rows, so that it can be written piece by piece."""
        return {**self.head.as_document(), "scenarios": self.rows}


def load_report(
    runs_dir: Path,
    labels: Sequence[str] = (),
    scenarios: Sequence[str] = (),
    *,
    now: datetime,
) -> LoadedReport:
    """Return the report about the runs below `runs_dir` that count, made at `now`.

    `labels` and `scenarios` filter the runs as for results; `labels` also filter the sweeps whose cost
    is listed. A directory without runs has an empty report. Raises `UsageError` when the directory is
    missing or nothing matches the filter.
    """
    groups, remarks = load_groups_or_none(runs_dir, labels, scenarios)
    rows = scored_rows(row_groups(groups))
    by_name = [(row.groups.name, scored) for row in rows for scored in row.cells.values()]
    history, more = _load_history(runs_dir, labels)
    head = ReportHead(
        runs_dir=str(runs_dir),
        generated_at=whole_seconds(now),
        latest_run_ts=max((run.started_at for group in groups for run in group.runs), default=""),
        scenario_count=len(rows),
        variants=variants(row.groups for row in rows),
        summary=summary([scored for _, scored in by_name]),
        verdict_totals=verdict_totals(scored.totals.verdict for _, scored in by_name),
        failures=failures(by_name),
        flaky=flaky(by_name),
        predictions=history.tiers,
        cost_history=history.costs,
        remarks=[*remarks, *more],
    )
    return LoadedReport(head, ReportRows(rows), RunDetails(rows))


class GroupsAndRemarks(NamedTuple):
    """The groups of a directory, and sentences about runs that they leave out."""

    groups: tuple[RunGroup, ...]
    remarks: tuple[str, ...]


def load_groups_or_none(
    runs_dir: Path, labels: Sequence[str] = (), scenarios: Sequence[str] = ()
) -> GroupsAndRemarks:
    """Return the groups below `runs_dir` as `load_groups` does; none for one without any run."""
    try:
        loaded = load_groups(runs_dir, labels, scenarios)
    except UsageError as error:
        if error.specific_code != "no-scored-runs" or labels or scenarios:
            raise
        return GroupsAndRemarks((), (error.message, *error.hints))
    return GroupsAndRemarks(loaded.groups, loaded.remarks)


def _load_history(runs_dir: Path, labels: Sequence[str]) -> tuple[SweepHistory, tuple[str, ...]]:
    report = LineReport()
    try:
        history = sweep_history(newest_first(runs_dir, report), frozenset(labels))
    except OSError as error:
        remark = f"{layout.EXPERIMENTS} cannot be read: {one_line(os_reason(error))}"
        return SweepHistory([], 0, None), (remark,)
    left_out = history.sweeps - len(history.costs)
    remarks = passed_over(report.skipped, layout.EXPERIMENTS)
    if left_out:
        cut = f"the cost of the {left_out} oldest sweeps is in the totals and not listed"
        remarks = (cut, *remarks)
    return history, remarks


ReportFormat = Literal["html", "markdown", "json"]

_ROWS_KEY = "scenarios"
_BYTES_READ = 4096
_MARKERS = (b"<title>Wind Tunnel report</title>", b'{\n  "windtunnel_report": ')
_MARKDOWN_TITLE = b"# Wind Tunnel report: "


def json_parts(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text of `document` as two-space indented JSON, without a final newline.

    Its rows, under `scenarios`, may be any iterable.
    """
    before = "{"
    for key, value in document.items():
        yield f"{before}\n  {indented_json(key).decode()}: "
        if key == _ROWS_KEY:
            yield from _row_parts(value)
        else:
            yield _indented(value, "  ")
        before = ","
    yield "\n}"


def _row_parts(rows: Iterable[Any]) -> Iterator[str]:
    before = "["
    for row in rows:
        yield f"{before}\n    {_indented(row, '    ')}"
        before = ","
    yield "[]" if before == "[" else "\n  ]"


def _indented(value: object, indentation: str) -> str:
    """Return `value` as JSON with its further lines indented; strings in JSON hold no line breaks."""
    return indented_json(value).decode().replace("\n", f"\n{indentation}")


def write_report(report: LoadedReport, form: ReportFormat, stream: TextIO) -> None:
    """Write `report` to `stream`. Conversations are read on the way, one at a time."""
    match form:
        case "html":
            from wt_git.reports.page import page  # noqa: PLC0415 - loads Jinja

            page.write_page(
                {**report.head.as_document(), _ROWS_KEY: report.rows.with_turns()},
                report.details,
                stream,
                matrix_rows=(row.as_document() for row in report.rows.without_turns()),
                to_json=page.quick_embedded_json,
            )
        case "json":
            stream.writelines(map(json_characters, json_parts(report.document)))
            stream.write("\n")
        case "markdown":
            lines = report_lines(report.head, report.rows.without_turns())
            stream.writelines(f"{line}\n" for line in lines)
        case _:
            assert_never(form)


def is_report_file(path: Path) -> bool:
    """Return whether the file at `path` is a report or empty.

    A link is not: writing the report would replace the link. Raises `OSError`, also for a pipe and a
    device.
    """
    if path.is_symlink():
        return False
    descriptor = files.open_regular(path)
    if descriptor is None:
        return False
    with os.fdopen(descriptor, "rb") as stream:
        begin = stream.read(_BYTES_READ)
    return (
        not begin
        or begin.startswith(_MARKDOWN_TITLE)
        or any(marker in begin for marker in _MARKERS)
    )
