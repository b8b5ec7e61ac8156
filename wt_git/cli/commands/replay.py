"""`wt replay`: play what a saved trace's user said again, on a live runtime."""

from __future__ import annotations

import os
import shlex
from typing import Any

import click

from wt_git.cli import error_messages, printing
from wt_git.cli.options import CONTEXT_SETTINGS, agent_options, definition_options, runs_dir_option
from wt_git.cli.process import graceful
from wt_git.clock import SystemClock
from wt_git.replay import Replay, Replayed, Replaying, look_up_replay
from wt_git.sweep.request import SweepRequest
from wt_git.sweep.run_lock.file_locks import lock_folder
from wt_git.sweep.selection import Selectors
from wt_git.text import log_line, one_line

EPILOG = """
Exit codes: 0 the run was saved, with any verdict; 1 the trace could not be played; 2 asked
wrongly, or the file is no trace; 75 the runtime is busy and --no-wait was given; 130 or 143 ended by
a signal. Ctrl-C once ends it after the run in flight, twice ends it now.
"""


@click.command("replay", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.option(
    "--trace",
    type=click.Path(),  # text: it is recorded as typed, and a Path would tidy it
    required=True,
    metavar="PATH",
    help="The trace whose user turns are played.",
)
@agent_options
@runs_dir_option("Where the new trace and its score go.", "--runs-dir")
@definition_options
@click.option("--no-wait", is_flag=True, help="Exit 75 instead of waiting for a busy runtime.")
def command(**options: Any) -> int:
    """Play all that the user of a saved trace said again, live, and save the new run.

    It is scored by the definition that the scenario has today, under the label replay_RUNTIME. Where
    no pack defines the scenario, the run has no verdict and is in no table. No sweep is recorded: a
    replay earns nothing and uses up nothing.
    """

    def say(text: str) -> None:
        printing.talk("replay", text)

    replay = look_up_replay(options["trace"], _request(options), say)
    _show_source(replay)
    replaying = Replaying(
        replay,
        clock=SystemClock(),
        lock_folder=lock_folder(os.environ),  # noqa: TID251 - the edge where it is read
        say=say,
    )
    with graceful(replaying.interrupt, command="replay"):
        replayed = replaying.run()
    return _show(replay, replayed)


def _request(options: dict[str, Any]) -> SweepRequest:

    arguments = click.get_current_context().obj
    return SweepRequest(
        selectors=Selectors(tags=options["tags"], packs=options["packs"], owners=options["owners"]),
        label=f"replay_{options['runtime']}",
        wait=not options["no_wait"],
        command=shlex.join(["wt", *arguments]),
        **{
            name: options[name]
            for name in ("runs_dir", "pack_sources", "runtime", "soul", "agents")
        },
    )


def _show_source(replay: Replay) -> None:

    trace = replay.trace
    printing.data(
        log_line(
            f"source: run {trace.run_id} scenario={trace.scenario_id} label={trace.variant_id} "
            f"agent={trace.agent_id} model={trace.model} quant={trace.quant} "
            f"started={trace.started_at.isoformat()}"
        )
    )


def _show(replay: Replay, replayed: Replayed) -> int:

    for problem in replayed.problems:
        printing.talk("replay", problem)
    if replayed.traceback is not None:
        for line in replayed.traceback.rstrip().split("\n"):
            printing.talk_plainly(one_line(line))
    if replayed.failure is not None:
        error_messages.report_error(replayed.failure, ["replay"])
    if replayed.path is not None:
        if replay.is_judged:
            printing.talk(
                "replay", f"scored {replayed.verdict} by the scenario as it is defined today"
            )
        printing.data(one_line(f"replayed trace saved: {replayed.path}"))
    elif replayed.failure is None:
        printing.talk("replay", "ended before anything was played; nothing was saved")
    return replayed.exit_code
