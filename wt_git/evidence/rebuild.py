"""Notes made again from runs directories, and notes taken out for good."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wt_git import json_lines
from wt_git.evidence.journal import JournalEntry, NoEntry, journal_entry, write_entry
from wt_git.git.note_lines import line_hash
from wt_git.records import layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from wt_git.git.notes import Notes


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What the runs directories held: sweeps with notes, those without and why, unreadable lines.

    `changed`: some of it was not in the notes.
    """

    entries: tuple[JournalEntry, ...]
    without: tuple[NoEntry, ...]
    skipped_lines: int
    changed: bool


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many lines of how many sweeps were taken out; the history of the ref still has them."""

    sweeps: tuple[str, ...]
    lines: int
    changed: bool


def rebuild(notes: Notes, runs_dirs: Sequence[Path]) -> Rebuilt:
    """Add to the notes what the sweeps recorded in `runs_dirs` left there, as one notes commit.

    A union: nothing that others wrote goes, nothing that was pruned returns, and what is there
    already stays as it is. Raises `GitError`, and `OSError` for a file that cannot be read.
    """
    report = json_lines.LineReport()
    lines = recorded_lines(runs_dirs, report)
    found = [journal_entry(sweep_id, sweep) for sweep_id, sweep in lines.items()]
    entries = tuple(entry for entry in found if isinstance(entry, JournalEntry))
    with notes.transaction(f"rebuild the notes of {len(entries)} sweeps") as tx:
        for entry in entries:
            write_entry(tx, entry)
    return Rebuilt(
        entries=entries,
        without=tuple(entry for entry in found if isinstance(entry, NoEntry)),
        skipped_lines=report.skipped,
        changed=tx.changed,
    )


def recorded_lines(
    runs_dirs: Iterable[Path], report: json_lines.LineReport | None = None
) -> dict[str, list[bytes]]:
    """Return the rows, sweep records and reviews in `runs_dirs` as they stand, by sweep id."""
    lines: dict[str, list[bytes]] = {}
    for runs_dir in runs_dirs:
        for name in (layout.LEDGER, layout.EXPERIMENTS):
            for line in json_lines.read_lines(runs_dir / name, report):
                sweep_id = line.record.get("sweep_id")
                if isinstance(sweep_id, str):
                    lines.setdefault(sweep_id, []).append(line.text.encode("utf-8"))
    return lines


def prune(notes: Notes, sweep_ids: AbstractSet[str]) -> Pruned:
    """Take the notes of `sweep_ids` out, here and, with the next sync, everywhere.

    Their lines are remembered by hash, so that neither a sync nor a rebuild brings them back. Reads
    the whole of the notes. Raises `GitError`.
    """
    view = notes.view()
    lines: set[bytes] = set()
    found: set[str] = set()
    for key in view.record_keys():
        for sweep_id, recorded in view.sweeps(key).items():
            if sweep_id in sweep_ids:
                found.add(sweep_id)
                lines.update(recorded)
    hashes = {line_hash(line) for line in (*lines, *(sweep.encode() for sweep in sweep_ids))}
    with notes.transaction(f"prune the notes of {len(found)} sweeps") as tx:
        tx.prune(hashes)
    return Pruned(sweeps=tuple(sorted(found)), lines=len(lines), changed=tx.changed)
