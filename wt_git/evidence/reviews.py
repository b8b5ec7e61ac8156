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
    from collections.abc import Mapping
    from pathlib import Path

    from wt_git.git.notes.store import Notes
    from wt_git.records.runs_dir import RunsDir

_MOST_NAMED = 10
_QUESTION_LIMIT = 60
_DECISION_LIMIT = 120


class Reviewed(NamedTuple):
    """A review that is on disk: the sweep it is of, and its line as it stands in the file."""

    sweep: FinishedSweep
    record: ReviewRecord
    line: str


def review_sweep(
    runs_dir: RunsDir, wanted: str, decision: str | None, *, now: datetime
) -> Reviewed:
    """Append a review of the sweep that `wanted` names: its id, or how that begins.

    `decision` is None when the sweep changed none. Raises `UsageError` for a blank decision and for
    a sweep that did not end there, `StorageError` when the disk refuses.
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
    return Reviewed(found.sweep, record, runs_dir.append_review(record))


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
            raise UsageError(
                f"'{one_line(wanted)}' begins the ids of {len(sweeps)} sweeps: which one?",
                hints=(*map(_named, sweeps[:_MOST_NAMED]), *_more(len(sweeps))),
                code="sweep-ambiguous",
                facts={**facts, "sweep_ids": [one.sweep_id for one in sweeps]},
            )
        case None:
            raise _unknown(runs_dir, wanted, facts)


def _unknown(runs_dir: Path, wanted: str, facts: Mapping[str, object]) -> UsageError:
    short = len(wanted) < SHORTEST_PREFIX
    return UsageError(
        f"no finished sweep '{one_line(wanted)}' is recorded in '{runs_dir}'"
        + (f"; the beginning of an id needs {SHORTEST_PREFIX} characters" if short else ""),
        hints=("wt run says the id when a sweep starts, and records the sweep when it ends",),
        code="sweep-unknown",
        facts=facts,
    )


def _named(sweep: FinishedSweep) -> str:
    question = f": {sweep.question}" if sweep.question else ""
    told = f"{sweep.sweep_id}  {sweep.ts or '?'}  {sweep.tier}, label {sweep.label or '?'}"
    return one_line(told) + one_line(question, _QUESTION_LIMIT)


def _more(count: int) -> list[str]:
    return [f"and {count - _MOST_NAMED} more"] if count > _MOST_NAMED else []


def _later_than(last: Review | None, now: datetime) -> str:
    """Return the time of a new review, later than that of the `last` one in any case.

    The file has an order; the lines of a note are a set, of which the latest holds. Two reviews
    within a second, or after the clock was set back, must not be told apart by their text.
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
    """Add a review to the notes of its sweep, where it has some; return a warning or None.

    The repository is the one that `folder` is in.
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
        with notes.transaction(_subject(reviewed.record)) as tx:
            for tree in noted:
                tx.add(tree, sweep.sweep_id, [reviewed.line.encode()])


def _subject(review: ReviewRecord) -> str:
    if review.decision is None:
        return f"review: changed no decision [{review.sweep_id}]"
    said = one_line(review.decision.strip(), _DECISION_LIMIT)
    return f'review: changed a decision, "{said}" [{review.sweep_id}]'
