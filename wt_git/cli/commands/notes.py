"""`wt notes`: look at the evidence that git keeps, make it again, take some of it out."""

from __future__ import annotations

from pathlib import Path

import click

from wt_git.cli.options import CONTEXT_SETTINGS

EPILOG = """
Exit codes: 0 done, or there is evidence; 1 there is none, or something could not be done; 2 asked
wrongly.
"""


@click.group("notes", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
def command() -> None:
    """Look at the evidence that git keeps, make it again, take some of it out."""


@command.command("show", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.argument("rev", default="HEAD")
@click.option("--json", "as_json", is_flag=True, help="Print the records themselves.")
def show(*, rev: str, as_json: bool) -> int:
    """Show the evidence on the tree of REV, a commit or a tree; HEAD by default.

    Both evidence that is recorded here and evidence that was fetched. Whether it is enough says
    `wt verify`.
    """
    from wt_git.cli.evidence_notes import show_notes_on

    return show_notes_on(rev, as_json=as_json)


@command.command("rebuild", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.option(
    "--runs-dir",
    "runs_dirs",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    multiple=True,
    metavar="DIR",
    help="Where sweeps were recorded. Repeatable; default: runs.",
)
def rebuild(*, runs_dirs: tuple[Path, ...]) -> int:
    """Make the notes of all sweeps in a runs directory again.

    Notes that others recorded are kept, and pruned ones stay pruned.
    """
    from wt_git.cli.evidence_notes import rebuild_from

    return rebuild_from(runs_dirs or (Path("runs"),))


@command.command("prune", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.argument("sweep_ids", nargs=-1, required=True, metavar="SWEEP_ID...")
def prune(*, sweep_ids: tuple[str, ...]) -> int:
    """Take the notes of these sweeps out, here and with the next `wt sync` everywhere.

    Neither a sync nor a rebuild brings them back. The history of the notes still holds their text:
    to remove a secret, rewrite that history.
    """
    from wt_git.cli.evidence_notes import prune_sweeps

    return prune_sweeps(sweep_ids)
