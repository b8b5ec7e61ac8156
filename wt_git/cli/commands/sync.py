"""`wt sync`: fetch, unite and push the notes."""

from __future__ import annotations

import click

from wt_git.cli.options import CONTEXT_SETTINGS, Seconds

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
    """Merge the notes here and at REMOTE, so that both have all of them.

    REMOTE is by default the one that `wt init` recorded. Notes that were pruned on either side stay pruned.
    """
    from wt_git.cli.evidence_notes import sync_notes

    return sync_notes(remote, timeout_s=timeout_s, push=not no_push)
