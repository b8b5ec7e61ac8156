"""`wt review`: say whether a finished sweep changed a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wt_git.cli.options import CONTEXT_SETTINGS, recorded, runs_dir_option

if TYPE_CHECKING:
    from pathlib import Path

EPILOG = """
Exit codes: 0 recorded; 1 it could not be written; 2 no such sweep ended in that directory, or no
decision was given. Nothing is printed when it worked.
"""


@click.command("review", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.argument("sweep_id", metavar="SWEEP_ID", shell_complete=recorded("sweeps"))
@runs_dir_option("The directory that the sweep was recorded in.")
@click.option("--decision", metavar="TEXT", help="What the sweep changed, in a few words.")
@click.option("--no-change", is_flag=True, help="It changed nothing.")
def command(*, sweep_id: str, runs_dir: Path, decision: str | None, no_change: bool) -> int:
    """Say whether the finished sweep SWEEP_ID changed a decision.

    SWEEP_ID may be cut to its first four characters or more, as long as one sweep alone begins so.
    A later review of the same sweep replaces an earlier one. See `wt results --ladder`.
    """
    if (decision is not None) == no_change:
        raise click.UsageError("give exactly one of --decision TEXT and --no-change")
    from wt_git.cli.evidence_notes import review

    return review(runs_dir, sweep_id, decision)
