"""`wt rescore`: score saved traces with today's scenarios; no agent is run."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wt_git.cli.options import (
    CONTEXT_SETTINGS,
    ManyValues,
    ManyValuesCommand,
    definition_options,
    narrowing_options,
)
from wt_git.cli.output_format import JSON, MARKDOWN, chosen_format, format_options

if TYPE_CHECKING:
    from wt_git.rescore.request import RescoreRequest

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
def command(
    *,
    runs_dir: Path | None,
    traces: tuple[Path, ...],
    write: bool,
    labels: tuple[str, ...],
    scenarios: tuple[str, ...],
    tags: tuple[str, ...],
    packs: tuple[str, ...],
    owners: tuple[str, ...],
    pack_sources: tuple[str, ...],
    output_format: str | None,
    as_json: bool,
) -> int:
    """Score saved traces with the scenarios as they are defined today.

    A trace holds all that scoring looks at, so where only a scorer changed, nothing has to be run
    again: each trace is shown with what its score said and what it says now. Exactly one of --runs
    and --trace names the traces.
    """
    if (runs_dir is None) == (not traces):
        raise click.UsageError("exactly one of --runs DIR and --trace PATH... is required")
    chosen = chosen_format(output_format, as_json=as_json)
    from wt_git.rescore.request import RescoreRequest  # noqa: PLC0415 - `--help` costs nothing
    from wt_git.sweep.selection import Selectors  # noqa: PLC0415

    request = RescoreRequest(
        runs_dir=runs_dir,
        traces=traces,
        labels=labels,
        selectors=Selectors(scenarios=scenarios, tags=tags, packs=packs, owners=owners),
        pack_sources=pack_sources,
        write=write,
    )
    return _rescore(request, chosen)


def _rescore(request: RescoreRequest, output_format: str) -> int:
    from wt_git.cli import printing  # noqa: PLC0415
    from wt_git.cli import rescore as output  # noqa: PLC0415
    from wt_git.clock import SystemClock  # noqa: PLC0415
    from wt_git.rescore.request import definitions_of  # noqa: PLC0415
    from wt_git.rescore.rescoring import Rescoring  # noqa: PLC0415

    with contextlib.redirect_stdout(sys.stderr):  # a pack may print while it is loaded
        definitions = definitions_of(request, lambda text: printing.talk("rescore", text))
    rescoring = Rescoring(request, definitions, SystemClock())
    printer: output.Printer = output.Lines()
    if output_format == JSON:
        printer = output.JsonDocument()
    elif output_format == MARKDOWN:
        printer = output.Markdown(lambda: rescoring.remarks)
    for entry in output.stdout_to_stderr(rescoring.entries()):
        output.print_entry(printer, entry, to_the_end=request.write)
    printer.end(rescoring.summary)
    for remark in rescoring.remarks:
        printing.talk("rescore", remark)
    return rescoring.exit_code
