"""`wt rescore`: score saved traces with today's scenarios; no agent is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wt_git.cli.options import (
    CONTEXT_SETTINGS,
    ManyValues,
    ManyValuesCommand,
    chosen_format,
    definition_options,
    format_options,
    narrowing_options,
)

EPILOG = """
Exit codes: 0 every trace that was scored passes its gate; 1 one does not, or is invalid; 2 asked
wrongly, or a trace could not be read, scored or written, or has no definition. Nothing is run.
"""


@click.command("rescore", cls=ManyValuesCommand, epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.option(
    "--runs",
    "runs_dir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Score all traces below this directory.",
)
@click.option(
    "--trace",
    "traces",
    cls=ManyValues,
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="PATH...",
    help="Score these traces. Repeatable.",
)
@click.option(
    "--write",
    is_flag=True,
    help="Replace the scores beside the traces. Traces and ledger are never touched.",
)
@narrowing_options
@definition_options
@format_options
def command(*, output_format: str | None, as_json: bool, **options: Any) -> int:
    """Score saved traces with the scenarios as they are defined today.

    A trace holds everything that scoring reads, so after a change of a scorer nothing has to be run
    again: each trace is shown with its saved score and the new one. Exactly one of --runs
    and --trace names the traces.
    """
    if (options["runs_dir"] is None) == (not options["traces"]):
        raise click.UsageError("exactly one of --runs DIR and --trace PATH... is required")
    chosen = chosen_format(output_format, as_json=as_json)
    from wt_git.cli.rescore import rescore

    return rescore(options, chosen)
