"""`wt results`: what is working, from runs that are on disk; with `--ladder`, what the tiers cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wt_git.cli.options import CONTEXT_SETTINGS, narrowing_options, runs_dir_option
from wt_git.cli.output_format import JSON, MARKDOWN, chosen_format, format_options
from wt_git.errors import EXIT_YES

if TYPE_CHECKING:
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
    """Tabulate what the latest runs of each scenario came to, by label.

    The verdict is that of the scenario's latest sweep under the label. Probes count only where
    there is nothing else.
    """
    if ladder and (labels or scenarios):
        raise click.UsageError("--ladder is about whole sweeps: it takes no --label or --scenario")
    chosen = chosen_format(output_format, as_json=as_json)
    if ladder and chosen == MARKDOWN:
        raise click.UsageError("--ladder is printed as text or JSON")
    from wt_git.cli.results_output import print_ladder, print_results  # noqa: PLC0415

    if ladder:
        print_ladder(runs_dir, as_json=chosen == JSON)
    else:
        print_results(runs_dir, labels, scenarios, chosen)
    return EXIT_YES
