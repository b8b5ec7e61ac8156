"""`wt run`: run scenarios against an agent and score the whole flight."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from wt_git.cli.options import (
    CONTEXT_SETTINGS,
    Amount,
    F,
    PositiveInt,
    Seconds,
    agent_options,
    recorded,
    runs_dir_option,
    selection_options,
)

_OPTIONS = [
    click.option(
        "--all-packs",
        is_flag=True,
        help="With --pack-source: do not limit the run to those sources.",
    ),
    agent_options,
    click.option(
        "--hook",
        "hooks",
        multiple=True,
        metavar="NAME",
        help="Activate an installed lifecycle hook. Repeatable.",
    ),
    click.option(
        "--label",
        default="cli_run",
        shell_complete=recorded("labels"),
        show_default=True,
        help="Name of this round; results are grouped by it.",
    ),
    click.option(
        "--runs",
        type=PositiveInt(hint_directory="--runs-dir"),
        default=1,
        show_default=True,
        help="How often each scenario is run.",
    ),
    runs_dir_option("Where traces, scores and the ledger go.", "--runs-dir"),
    click.option("--question", metavar="TEXT", help="What this sweep is to find out."),
    click.option(
        "--expect", type=click.Choice(["pass", "fail"]), help="What you think will come out."
    ),
    click.option("--if-pass", metavar="TEXT", help="What you will do if it passes; repeated then."),
    click.option("--if-fail", metavar="TEXT", help="What you will do if it fails; repeated then."),
    click.option(
        "--budget",
        "budget_s",
        type=Seconds(),
        help="Start nothing more after so many seconds; may lower the cap of the tier, never raise it.",
    ),
    click.option(
        "--max-cost",
        type=Amount(),
        help="Start no run that could take the sweep beyond this amount, in the pricing's currency.",
    ),
    click.option(
        "--from-trace",
        type=click.Path(),  # text: it is recorded as typed, and a Path would tidy it
        metavar="FILE",
        help="Probe: play the scenario of this saved trace on top of the turns it recorded.",
    ),
    click.option(
        "--from-turn",
        type=PositiveInt(),
        metavar="K",
        help="With --from-trace: the first user turn to play live, from 1; the last one by default.",
    ),
    click.option(
        "--format", "form", type=click.Choice(["junit", "json"]), help="Machine output, with --out."
    ),
    click.option(
        "--out", type=click.Path(path_type=Path), metavar="FILE", help="Where --format is written."
    ),
    click.option(
        "--scheduler",
        default="sequential",
        show_default=True,
        metavar="SPEC",
        help="How scenarios execute: sequential, concurrent, or your own as module:Class or "
        "file.py:Class.",
    ),
    click.option(
        "--max-concurrency",
        type=PositiveInt(),
        metavar="N",
        help="How many scenarios may run at once, within what the runtime tolerates.",
    ),
    click.option("--no-wait", is_flag=True, help="Exit 75 instead of waiting for a busy runtime."),
    click.option(
        "--dry-run", is_flag=True, help="Say what would run and whether it may; run nothing."
    ),
    click.option(
        "--json", "as_json", is_flag=True, help="Print records for programs on stdout, one a line."
    ),
]


def run_options(command: F) -> F:
    """Add every option of `wt run`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return selection_options(command)


def check_paired(options: dict[str, Any]) -> None:
    """Raise click's error unless `--format` and `--out` were given together, or neither."""
    form, out = options["form"], options["out"]
    if (form is None) != (out is None):
        given = "--out" if form is None else "--format"
        raise click.BadOptionUsage(given, "--format and --out must be provided together")


EPILOG = """
Exit codes: 0 nothing counted as a failure; 1 something did, or the sweep is incomplete; 2 asked
wrongly, or not earned: nothing was run; 75 the runtime is busy and --no-wait was given; 130 or 143
ended by a signal. Ctrl-C once ends the sweep after the runs in flight, twice ends it now.
"""


@click.command("run", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@run_options
def command(**options: Any) -> int:
    """Run scenarios against an agent and score the whole flight.

    Without a selection every known scenario runs. Each run saves its trace and score in the runs
    directory when it ends; each scenario adds a row to the ledger.

    One scenario is a focused experiment. Several are a regression, which a focused pass on the same
    state of the code has to earn. --from-trace makes a probe. Once the runs directory has history,
    each sweep declares its purpose: --question and --expect.
    """
    check_paired(options)
    from wt_git.cli.run.sweep import run_sweep

    return run_sweep(options, click.get_current_context().obj)
