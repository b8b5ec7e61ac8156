"""`wt notes`: look at the evidence that git keeps, make it again, take some of it out."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import click

from wt_git.cli.options import CONTEXT_SETTINGS
from wt_git.errors import EXIT_NO, EXIT_YES

_SWEEP_ID = re.compile(r"[0-9a-f]{12}")

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

    Both what is recorded here and what was fetched. It says what was recorded, not whether that is
    enough: see `wt verify`.
    """
    from wt_git.cli import printing  # noqa: PLC0415
    from wt_git.cli.repository_notes import notes_here  # noqa: PLC0415
    from wt_git.evidence.notes.show import show_notes  # noqa: PLC0415

    found = show_notes(notes_here().notes, rev)
    if as_json:
        printing.data(json.dumps(found.as_document(), indent=2, ensure_ascii=False))
    else:
        for line in found.lines:
            printing.data(line)
    for line in found.problems:
        printing.talk("notes", line)
    if not found.lines:
        printing.talk(
            "notes", f"there is no evidence on {found.named}; this looks elsewhere: wt sync"
        )
        return EXIT_NO
    return EXIT_YES


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

    Nothing that others recorded goes, and nothing that was pruned comes back.
    """
    from wt_git.cli import printing  # noqa: PLC0415
    from wt_git.cli.repository_notes import notes_here  # noqa: PLC0415
    from wt_git.errors import UsageError  # noqa: PLC0415
    from wt_git.evidence.notes import sweep_notes as rebuilding  # noqa: PLC0415
    from wt_git.githooks.commit_notes import head_since, show_evidence_on  # noqa: PLC0415

    folders = runs_dirs or (Path("runs"),)
    if missing := [folder for folder in folders if not folder.is_dir()]:
        raise UsageError(f"there is no runs directory '{missing[0]}'", hints=("--runs-dir DIR",))
    here = notes_here()
    done = rebuilding.rebuild_notes(here.notes, folders)
    show_evidence_on(here.notes, head_since(here.notes), "notes on commits")
    for entry in done.without:
        printing.talk("notes", f"sweep {entry.sweep_id} leaves no notes: {_WHY[entry.why]}")
    if done.skipped_lines:
        printing.talk("notes", f"{done.skipped_lines} lines could not be read and were passed over")
    change = "all is there now" if done.changed else "all was there already"
    printing.data(f"{len(done.entries)} sweeps have notes; {change}")
    return EXIT_YES


_WHY = {
    "no-record": "it has no experiments record, so it did not end",
    "no-tree": "no tree is recorded for it, as outside of a repository or after a failed snapshot",
    "unreadable": "its lines cannot be read",
}


@command.command("prune", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.argument("sweep_ids", nargs=-1, required=True, metavar="SWEEP_ID...")
def prune(*, sweep_ids: tuple[str, ...]) -> int:
    """Take the notes of these sweeps out, here and with the next `wt sync` everywhere.

    Neither a sync nor a rebuild brings them back. The history of the notes still holds what they
    said: what must not be known to anybody has to be rewritten there.
    """
    from wt_git.cli import printing  # noqa: PLC0415
    from wt_git.cli.repository_notes import notes_here  # noqa: PLC0415
    from wt_git.evidence.notes import sweep_notes as rebuilding  # noqa: PLC0415

    if wrong := [one for one in sweep_ids if not _SWEEP_ID.fullmatch(one)]:
        raise click.UsageError(f"'{wrong[0]}' is no sweep id: twelve digits of 0-9 and a-f")
    done = rebuilding.prune_notes(notes_here().notes, set(sweep_ids))
    for sweep_id in sorted(set(sweep_ids) - set(done.sweeps)):
        printing.talk("notes", f"there are no notes of sweep {sweep_id}")
    printing.data(f"pruned: {_named(done.sweeps)} ({done.lines} lines)")
    if done.changed:
        printing.talk("notes", "the history of the notes still holds what they said")
        printing.talk("notes", "  to take them out elsewhere: wt sync")
    return EXIT_YES if set(done.sweeps) == set(sweep_ids) else EXIT_NO


def _named(sweeps: Any) -> str:
    return shlex.join(sweeps) or "nothing"
