"""The notes of sweeps: written when a sweep ends, rebuilt from runs directories, and pruned.

The runs directory is the record. Notes repeat its lines so that git carries them along.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from wt_git import files
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

    from wt_git.evidence.fingerprint import Fingerprint
    from wt_git.git.notes.commit import Transaction
    from wt_git.git.notes.store import Notes, NotesView

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_NO_TIME = "0000-00-00T00:00:00Z"
_WORD = re.compile(r"[A-Za-z_]{1,20}")
_NAME_LIMIT = 60
_QUESTION_LIMIT = 120
_LARGEST_NUMBER = 1e9
_COUNTED_AS_PASS = ("PASS", "PASS_WITH_VARIANCE")


class SweepNotes(msgspec.Struct, frozen=True):
    """The notes of one sweep: `lines` under each of `trees`.

    `text` is its line below commits with these trees, `subject` that of the notes commit.
    """

    sweep_id: str
    trees: tuple[str, ...]
    lines: tuple[bytes, ...]
    text: str
    subject: str


class NoSweepNotes(msgspec.Struct, frozen=True):
    """Why a sweep has no notes: it did not end, its tree is unknown, or no line can be read."""

    sweep_id: str
    why: Literal["no-record", "no-tree", "unreadable"]


class Rebuilt(msgspec.Struct, frozen=True):
    """The sweeps in runs directories, with and without notes; `changed`: some notes were new."""

    entries: tuple[SweepNotes, ...]
    without: tuple[NoSweepNotes, ...]
    skipped_lines: int
    changed: bool


class Pruned(msgspec.Struct, frozen=True):
    """The sweeps whose notes were removed, and how many lines they had."""

    sweeps: tuple[str, ...]
    lines: int
    changed: bool


def notes_of_sweep(sweep_id: str, lines: Sequence[bytes]) -> SweepNotes | NoSweepNotes:
    """Return the notes of a sweep from its rows, record and reviews, each a line without LF."""
    content = read_note([line for line in lines if len(line) <= LONGEST_LINE], sweep_id)
    if not SWEEP_ID.fullmatch(sweep_id) or (content.unreadable and not content.rows):
        return NoSweepNotes(sweep_id, "unreadable")
    if not content.sweeps:
        return NoSweepNotes(sweep_id, "no-record")
    trees = dict.fromkeys(tree for row in content.rows for tree in recorded_trees(row.record))
    if not trees:
        return NoSweepNotes(sweep_id, "no-tree")
    read = [line.raw for line in (*content.rows, *content.sweeps, *content.reviews)]
    return SweepNotes(
        sweep_id=sweep_id,
        trees=tuple(trees),
        lines=tuple(dict.fromkeys(read)),
        text=_text(sweep_id, content),
        subject=f"{_summary(content)} [{sweep_id}]",
    )


# Writing, rebuilding, pruning.


def write_sweep_notes(
    folder: Path, notes_ref: str, sweep_id: str, lines: Sequence[str], taken: Fingerprint
) -> str | None:
    """Write the notes of a sweep that ended; return a warning, or None.

    If the fingerprint's tree is HEAD's, `git log` shows the sweep below that commit.
    """
    if taken.snapshot is None or taken.value == SNAPSHOT_FAILED:
        return None  # there was a warning when the fingerprint was taken
    made = notes_of_sweep(sweep_id, [line.encode() for line in lines])
    if isinstance(made, NoSweepNotes):
        return None
    commit = taken.snapshot.head if taken.snapshot.tree == taken.snapshot.base else None
    try:
        # Loads libgit2, which a sweep outside of a repository does not need.
        from wt_git.git.notes.store import open_notes  # noqa: PLC0415

        notes = open_notes(folder, ref=notes_ref)
        if notes is not None:
            commit_sweep_notes(notes, made, commit=commit)
    except GitError as error:
        if error.specific_code == "notes-unavailable":
            return error.message  # a rebuild would fail for the same reason
        return (
            f"the sweep is recorded, but its notes could not be written: {error.message}; "
            "`wt notes rebuild` writes them from the runs directory"
        )
    return None


def commit_sweep_notes(notes: Notes, made: SweepNotes, *, commit: str | None = None) -> bool:
    """Write the notes of one sweep as one notes commit; return whether anything was new.

    `commit` is the commit with the tree that was under test, if there is one. Raises `GitError`.
    """
    with notes.transaction(made.subject) as tx:
        _add(tx, made)
        if commit is not None:
            tx.add_text(commit, [made.text])
    return tx.changed


def rebuild_notes(notes: Notes, runs_dirs: Sequence[Path]) -> Rebuilt:
    """Add the notes of all sweeps recorded in `runs_dirs`, as one notes commit.

    A union: nothing is removed, and pruned lines stay away. Raises `GitError`, and `OSError` for a
    file that cannot be read.
    """
    report = files.LineReport()
    lines = lines_by_sweep(runs_dirs, report)
    found = [notes_of_sweep(sweep_id, of_sweep) for sweep_id, of_sweep in lines.items()]
    entries = tuple(one for one in found if isinstance(one, SweepNotes))
    with notes.transaction(f"rebuild the notes of {len(entries)} sweeps") as tx:
        for one in entries:
            _add(tx, one)
    return Rebuilt(
        entries=entries,
        without=tuple(one for one in found if isinstance(one, NoSweepNotes)),
        skipped_lines=report.skipped,
        changed=tx.changed,
    )


def lines_by_sweep(
    runs_dirs: Iterable[Path], report: files.LineReport | None = None
) -> dict[str, list[bytes]]:
    """Return the rows, sweep records and reviews in `runs_dirs`, byte for byte, by sweep id."""
    lines: dict[str, list[bytes]] = {}
    for runs_dir in runs_dirs:
        for name in (layout.LEDGER, layout.EXPERIMENTS):
            for line in files.read_lines(runs_dir / name, report):
                sweep_id = line.record.get("sweep_id")
                if isinstance(sweep_id, str):
                    lines.setdefault(sweep_id, []).append(line.text.encode("utf-8"))
    return lines


def prune_notes(notes: Notes, sweep_ids: AbstractSet[str]) -> Pruned:
    """Remove the notes of `sweep_ids` here and, with the next sync, everywhere.

    Hashes of their lines are kept, so that no sync or rebuild brings them back. The history of the
    ref still has the lines. Reads all notes. Raises `GitError`.
    """
    view = notes.view()
    lines: set[bytes] = set()
    found: set[str] = set()
    for tree in view.record_keys():
        for sweep_id, recorded in view.sweeps(tree).items():
            if sweep_id in sweep_ids:
                found.add(sweep_id)
                lines.update(recorded)
    hashes = {line_hash(line) for line in (*lines, *(sweep.encode() for sweep in sweep_ids))}
    with notes.transaction(f"prune the notes of {len(found)} sweeps") as tx:
        tx.prune(hashes)
    return Pruned(sweeps=tuple(sorted(found)), lines=len(lines), changed=tx.changed)


def _add(tx: Transaction, made: SweepNotes) -> None:
    for tree in made.trees:
        tx.add(tree, made.sweep_id, made.lines)


# The lines below commits.


def sweep_lines(view: NotesView, trees: Iterable[str]) -> tuple[str, ...]:
    """Return the line of each sweep that is filed under one of `trees` and is about that tree."""
    found: dict[str, str] = {}
    for tree in trees:
        for sweep_id, lines in view.sweeps(tree).items():
            content = read_note(lines, sweep_id)
            if content.sweeps and any(speaks_for(row.record, tree) for row in content.rows):
                found[sweep_id] = _text(sweep_id, content)
    return tuple(sorted(found.values()))


def add_commit_texts(notes: Notes, commits: Mapping[str, Sequence[str]], subject: str) -> int:
    """Write the lines of the sweeps on their trees to commits; return how many got a new one.

    `commits` maps a commit to its trees. Without new lines, nothing is written. Raises `GitError`.
    """
    view, live = notes.view(), notes.live_view()
    new = {
        commit: lines
        for commit, trees in commits.items()
        if (lines := _changed_lines(sweep_lines(view, trees), live.text(commit)))
    }
    if new:
        with notes.transaction(subject) as tx:
            for commit, lines in new.items():
                tx.add_text(commit, lines)
    return len(new)


def _changed_lines(wanted: Iterable[str], shown: Iterable[str]) -> list[str]:
    """Return the lines that would be shown: of two about one sweep, git keeps the greater."""
    kept = {line_sweep(line.encode()): line for line in shown}
    return [line for line in wanted if line > kept.get(line_sweep(line.encode()), "")]


def _text(sweep_id: str, content: NoteContent) -> str:
    times = [_string(line.record.get("ts")) for line in content.sweeps]
    time = max((time for time in times if _TIME.fullmatch(time)), default=_NO_TIME)
    return f"{time} {sweep_id} {_summary(content)}"


def _summary(content: NoteContent) -> str:
    """Return tier, verdict, scenarios, cost, prediction and question, with foreign text escaped."""
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
    question = _string(record.get("question")).strip()
    if question:
        parts.append(f'"{one_line(question, _QUESTION_LIMIT)}"')
    return ", ".join(parts)


def _scenarios(content: NoteContent) -> str:
    rows = [line.record for line in content.rows]
    if len(rows) == 1:
        name = one_line(_string(rows[0].get("scenario_id")), _NAME_LIMIT)
        return f"{name} {_count(rows[0].get('passed'))}/{_count(rows[0].get('runs'))}"
    passed = sum(row.get("verdict") in _COUNTED_AS_PASS for row in rows)
    return f"{passed}/{len(rows)} scenarios"


def _cost(record: Mapping[str, Any]) -> str:
    cost, usd = record.get("cost"), record.get("cost_usd")
    seconds = cost.get("wall_s") if isinstance(cost, dict) else None
    dollars = usd.get("total") if isinstance(usd, dict) else None
    time = f" in {seconds:.0f} s" if _is_number(seconds) else ""
    return f"{time} for ${dollars:.4g}" if _is_number(dollars) else time


def _count(value: object) -> str:
    return str(value) if isinstance(value, int) and _is_number(value) else "?"


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < _LARGEST_NUMBER


def _string(value: object) -> str:
    """Return `value` if it is text; formatting anything else could exceed the recursion limit."""
    return value if isinstance(value, str) else ""


def _word(value: object) -> str:
    return value if isinstance(value, str) and _WORD.fullmatch(value) else "unknown"
