"""Questions to the ledger that are answered by reading it: an index may answer them instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git import files
from wt_git.records import layout
from wt_git.records.notes import recorded_trees

if TYPE_CHECKING:
    from pathlib import Path


def trees_of_sweep(runs_dir: Path, sweep_id: str, rows: int | None) -> tuple[str, ...]:
    """Return the trees that the rows of a sweep are about; empty when none says so.

    Read backwards, and no further than to the first row that says it: those of one sweep agree.
    `rows` is how many there can be, None when that is not known.
    """
    seen = 0
    if rows == 0:
        return ()
    for line in files.read_lines_backwards(runs_dir / layout.LEDGER):
        if seen == rows:
            break
        if line.record.get("sweep_id") == sweep_id:
            seen += 1
            if trees := recorded_trees(line.record):
                return trees
    return ()
