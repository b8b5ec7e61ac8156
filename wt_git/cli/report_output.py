"""Delivering a report: into a file, or on standard output, and what it leaves out on stderr."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.cli import printing
from wt_git.clock import SystemClock
from wt_git.reports.report.formats import is_report_file, write_report
from wt_git.reports.report.load import load_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.reports.report.formats import ReportFormat

_PAGE = Path("report.html")


def deliver_report(
    runs_dir: Path,
    form: ReportFormat,
    out: Path | None,
    *,
    labels: Sequence[str],
    scenarios: Sequence[str],
) -> None:
    """Write the report about `runs_dir` to `out`, or where its format goes without one.

    Raises `UsageError` when there is no such directory, label or scenario, or nowhere to write to.
    """
    report = load_report(runs_dir, labels, scenarios, now=SystemClock().now())
    place = _PAGE if out is None and form == "html" else out
    if place is None:
        write_report(report, form, sys.stdout)
        sys.stdout.flush()  # here, where a reader that went away can still be noticed
    else:
        from wt_git.evidence.written_paths import writing_output  # noqa: PLC0415 - asks git
        from wt_git.records.runs_dir import RunsDir  # noqa: PLC0415

        named = "the report" if out is None else "--out"
        with writing_output(
            place, RunsDir(runs_dir), named=named, is_ours=is_report_file, say=_say
        ) as stream:
            write_report(report, form, stream)
        _say(f"wrote: {place}")
    for remark in report.head.remarks:
        _say(remark)


def _say(sentence: str) -> None:
    printing.talk("report", sentence)
