"""`wt sync`: fetch, unite and push the notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wt_git.cli.options import CONTEXT_SETTINGS, Seconds
from wt_git.errors import EXIT_NO, EXIT_TIMED_OUT, EXIT_YES

if TYPE_CHECKING:
    from wt_git.evidence.notes.sync import Synced

EPILOG = """
Exit codes: 0 both sides have all notes; 1 they have not, and why; 2 there is no such remote; 124 it
took longer than --timeout. Evidence that is recorded here is never lost by it.
"""


@click.command("sync", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.argument("remote", required=False)
@click.option(
    "--timeout",
    "timeout_s",
    type=Seconds(),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="How long it may take, tries after lost races included.",
)
@click.option("--no-push", is_flag=True, help="Only fetch, and unite here.")
def command(*, remote: str | None, timeout_s: float, no_push: bool) -> int:
    """Bring the notes here and at REMOTE to what both have together.

    REMOTE is by default the one that `wt init` recorded. What was pruned on either side stays so.
    """
    from wt_git.cli import printing  # noqa: PLC0415
    from wt_git.cli.repository_notes import notes_here  # noqa: PLC0415
    from wt_git.clock import SystemClock  # noqa: PLC0415
    from wt_git.evidence.notes.sync import NotSynced  # noqa: PLC0415
    from wt_git.githooks.commit_notes import share  # noqa: PLC0415

    here = notes_here()
    name = here.remote(remote)
    clock = SystemClock()
    began = clock.monotonic()
    outcome = share(here.notes, name, timeout_s=timeout_s, push=not no_push)
    if isinstance(outcome, NotSynced):
        printing.talk("sync", f"not done, at the {outcome.step}: {outcome.reason}")
        printing.talk("sync", f"  what is recorded here is still here; again: wt sync {name}")
        late = clock.monotonic() - began >= timeout_s
        return EXIT_TIMED_OUT if late else EXIT_NO
    printing.data(_told(name, outcome))
    return EXIT_YES


def _told(name: str, done: Synced) -> str:
    if done.tip is None:
        return f"{name}: there are no notes yet, neither here nor there"
    received = "received notes" if done.received else "nothing new to receive"
    sent = "sent notes" if done.sent else "nothing new to send"
    return f"{name}: {received}, {sent}"
