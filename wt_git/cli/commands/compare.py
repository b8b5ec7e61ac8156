"""`wt compare`: whether a change made anything better or worse, from runs that are on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wt_git.cli.options import (
    CONTEXT_SETTINGS,
    JSON,
    MARKDOWN,
    ManyValues,
    ManyValuesCommand,
    chosen_format,
    format_options,
    recorded,
    runs_dir_option,
)
from wt_git.cli.printing import print_answer, print_document
from wt_git.errors import EXIT_NO, EXIT_YES

if TYPE_CHECKING:
    from pathlib import Path

EPILOG = """
Exit codes: 0 no verdict became worse; 1 a verdict became worse; 2 there is nothing to compare: fewer
than two labels, a label without runs, no directory. Metrics and rates never change it. Nothing is run.
"""


@click.command("compare", cls=ManyValuesCommand, epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@runs_dir_option("The directory that sweeps were recorded in.")
@click.option(
    "--labels",
    cls=ManyValues,
    multiple=True,
    metavar="A B ...",
    shell_complete=recorded("labels"),
    help="Two labels or more, one behind the other; the first is the baseline.",
)
@format_options
def command(
    *, runs_dir: Path, labels: tuple[str, ...], output_format: str | None, as_json: bool
) -> int:
    """Compare labels with the first of them: verdicts, metrics and pass rates of each scenario.

    A verdict counts from PASS down to a variance verdict, FAIL and INVALID. A failure under the
    baseline too is no regression, nor is a scenario that was not run under the other label.
    """
    chosen = chosen_format(output_format, as_json=as_json)
    from wt_git.reports.comparison.load import load_comparison, weak_verdict_remarks
    from wt_git.reports.comparison.text import comparison_lines

    document, remarks = load_comparison(runs_dir, labels)
    told = [*weak_verdict_remarks(document), *remarks]
    if chosen == JSON:
        print_document(document)
        print_answer("compare", (), told)
    elif chosen == MARKDOWN:
        from wt_git.reports.comparison.markdown import comparison_markdown

        print_answer("compare", comparison_markdown(document, remarks), told)
    else:
        print_answer("compare", comparison_lines(document), told)
    return EXIT_NO if document.regression else EXIT_YES
