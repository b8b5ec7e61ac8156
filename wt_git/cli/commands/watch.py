"""`wt watch`: follow a sweep as it runs, and end with its exit code."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from wt_git.cli import printing, process
from wt_git.cli.options import CONTEXT_SETTINGS, Seconds, recorded, runs_dir_option
from wt_git.clock import Clock, SystemClock
from wt_git.records.record import as_recorded
from wt_git.sweep.request import DEFAULT_LABEL
from wt_git.text import json_characters
from wt_git.watch.events import EventRecord, line_of
from wt_git.watch.session import Watch, WatchRequest, has_ended

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.files import ReadLine


_SHORTEST_POLL_S, _LONGEST_POLL_S = 0.01, 3600.0


EPILOG = """
Exit codes: that of the sweep, once it ended; 1 when its process ended without finishing it; 2 asked
wrongly; 124 after --timeout. Nothing is written.
"""


@click.command("watch", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@runs_dir_option("The directory that the sweep is recorded in; it may come later.")
@click.option(
    "--label",
    shell_complete=recorded("labels"),
    help="Follow the newest sweep of this label that runs or started in the last 10 seconds, else the "
    "next one.",
)
@click.option(
    "--sweep",
    "sweep_id",
    metavar="ID",
    shell_complete=recorded("sweeps"),
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
    wanted = WatchRequest(
        runs_dir=runs_dir,
        label=None if label is None else as_recorded(label or DEFAULT_LABEL),
        sweep_id=sweep_id,
        timeout_s=timeout_s,
        poll_s=min(max(poll_s, _SHORTEST_POLL_S), _LONGEST_POLL_S),
    )
    return Watch(wanted, _Terminal(as_json=as_json)).follow()


class _Terminal:
    """The outside of a watch: a clock, the process table, and the printed lines."""

    def __init__(self, *, as_json: bool) -> None:
        self.clock: Clock = SystemClock()
        self._as_json = as_json

    def sleep(self, seconds: float) -> None:
        process.sleep_while_read(sys.stdout, seconds)

    def is_gone(self, started: EventRecord) -> bool:
        return has_ended(started)

    def show(self, line: ReadLine) -> None:
        printing.data(json_characters(line.text) if self._as_json else line_of(line.record))

    def say(self, text: str) -> None:
        printing.talk("watch", text)
