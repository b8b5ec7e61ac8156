"""Making a report of a runs directory: its head at once, its rows and runs as they are reached.

What is held of each run is what results hold of it. Conversations are read when they are written,
one at a time, so a report needs no more memory the longer they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.clock import whole_seconds
from wt_git.errors import UsageError
from wt_git.json_lines import LineReport
from wt_git.records import layout
from wt_git.records.finished_sweeps import newest_first
from wt_git.records.reading import passed_over
from wt_git.records.report import ReportHead
from wt_git.reports.counted.load import load_groups
from wt_git.reports.report.cost_history import SweepHistory, sweep_history
from wt_git.reports.report.failures import failures, flaky
from wt_git.reports.report.rows import row_groups, variants
from wt_git.reports.report.scored_rows import ReportRows, RunDetails, scored_rows
from wt_git.reports.report.summary import summary, verdict_totals
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from wt_git.reports.counted.groups import Group


@dataclass(frozen=True, slots=True)
class LoadedReport:
    """A report: its head, the rows with their cells, and the detail of every run in their order.

    Rows and details read the conversations anew each time they are gone through.
    """

    head: ReportHead
    rows: ReportRows
    details: RunDetails

    @property
    def document(self) -> Mapping[str, Any]:
        """The whole document, whose `scenarios` are the rows: to be written piece by piece."""
        return {**self.head.as_document(), "scenarios": self.rows}


def load_report(
    runs_dir: Path,
    labels: Sequence[str] = (),
    scenarios: Sequence[str] = (),
    *,
    now: datetime,
) -> LoadedReport:
    """Return the report about the runs below `runs_dir` that count, made at `now`.

    `labels` and `scenarios` narrow it as they narrow results, and the sweeps whose cost is told are
    those of the labels. A directory without runs has an empty report. Raises `UsageError` when the
    directory is missing or what was asked for is not there.
    """
    groups, remarks = groups_or_none(runs_dir, labels, scenarios)
    rows = scored_rows(row_groups(groups))
    by_name = [(row.groups.name, scored) for row in rows for scored in row.cells.values()]
    history, more = _history(runs_dir, labels)
    head = ReportHead(
        runs_dir=str(runs_dir),
        generated_at=whole_seconds(now),
        latest_run_ts=max((run.started_at for group in groups for run in group.runs), default=""),
        scenario_count=len(rows),
        variants=variants(row.groups for row in rows),
        summary=summary([scored for _, scored in by_name]),
        verdict_totals=verdict_totals(scored.verdict for _, scored in by_name),
        failures=failures(by_name),
        flaky=flaky(by_name),
        predictions=history.tiers,
        cost_history=history.costs,
        remarks=[*remarks, *more],
    )
    return LoadedReport(head, ReportRows(rows), RunDetails(rows))


class FoundGroups(NamedTuple):
    """The groups of a directory, and sentences about what they leave out."""

    groups: tuple[Group, ...]
    remarks: tuple[str, ...]


def groups_or_none(
    runs_dir: Path, labels: Sequence[str] = (), scenarios: Sequence[str] = ()
) -> FoundGroups:
    """Return the groups below `runs_dir` as `load_groups` does; none for one without any run."""
    try:
        loaded = load_groups(runs_dir, labels, scenarios)
    except UsageError as error:
        if error.specific_code != "no-scored-runs" or labels or scenarios:
            raise
        return FoundGroups((), (error.message, *error.hints))
    return FoundGroups(loaded.groups, loaded.remarks)


def _history(runs_dir: Path, labels: Sequence[str]) -> tuple[SweepHistory, tuple[str, ...]]:
    report = LineReport()
    try:
        history = sweep_history(newest_first(runs_dir, report), frozenset(labels))
    except OSError as error:
        said = f"{layout.EXPERIMENTS} cannot be read: {one_line(error.strerror or str(error))}"
        return SweepHistory([], 0, None), (said,)
    left_out = history.sweeps - len(history.costs)
    said_more = f"the cost of the {left_out} oldest sweeps is in the totals and not listed"
    return history, (
        *([said_more] if left_out else []),
        *passed_over(report.skipped, layout.EXPERIMENTS),
    )
