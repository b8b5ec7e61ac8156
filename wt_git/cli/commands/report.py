"""`wt report`: one page, or Markdown or JSON, about everything in a runs directory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wt_git.cli import signals
from wt_git.cli.options import CONTEXT_SETTINGS, narrowing_options, runs_dir_option
from wt_git.errors import EXIT_YES

if TYPE_CHECKING:
    from wt_git.reports.report.formats import ReportFormat

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
    """Report what the latest runs of each scenario came to: verdicts, failures by risk, cost.

    The page is one file that loads nothing, and opens every run with its conversation, the turn
    that failed and what evidence decided it.
    """
    from wt_git.cli.report_output import deliver_report  # noqa: PLC0415

    with signals.unwinding():
        deliver_report(runs_dir, form, out, labels=labels, scenarios=scenarios)
    return EXIT_YES
