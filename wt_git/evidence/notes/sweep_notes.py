"""The notes of sweeps: written when a sweep ends, rebuilt from runs directories, and pruned.

The runs directory is the record. Notes repeat its lines so that git carries them along.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from wt_git import json_lines
from wt_git.errors import GitError
from wt_git.git.notes.lines import line_hash, line_sweep
from wt_git.records import layout
from wt_git.records.fingerprint import SNAPSHOT_FAILED
from wt_git.records.notes import (
    LONGEST_LINE,
    SWEEP_ID,
    NoteContent,
    read_note,
    recorded_trees,
    speaks_for,
)
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from wt_git.evidence.fingerprint.fingerprinter import Fingerprint
    from wt_git.git.notes.commit import Transaction
    from wt_git.git.notes.store import Notes
    from wt_git.git.notes.view import NotesView

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_NO_TIME = "0000-00-00T00:00:00Z"
_WORD = re.compile(r"[A-Za-z_]{1,20}")
_NAME_LIMIT = 60
_QUESTION_LIMIT = 120
_COUNTED_AS_PASS = ("PASS", "PASS_WITH_VARIANCE")


class SweepNotes(msgspec.Struct, frozen=True):
    """The notes of one sweep: `lines` are kept under each of `trees`.

    `text` is its line for commits of these trees, `subject` that of the notes commit.
    """

    sweep_id: str
    trees: tuple[str, ...]
    lines: tuple[bytes, ...]
    text: str
    subject: str


class NoSweepNotes(msgspec.Struct, frozen=True):
    """A sweep that leaves no notes, and why: it did not end, or no tree can be told for it."""

    sweep_id: str
    why: Literal["no-record", "no-tree", "unreadable"]


def notes_of_sweep(sweep_id: str, lines: Sequence[bytes]) -> SweepNotes | NoSweepNotes:
    """Return the notes of the sweep whose rows, record and reviews are `lines`, without LF."""
    kept = [line for line in lines if len(line) <= LONGEST_LINE]
    content = read_note(kept, sweep_id)
    if not SWEEP_ID.fullmatch(sweep_id) or (content.unreadable and not content.rows):
        return NoSweepNotes(sweep_id, "unreadable")
    if not content.sweeps:
        return NoSweepNotes(sweep_id, "no-record")
    trees = dict.fromkeys(t for row in content.rows for t in recorded_trees(row.record))
    if not trees:
        return NoSweepNotes(sweep_id, "no-tree")
    read = [line.raw for line in (*content.rows, *content.sweeps, *content.reviews)]
    told = _told(content)
    return SweepNotes(
        sweep_id=sweep_id,
        trees=tuple(trees),
        lines=tuple(dict.fromkeys(read)),
        text=_text(sweep_id, content),
        subject=f"{told} [{sweep_id}]",
    )


def add_sweep_notes(tx: Transaction, entry: SweepNotes) -> None:
    """Add the notes of one sweep to the notes commit `tx`."""
    for tree in entry.trees:
        tx.add(tree, entry.sweep_id, entry.lines)


def commit_sweep_notes(notes: Notes, entry: SweepNotes, *, commit: str | None = None) -> bool:
    """Write the notes of one sweep as one notes commit; return whether there was anything new.

    `commit` is the commit whose tree was under test, when there is one already: it gets the text.
    Raises `GitError`; the runs directory still has everything, and `rebuild` can try again.
    """
    with notes.transaction(entry.subject) as tx:
        add_sweep_notes(tx, entry)
        if commit is not None:
            tx.add_text(commit, [entry.text])
    return tx.changed


def sweep_lines(view: NotesView, trees: Iterable[str]) -> tuple[str, ...]:
    """Return the line of each sweep that is filed under one of `trees` and is about that tree.

    The line is the one that the sweep got when it ended, whichever of its trees is asked about.
    """
    found: dict[str, str] = {}
    for tree in trees:
        for sweep_id, lines in view.sweeps(tree).items():
            content = read_note(lines, sweep_id)
            about = any(speaks_for(row.record, tree) for row in content.rows)
            if about and content.sweeps:
                found[sweep_id] = _text(sweep_id, content)
    return tuple(sorted(found.values()))


def add_commit_texts(notes: Notes, commits: Mapping[str, Sequence[str]], subject: str) -> int:
    """Give commits the text of the evidence on their trees; return how many got something new.

    `commits` maps a commit to its trees: its own, and that without what no experiment depends on.
    A commit that has its lines already is left alone, and where all have, nothing is written.
    Raises `GitError`.
    """
    view, live = notes.view(), notes.live_view()
    missing = {
        commit: new
        for commit, trees in commits.items()
        if (new := _missing(sweep_lines(view, trees), live.text(commit)))
    }
    if missing:
        with notes.transaction(subject) as tx:
            for commit, lines in missing.items():
                tx.add_text(commit, lines)
    return len(missing)


def _missing(wanted: Iterable[str], shown: Iterable[str]) -> list[str]:
    """Return the lines that would change what is shown: of two about one sweep the greater stays."""
    stays = {line_sweep(line.encode()): line for line in shown}
    return [line for line in wanted if line > stays.get(line_sweep(line.encode()), "")]


def _text(sweep_id: str, content: NoteContent) -> str:
    times = [_string(line.record.get("ts")) for line in content.sweeps]
    time = max((time for time in times if _TIME.fullmatch(time)), default=_NO_TIME)
    return f"{time} {sweep_id} {_told(content)}"


def _told(content: NoteContent) -> str:
    """Tell a sweep: tier, verdict, scenarios, cost, prediction, question. Foreign text is inert."""
    record = max(content.sweeps, key=lambda line: line.raw).record
    outcome = {"pass": "PASS", "fail": "FAIL"}.get(_string(record.get("outcome")), "UNKNOWN")
    parts = [f"{_word(record.get('tier'))} {outcome} {_scenarios(content)}{_cost(record)}"]
    if record.get("status", "completed") != "completed":
        parts.append(_word(record.get("status")))
    if record.get("budget_exhausted") is True:
        parts.append("cut by its budget")
    held = record.get("prediction_held")
    if isinstance(held, bool):
        parts.append("prediction held" if held else "prediction failed")
    question = record.get("question")
    if isinstance(question, str) and question.strip():
        parts.append(f'"{one_line(question.strip(), _QUESTION_LIMIT)}"')
    return ", ".join(parts)


def _scenarios(content: NoteContent) -> str:
    rows = [line.record for line in content.rows]
    if len(rows) == 1:
        name = one_line(_string(rows[0].get("scenario_id")), _NAME_LIMIT)
        return f"{name} {_number(rows[0].get('passed'))}/{_number(rows[0].get('runs'))}"
    passed = sum(row.get("verdict") in _COUNTED_AS_PASS for row in rows)
    return f"{passed}/{len(rows)} scenarios"


def _cost(record: Mapping[str, Any]) -> str:
    cost, usd = record.get("cost"), record.get("cost_usd")
    seconds = cost.get("wall_s") if isinstance(cost, dict) else None
    dollars = usd.get("total") if isinstance(usd, dict) else None
    told = f" in {seconds:.0f} s" if _is_number(seconds) else ""
    return f"{told} for ${dollars:.4g}" if _is_number(dollars) else told


def _number(value: object) -> str:
    return str(value) if isinstance(value, int) and _is_number(value) else "?"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9  # noqa: PLR2004


def _string(value: object) -> str:
    """Return `value` if it is text; anything else could be too deep to be written out."""
    return value if isinstance(value, str) else ""


def _word(value: object) -> str:
    return value if isinstance(value, str) and _WORD.fullmatch(value) else "unknown"


def write_sweep_notes(
    folder: Path, notes_ref: str, sweep_id: str, lines: Sequence[str], taken: Fingerprint
) -> str | None:
    """Write the notes of a sweep whose rows and record are `lines`; return a warning or None.

    Where the tree is that of a commit already, `git log` shows the sweep under it.
    """
    if taken.snapshot is None or taken.value == SNAPSHOT_FAILED:
        return None  # said when the fingerprint was taken
    entry = notes_of_sweep(sweep_id, [line.encode() for line in lines])
    if isinstance(entry, NoSweepNotes):
        return None
    committed = taken.snapshot.head if taken.snapshot.tree == taken.snapshot.base else None
    try:
        # Loads libgit2, which a sweep outside of a repository does not need.
        from wt_git.git.notes.store import open_notes  # noqa: PLC0415

        notes = open_notes(folder, ref=notes_ref)
        if notes is not None:
            commit_sweep_notes(notes, entry, commit=committed)
    except GitError as error:
        if error.specific_code == "notes-unavailable":
            return error.message  # not now and not later
        return (
            f"the sweep is recorded, but its notes could not be written: {error.message}; "
            "`wt notes rebuild` writes them from the runs directory"
        )
    return None


class Rebuilt(msgspec.Struct, frozen=True):
    """What the runs directories held: sweeps with notes, those without and why, unreadable lines.

    `changed`: some of it was not in the notes.
    """

    entries: tuple[SweepNotes, ...]
    without: tuple[NoSweepNotes, ...]
    skipped_lines: int
    changed: bool


class Pruned(msgspec.Struct, frozen=True):
    """How many lines of how many sweeps were taken out; the history of the ref still has them."""

    sweeps: tuple[str, ...]
    lines: int
    changed: bool


def rebuild_notes(notes: Notes, runs_dirs: Sequence[Path]) -> Rebuilt:
    """Add to the notes what the sweeps recorded in `runs_dirs` left there, as one notes commit.

    A union: nothing that others wrote goes, nothing that was pruned returns, and what is there
    already stays as it is. Raises `GitError`, and `OSError` for a file that cannot be read.
    """
    report = json_lines.LineReport()
    lines = lines_by_sweep(runs_dirs, report)
    found = [notes_of_sweep(sweep_id, sweep) for sweep_id, sweep in lines.items()]
    entries = tuple(entry for entry in found if isinstance(entry, SweepNotes))
    with notes.transaction(f"rebuild the notes of {len(entries)} sweeps") as tx:
        for entry in entries:
            add_sweep_notes(tx, entry)
    return Rebuilt(
        entries=entries,
        without=tuple(entry for entry in found if isinstance(entry, NoSweepNotes)),
        skipped_lines=report.skipped,
        changed=tx.changed,
    )


def lines_by_sweep(
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


def prune_notes(notes: Notes, sweep_ids: AbstractSet[str]) -> Pruned:
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
