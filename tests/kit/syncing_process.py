"""Record sweeps in a clone and sync after each: `python syncing_process.py CLONE FIRST COUNT`."""

from __future__ import annotations

import sys
from pathlib import Path

from kit.noted_sweeps import lines, row, sweep
from kit.notes import opened, sweep_id

from wt_git.evidence.notes.sweep_notes import SweepNotes, commit_sweep_notes, notes_of_sweep
from wt_git.evidence.notes.sync import Synced, sync_notes


def main() -> None:
    folder, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    notes = opened(folder)
    for number in range(first, first + count):
        tree = f"{number:040x}"
        found = notes_of_sweep(sweep_id(number), lines(row(number, tree=tree), sweep(number)))
        assert isinstance(found, SweepNotes)
        commit_sweep_notes(notes, found)
        outcome = sync_notes(notes, "origin", timeout_s=90)
        assert isinstance(outcome, Synced), outcome


if __name__ == "__main__":
    main()
