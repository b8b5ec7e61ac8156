"""The result of a coverage check, and how it is printed: covered, or the reasons why not.

Each reason has a stable `code` with an entry in docs/messages.md. Text that came from notes, files
or commits is escaped.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wt_git.text import log_line, quoted_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from wt_git.evidence.coverage.stored_rows import AgentIdentity, StoredRow

PACK_PLACEHOLDER, RUNTIME_PLACEHOLDER = "PACK", "RUNTIME"

_MEANINGS = {
    f"--pack={PACK_PLACEHOLDER}": f"{PACK_PLACEHOLDER} is the name of an installed pack; for one in a file write "
    "--pack-source=FILE.py:NAME instead",
    f"--runtime={RUNTIME_PLACEHOLDER}": f"{RUNTIME_PLACEHOLDER} is what drives your agent: an installed runtime, or "
    "FILE.py:NAME",
}


def placeholder_meanings(commands: Iterable[str]) -> list[str]:
    """Return a sentence for each placeholder in `commands`."""
    words = {word for command in commands for word in command.split(" ")}
    return [said for placeholder, said in _MEANINGS.items() if placeholder in words]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a commit is not covered: the rule, what was seen by name, and the commands that help."""

    code: str
    message: str
    facts: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NearestRow:
    """The evidence that is closest to a commit: `differing` are the files that make it stale.

    `found_at` is the commit whose tree it is about, None when no commit of that state is known.
    `held` is what its tree has at these, object ids, None for nothing.
    """

    tree: str
    found_at: str | None
    row: StoredRow
    differing: tuple[str, ...]
    held: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedLines:
    """Lines of notes that nothing was concluded from: how many, by why."""

    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many lines were skipped."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """A commit whose tree has evidence that satisfies the policy.

    `rows` count, `failing_rows` failed on the same tree and were answered by a counting row;
    `subjects` says what was asked. `thinned`: found under the tree without what no experiment
    depends on. `remarks` are sentences that do not change the answer.
    """

    commit: str
    tree: str
    sweeps: tuple[str, ...]
    rows: tuple[StoredRow, ...]
    failing_rows: tuple[StoredRow, ...] = ()
    subjects: tuple[AgentIdentity, ...] = ()
    thinned: bool = False
    skipped: SkippedLines = SkippedLines()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCovered:
    """A commit without such evidence, and why; missing data is a reason, never a pass."""

    commit: str
    tree: str
    reasons: tuple[Reason, ...]
    failing_rows: tuple[StoredRow, ...] = ()
    subjects: tuple[AgentIdentity, ...] = ()
    nearest: NearestRow | None = None
    skipped: SkippedLines = SkippedLines()
    remarks: tuple[str, ...] = ()


CoverageResult = Covered | NotCovered


_MOST_FACTS = 20
_MOST_ROWS = 5
_SHORT_ID = 10
_UNKNOWN = "unknown"


def coverage_lines(answer: CoverageResult, name: str = "") -> tuple[str, ...]:
    """Return the answer, a line each; `name` is what the commit is called, such as a branch."""
    what = log_line(name) if name else answer.commit[:_SHORT_ID] or "what would be committed"
    told = _covered(answer, what) if isinstance(answer, Covered) else _not_covered(answer, what)
    return (*told, *(f"  note: {log_line(one)}" for one in answer.remarks))


def agent_line(subject: AgentIdentity) -> str:
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
    yield from _agents(answer.subjects)
    if answer.thinned:
        yield "  found on this tree without the paths that are not under test"


def _not_covered(answer: NotCovered, what: str) -> Iterator[str]:
    yield f"{what} is not covered:"
    for reason in answer.reasons:
        yield f"  {reason.code}: {log_line(reason.message)}"
        yield from _facts(reason)
    yield from _failures(answer.failing_rows)
    yield from _agents(answer.subjects)
    if answer.nearest is not None and not answer.subjects:
        yield f"  the nearest was recorded against: {agent_line(answer.nearest.row.subject)}"
    hints = list(dict.fromkeys(hint for reason in answer.reasons for hint in reason.hints))
    if hints:
        yield "  in the top folder, with this commit checked out and nothing uncommitted, run:"
        yield from (f"    {log_line(hint)}" for hint in hints)
        yield from (f"  where {said}" for said in placeholder_meanings(hints))


def _facts(reason: Reason) -> Iterator[str]:
    """Yield what the sentence does not name itself."""
    facts = [fact for fact in reason.facts if quoted_list([fact]) not in reason.message]
    yield from (f"    {log_line(fact, 300)}" for fact in facts[:_MOST_FACTS])
    if len(facts) > _MOST_FACTS:
        yield f"    and {len(facts) - _MOST_FACTS} more"


def _rows(rows: Sequence[StoredRow]) -> Iterator[str]:
    """Yield the latest of `rows`, and what the others are about."""
    shown, others = rows[-_MOST_ROWS:], rows[:-_MOST_ROWS]
    yield from (f"  {row_line(row)}" for row in shown)
    if others:
        yield f"  and {len(others)} earlier: {quoted_list(dict.fromkeys(row.name for row in others))}"


def _failures(rows: Sequence[StoredRow]) -> Iterator[str]:
    yield from (f"  failed on this tree: {row_line(row)}" for row in rows[:_MOST_FACTS])
    if len(rows) > _MOST_FACTS:
        yield f"  and {len(rows) - _MOST_FACTS} more failed"


def _agents(subjects: Sequence[AgentIdentity]) -> Iterator[str]:
    yield from (f"  recorded against: {agent_line(one)}" for one in subjects[:_MOST_FACTS])
    if len(subjects) > _MOST_FACTS:
        yield f"  and against {len(subjects) - _MOST_FACTS} more"
