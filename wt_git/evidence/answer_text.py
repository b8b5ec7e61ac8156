"""An answer in sentences, for every hook and command that says it to people.

Three parts to a refusal: the rule, what was seen by name, and the commands that help. All that
notes, files and commits brought along is inert.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.evidence.answers import Answer, Covered
from wt_git.evidence.placeholders import meanings
from wt_git.naming import named
from wt_git.text import log_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wt_git.evidence.answers import NotCovered, Reason
    from wt_git.evidence.stored_rows import StoredRow, Subject

_MOST_FACTS = 20
_MOST_ROWS = 5
_SHORT_ID = 10
_UNKNOWN = "unknown"


def answer_lines(answer: Answer, name: str = "") -> tuple[str, ...]:
    """Return the answer, a line each; `name` is what the commit is called, such as a branch."""
    what = log_line(name) if name else answer.commit[:_SHORT_ID] or "what would be committed"
    told = _covered(answer, what) if isinstance(answer, Covered) else _not_covered(answer, what)
    return (*told, *(f"  note: {log_line(one)}" for one in answer.remarks))


def subject_line(subject: Subject) -> str:
    """Return who was asked; the tree cannot tell it for an agent that lives elsewhere."""
    parts = {"target": subject.target, "model": subject.model, "plugin": subject.plugin}
    return ", ".join(f"{name} {log_line(value or _UNKNOWN, 200)}" for name, value in parts.items())


def row_line(row: StoredRow) -> str:
    """Return a row: scenario, verdict, how often it passed, and where it is recorded."""
    verdict = log_line(row.verdict, 40)
    when = log_line(row.ts, 40)
    name = log_line(row.name, 120)
    return f"{row.tier} {name}: {verdict} {row.passed}/{row.runs}, sweep {row.sweep_id}, {when}"


def _covered(answer: Covered, what: str) -> Iterator[str]:
    yield f"{what} is covered by recorded evidence:"
    yield from _rows(answer.rows)
    yield from _failures(answer.failing_rows)
    yield from _subjects(answer.subjects)
    if answer.thinned:
        yield "  found on this tree without the paths that are not under test"


def _not_covered(answer: NotCovered, what: str) -> Iterator[str]:
    yield f"{what} is not covered:"
    for reason in answer.reasons:
        yield f"  {reason.code}: {log_line(reason.message)}"
        yield from _facts(reason)
    yield from _failures(answer.failing_rows)
    yield from _subjects(answer.subjects)
    if answer.nearest is not None and not answer.subjects:
        yield f"  the nearest was recorded against: {subject_line(answer.nearest.row.subject)}"
    hints = list(dict.fromkeys(hint for reason in answer.reasons for hint in reason.hints))
    if hints:
        yield "  in the top folder, with this commit checked out and nothing uncommitted, run:"
        yield from (f"    {log_line(hint)}" for hint in hints)
        yield from (f"  where {said}" for said in meanings(hints))


def _facts(reason: Reason) -> Iterator[str]:
    """Yield what the sentence does not name itself."""
    facts = [fact for fact in reason.facts if named([fact]) not in reason.message]
    yield from (f"    {log_line(fact, 300)}" for fact in facts[:_MOST_FACTS])
    if len(facts) > _MOST_FACTS:
        yield f"    and {len(facts) - _MOST_FACTS} more"


def _rows(rows: Sequence[StoredRow]) -> Iterator[str]:
    """Yield the latest of `rows`, and what the others are about."""
    shown, others = rows[-_MOST_ROWS:], rows[:-_MOST_ROWS]
    yield from (f"  {row_line(row)}" for row in shown)
    if others:
        yield f"  and {len(others)} earlier: {named(dict.fromkeys(row.name for row in others))}"


def _failures(rows: Sequence[StoredRow]) -> Iterator[str]:
    yield from (f"  failed on this tree: {row_line(row)}" for row in rows[:_MOST_FACTS])
    if len(rows) > _MOST_FACTS:
        yield f"  and {len(rows) - _MOST_FACTS} more failed"


def _subjects(subjects: Sequence[Subject]) -> Iterator[str]:
    yield from (f"  recorded against: {subject_line(one)}" for one in subjects[:_MOST_FACTS])
    if len(subjects) > _MOST_FACTS:
        yield f"  and against {len(subjects) - _MOST_FACTS} more"
