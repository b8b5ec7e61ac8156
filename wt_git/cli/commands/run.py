"""`wt run`: run scenarios against an agent and score the whole flight."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wt_git.cli.options import CONTEXT_SETTINGS, PositiveInt, selection_options
from wt_git.errors import EXIT_NO

if TYPE_CHECKING:
    from wt_git.sweep.request import SweepRequest

EPILOG = """
Exit codes: 0 nothing counted as a failure; 1 something did, or the sweep is incomplete; 2 asked
wrongly, nothing was run; 75 the runtime is busy and --no-wait was given; 130 or 143 ended by a
signal. Ctrl-C once ends the sweep after the runs in flight, twice ends it now.
"""


@click.command("run", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@selection_options
@click.option(
    "--all-packs", is_flag=True, help="With --pack-source: do not limit the run to those sources."
)
@click.option(
    "--runtime",
    default="in_memory",
    show_default=True,
    metavar="NAME",
    help="What drives the agent: a built-in or installed name, package.module:PLUGIN, or "
    "path/to/file.py:PLUGIN.",
)
@click.option(
    "--soul",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="System prompt for the agent: the text of this file.",
)
@click.option(
    "--agents",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Operating notes for the agent: the path of this file.",
)
@click.option(
    "--hook",
    "hooks",
    multiple=True,
    metavar="NAME",
    help="Activate an installed lifecycle hook. Repeatable.",
)
@click.option(
    "--label",
    default="cli_run",
    show_default=True,
    help="Name of this round; results are grouped by it.",
)
@click.option(
    "--runs",
    type=PositiveInt(hint_directory="--runs-dir"),
    default=1,
    show_default=True,
    help="How often each scenario is run.",
)
@click.option(
    "--runs-dir",
    type=click.Path(path_type=Path),
    default="runs",
    show_default=True,
    metavar="DIR",
    help="Where traces, scores and the ledger go.",
)
@click.option(
    "--format", "form", type=click.Choice(["junit", "json"]), help="Machine output, with --out."
)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE", help="Where --format is written."
)
@click.option(
    "--scheduler",
    default="sequential",
    show_default=True,
    metavar="SPEC",
    help="How scenarios execute: sequential, concurrent, or your own as module:Class or "
    "file.py:Class.",
)
@click.option(
    "--max-concurrency",
    type=PositiveInt(),
    metavar="N",
    help="How many scenarios may run at once, within what the runtime tolerates.",
)
@click.option("--no-wait", is_flag=True, help="Exit 75 instead of waiting for a busy runtime.")
def command(**options: Any) -> int:
    """Run scenarios against an agent and score the whole flight.

    Without a selection every known scenario runs. Each run leaves its trace and score in the runs
    directory as it ends, each scenario a row in the ledger.
    """
    if (options["form"] is None) != (options["out"] is None):
        raise click.UsageError("--format and --out must be provided together")
    return _run(_request(options), options["form"], options["out"])


def _request(options: dict[str, Any]) -> SweepRequest:
    from wt_git.sweep.request import DEFAULT_LABEL, SweepRequest  # noqa: PLC0415
    from wt_git.sweep.selection import Selectors  # noqa: PLC0415

    return SweepRequest(
        selectors=Selectors(
            scenarios=options["scenarios"],
            tags=options["tags"],
            packs=options["packs"],
            owners=options["owners"],
        ),
        runs_dir=options["runs_dir"],
        pack_sources=options["pack_sources"],
        all_packs=options["all_packs"],
        runtime=options["runtime"],
        soul=options["soul"],
        agents=options["agents"],
        hooks=options["hooks"],
        label=options["label"] or DEFAULT_LABEL,
        runs=options["runs"],
        scheduler=options["scheduler"],
        max_concurrency=options["max_concurrency"],
        wait=not options["no_wait"],
        command=_as_typed(),
    )


def _as_typed() -> str:
    """Return this command line as a person could paste it."""
    return shlex.join(["wt", *click.get_current_context().obj])


def _run(request: SweepRequest, form: Any, out: Path | None) -> int:
    # Imported here so that `wt run --help` and a mistyped option cost nothing.
    from wt_git import config  # noqa: PLC0415
    from wt_git.cli import ui  # noqa: PLC0415
    from wt_git.cli.machine_output import check_output, write_output  # noqa: PLC0415
    from wt_git.cli.problems import report  # noqa: PLC0415
    from wt_git.cli.signals import graceful  # noqa: PLC0415
    from wt_git.cli.surroundings import git_sha, lock_folder  # noqa: PLC0415
    from wt_git.cli.sweep_view import view_of  # noqa: PLC0415
    from wt_git.cli.verdicts import closing_lines  # noqa: PLC0415
    from wt_git.clock import SystemClock  # noqa: PLC0415
    from wt_git.records.store import RunsDir  # noqa: PLC0415
    from wt_git.sweep.prepare import prepare  # noqa: PLC0415
    from wt_git.sweep.sweep import Sweep  # noqa: PLC0415

    runs_dir = RunsDir(request.runs_dir)
    if out is not None:
        check_output(out, runs_dir)
    folder = Path.cwd()
    prepared = prepare(request, folder=folder, settings=config.load(folder))
    clock = SystemClock()
    view = view_of(request.runs_dir, clock)
    for notice in prepared.notices:
        view.say(notice)

    def deliver(results: Any) -> None:
        if out is not None:
            write_output(out, form, runs_dir, prepared.selected, results)
            view.say(f"{form} written to {out}")

    sweep = Sweep(
        prepared,
        observer=view,
        clock=clock,
        lock_folder=lock_folder(),
        git_sha=git_sha(),
        deliver=deliver,
    )
    began = clock.monotonic()
    with graceful(sweep.interrupt):
        outcome = sweep.run()
    for line in closing_lines(outcome, clock.monotonic() - began):
        ui.talk("run", line)
    if outcome.failure is not None:
        code = report(outcome.failure, ["run"])
        return code if outcome.exit_code is None else outcome.exit_code
    return EXIT_NO if outcome.exit_code is None else outcome.exit_code
