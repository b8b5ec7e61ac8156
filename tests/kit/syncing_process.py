"""Record sweeps in a clone and sync after each: `python syncing_process.py CLONE FIRST COUNT`."""

from __future__ import annotations

import sys
from pathlib import Path

from kit.noted_sweeps import lines, row, sweep
from kit.notes import opened, sweep_id

from wt_git.evidence.journal import JournalEntry, journal_entry, record_sweep
from wt_git.evidence.sync import Synced, sync


def main() -> None:
    folder, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    notes = opened(folder)
    for number in range(first, first + count):
        tree = f"{number:040x}"
        found = journal_entry(sweep_id(number), lines(row(number, tree=tree), sweep(number)))
        assert isinstance(found, JournalEntry)
        record_sweep(notes, found)
        outcome = sync(notes, "origin", timeout_s=90)
        assert isinstance(outcome, Synced), outcome


if __name__ == "__main__":
    main()
