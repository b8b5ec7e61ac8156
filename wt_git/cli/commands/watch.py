"""`wt watch`: follow a sweep as it runs, and end with its exit code."""

from __future__ import annotations

from pathlib import Path

import click

from wt_git.cli.completion import recorded
from wt_git.cli.options import CONTEXT_SETTINGS, Seconds

EPILOG = """
Exit codes: that of the sweep, once it ended; 1 when its process ended without finishing it; 2 asked
wrongly; 124 after --timeout. Nothing is written.
"""


@click.command("watch", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.option(
    "--runs",
    "runs_dir",
    type=click.Path(path_type=Path),
    default="runs",
    show_default=True,
    metavar="DIR",
    help="The directory that the sweep is recorded in; it may come later.",
)
@click.option(
    "--label",
    shell_complete=recorded.labels,
    help="Follow the newest sweep of this label that runs or started in the last 10 seconds, else the "
    "next one.",
)
@click.option(
    "--sweep",
    "sweep_id",
    metavar="ID",
    shell_complete=recorded.sweeps,
    help="Follow this sweep, from its beginning, whenever it ran; --label is passed over then.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the events themselves, one a line.")
@click.option("--timeout", "timeout_s", type=Seconds(), help="Give up after so long: exit 124.")
@click.option(
    "--poll",
    "poll_s",
    type=Seconds(),
    default=0.5,
    show_default=True,
    help="How often to look; not more than a hundred times a second.",
)
def command(
    *,
    runs_dir: Path,
    label: str | None,
    sweep_id: str | None,
    as_json: bool,
    timeout_s: float | None,
    poll_s: float,
) -> int:
    """Follow one sweep of another process: a line for each event, and its exit code at the end.

    It works from any terminal and any machine that sees the runs directory, before, while and
    after the sweep runs.
    """
    from wt_git.cli.watch_output import watch  # noqa: PLC0415 - `--help` costs nothing
    from wt_git.watch.session import Wanted  # noqa: PLC0415

    wanted = Wanted(
        runs_dir=runs_dir, label=label, sweep_id=sweep_id, timeout_s=timeout_s, poll_s=poll_s
    )
    return watch(wanted, as_json=as_json)
