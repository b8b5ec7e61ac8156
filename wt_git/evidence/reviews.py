"""Recording whether a finished sweep changed a decision (docs/ladder.md, "Reviews").

A review is written to the runs directory first, then added to the sweep's note. A note that cannot
be written is a warning: `wt notes rebuild` tries again.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from wt_git.clock import whole_seconds
from wt_git.config import load
from wt_git.errors import GitError, UsageError
from wt_git.git.notes.store import open_notes
from wt_git.records.experiments import (
    SHORTEST_PREFIX,
    Ambiguous,
    FinishedSweep,
    FoundSweep,
    Review,
    ReviewRecord,
    find_sweep,
)
from wt_git.records.layout import missing_directory, readable_records
from wt_git.records.ledger.ledger import Ledger
from wt_git.records.notes import LONGEST_LINE
from wt_git.text import one_line

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.git.notes.store import Notes
    from wt_git.records.runs_dir import RunsDir

_MOST_NAMED = 10
_QUESTION_LIMIT = 60
_DECISION_LIMIT = 120


class Reviewed(NamedTuple):
    """A recorded review, with its sweep and its line in the file."""

    sweep: FinishedSweep
    record: ReviewRecord
    line: str


def review_sweep(
    runs_dir: RunsDir, wanted: str, decision: str | None, *, now: datetime
) -> Reviewed:
    """Append a review of the sweep whose id is, or begins with, `wanted`.

    `decision` is None if the sweep changed none. Raises `UsageError` for a blank decision and for an
    unknown or unfinished sweep, `StorageError` if the file cannot be written.
    """
    if decision is not None and not any(c.isprintable() and not c.isspace() for c in decision):
        raise UsageError(
            "--decision is blank: say in a few words what the sweep changed, or --no-change",
            code="decision-blank",
        )
    found = _found(runs_dir.path, wanted)
    record = ReviewRecord(
        ts=_later_than(found.review, now),
        sweep_id=found.sweep.sweep_id,
        changed=decision is not None,
        decision=decision,
    )
    return Reviewed(found.sweep, record, runs_dir.append_experiment(record))


def _found(runs_dir: Path, wanted: str) -> FoundSweep:
    facts = {"sweep_id": wanted, "runs_dir": str(runs_dir)}
    if not runs_dir.is_dir():
        raise UsageError(
            f"no finished sweep '{one_line(wanted)}': {missing_directory(runs_dir)}",
            code="sweep-unknown",
            facts=facts,
        )
    with readable_records():
        found = find_sweep(runs_dir, wanted)
    match found:
        case FoundSweep():
            return found
        case Ambiguous(sweeps):
            more = len(sweeps) - _MOST_NAMED
            raise UsageError(
                f"'{one_line(wanted)}' begins the ids of {len(sweeps)} sweeps: which one?",
                hints=(
                    *map(_description, sweeps[:_MOST_NAMED]),
                    *([f"and {more} more"] if more > 0 else []),
                ),
                code="sweep-ambiguous",
                facts={**facts, "sweep_ids": [one.sweep_id for one in sweeps]},
            )
        case None:
            short = f"; the beginning of an id needs {SHORTEST_PREFIX} characters"
            raise UsageError(
                f"no finished sweep '{one_line(wanted)}' is recorded in '{runs_dir}'"
                f"{short if len(wanted) < SHORTEST_PREFIX else ''}",
                hints=(
                    "wt run says the id when a sweep starts, and records the sweep when it ends",
                ),
                code="sweep-unknown",
                facts=facts,
            )


def _description(sweep: FinishedSweep) -> str:
    question = f": {sweep.question}" if sweep.question else ""
    words = f"{sweep.sweep_id}  {sweep.ts or '?'}  {sweep.tier}, label {sweep.label or '?'}"
    return one_line(words) + one_line(question, _QUESTION_LIMIT)


def _later_than(last: Review | None, now: datetime) -> str:
    """Return a time for a new review that is later than the `last` one's.

    Lines of a note have no order, so the latest time decides, also for two reviews within a second
    and after the clock was set back.
    """
    text = whole_seconds(now)
    if last is None or last.ts is None or last.ts < text:
        return text
    try:
        before = datetime.strptime(last.ts, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
        return whole_seconds(before + timedelta(seconds=1))
    except (ValueError, OverflowError):
        return text


def write_review_note(runs_dir: Path, folder: Path, reviewed: Reviewed) -> str | None:
    """Add a review to the notes of its sweep, if it has any; return a warning, or None.

    The notes are those of the repository around `folder`.
    """
    size = len(reviewed.line.encode())
    if not (reviewed.sweep.fingerprint or "").startswith("sha256:"):
        return None  # such a sweep has no notes
    if size > LONGEST_LINE:
        return (
            f"the review is recorded, but is too long for the notes: {size} bytes, and "
            f"{LONGEST_LINE} are the most"
        )
    try:
        notes = open_notes(folder, ref=load(folder).notes_ref)
        if notes is not None:
            _add_to_notes(notes, runs_dir, reviewed)
    except (GitError, UsageError, OSError) as error:
        return (
            f"the review is recorded, but its note could not be written: {error}; "
            "`wt notes rebuild` writes it from the runs directory"
        )
    return None


def _add_to_notes(notes: Notes, runs_dir: Path, reviewed: Reviewed) -> None:
    view = notes.view()
    if not view:
        return
    sweep = reviewed.sweep
    noted = [
        tree
        for tree in Ledger(runs_dir).trees_of_sweep(sweep.sweep_id)
        if sweep.sweep_id in view.sweeps(tree)
    ]
    if noted:
        with notes.transaction(_commit_subject(reviewed.record)) as tx:
            for tree in noted:
                tx.add(tree, sweep.sweep_id, [reviewed.line.encode()])


def _commit_subject(review: ReviewRecord) -> str:
    if review.decision is None:
        return f"review: changed no decision [{review.sweep_id}]"
    said = one_line(review.decision.strip(), _DECISION_LIMIT)
    return f'review: changed a decision, "{said}" [{review.sweep_id}]'
