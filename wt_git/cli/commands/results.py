"""`wt results`: the verdicts of runs that are on disk; with `--ladder`, the cost of the tiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wt_git.cli.options import (
    CONTEXT_SETTINGS,
    JSON,
    MARKDOWN,
    chosen_format,
    format_options,
    narrowing_options,
    runs_dir_option,
)
from wt_git.cli.printing import print_answer, print_document
from wt_git.errors import EXIT_YES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

EPILOG = """
Exit codes: 0 something was summarised; 2 there is nothing to summarise. Nothing is run.
"""


@click.command("results", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@runs_dir_option("The directory that sweeps were recorded in.")
@narrowing_options
@format_options
@click.option(
    "--ladder",
    is_flag=True,
    help="Summarise finished sweeps by tier instead: cost, predictions held, decisions changed.",
)
def command(
    *,
    runs_dir: Path,
    labels: tuple[str, ...],
    scenarios: tuple[str, ...],
    output_format: str | None,
    as_json: bool,
    ladder: bool,
) -> int:
    """Tabulate the latest runs of each scenario, by label.

    The verdict is that of the scenario's latest sweep under the label. Probes count only where
    there is nothing else.
    """
    if ladder and (labels or scenarios):
        raise click.UsageError("--ladder is about whole sweeps: it takes no --label or --scenario")
    chosen = chosen_format(output_format, as_json=as_json)
    if ladder and chosen == MARKDOWN:
        raise click.UsageError("--ladder is printed as text or JSON")
    if ladder:
        _print_ladder(runs_dir, as_json=chosen == JSON)
    else:
        _print_results(runs_dir, labels, scenarios, chosen)
    return EXIT_YES


def _print_results(
    runs_dir: Path, labels: Sequence[str], scenarios: Sequence[str], output_format: str
) -> None:
    from wt_git.reports.results import load_results, result_lines, results_markdown

    document, remarks = load_results(runs_dir, labels, scenarios)
    if output_format == JSON:
        print_document(document)
        print_answer("results", (), remarks)
    elif output_format == MARKDOWN:
        print_answer("results", results_markdown(document, remarks), remarks)
    else:
        print_answer("results", result_lines(document), remarks)


def _print_ladder(runs_dir: Path, *, as_json: bool) -> None:
    from wt_git.reports.ladder import ladder_lines, load_ladder

    document, remarks = load_ladder(runs_dir)
    if as_json:
        print_document(document)
    print_answer("results", () if as_json else ladder_lines(document), remarks)
