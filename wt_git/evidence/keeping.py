"""Keeping a finished sweep in the repository's notes, so that git carries it along.

The runs directory was written before and stays the record: whatever fails here is a warning, and
`wt notes rebuild` tries again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import GitError
from wt_git.evidence.journal import NoEntry, journal_entry, record_sweep
from wt_git.git.notes import open_notes
from wt_git.records.fingerprint import SNAPSHOT_FAILED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wt_git.evidence.fingerprint import Fingerprint


def keep_sweep(
    folder: Path, notes_ref: str, sweep_id: str, lines: Sequence[str], taken: Fingerprint
) -> str | None:
    """Write the notes of a sweep whose rows and record are `lines`; return a warning or None.

    Where the tree is that of a commit already, `git log` shows the sweep under it.
    """
    if taken.snapshot is None or taken.value == SNAPSHOT_FAILED:
        return None  # said when the fingerprint was taken
    entry = journal_entry(sweep_id, [line.encode() for line in lines])
    if isinstance(entry, NoEntry):
        return None
    committed = taken.snapshot.head if taken.snapshot.tree == taken.snapshot.base else None
    try:
        notes = open_notes(folder, ref=notes_ref)
        if notes is not None:
            record_sweep(notes, entry, commit=committed)
    except GitError as error:
        if error.specific_code == "notes-unavailable":
            return error.message  # not now and not later
        return (
            f"the sweep is recorded, but its notes could not be written: {error.message}; "
            "`wt notes rebuild` writes them from the runs directory"
        )
    return None
