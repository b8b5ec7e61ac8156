"""`wt report`: one page, or Markdown or JSON, about everything in a runs directory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wt_git.cli import printing, process
from wt_git.cli.options import CONTEXT_SETTINGS, narrowing_options, runs_dir_option
from wt_git.clock import SystemClock
from wt_git.errors import EXIT_YES

if TYPE_CHECKING:
    from wt_git.reports.report.load import ReportFormat

_PAGE = Path("report.html")

EPILOG = """
Exit codes: 0 the report was written, also one about an empty directory; 2 the directory, a label or
a scenario is not there, or the file cannot be written; 130 or 143 ended by a signal, and the file is
as it was. Nothing is run.
"""


@click.command("report", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@runs_dir_option("The directory that runs were recorded in.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "markdown", "json"]),
    default="html",
    show_default=True,
    help="One page for a browser, Markdown, or a JSON document.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where to write it. Default: report.html for a page, otherwise standard output.",
)
@narrowing_options
def command(
    *,
    runs_dir: Path,
    form: ReportFormat,
    out: Path | None,
    labels: tuple[str, ...],
    scenarios: tuple[str, ...],
) -> int:
    """Report the latest runs of each scenario: verdicts, failures by risk, cost.

    The page is one file that loads nothing, and opens every run with its conversation, the turn
    that failed and the evidence that decided it.
    """
    from wt_git.reports.report.load import is_report_file, load_report, write_report

    with process.unwinding():
        report = load_report(runs_dir, labels, scenarios, now=SystemClock().now())
        place = _PAGE if out is None and form == "html" else out
        if place is None:
            write_report(report, form, sys.stdout)
            sys.stdout.flush()  # here, where a broken pipe is still caught
        else:
            from wt_git.evidence.written_paths import writing_output  # only a file asks git
            from wt_git.records.runs_dir import RunsDir

            named = "the report" if out is None else "--out"
            with writing_output(
                place, RunsDir(runs_dir), named=named, is_ours=is_report_file, say=_say
            ) as stream:
                write_report(report, form, stream)
            _say(f"wrote: {place}")
        for remark in report.head.remarks:
            _say(remark)
    return EXIT_YES


def _say(sentence: str) -> None:
    printing.talk("report", sentence)
