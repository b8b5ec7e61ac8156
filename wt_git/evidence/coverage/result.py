"""The result of a coverage check, and its text: covered, or the reasons why not.

Each reason has a stable `code` with an entry in docs/messages.md. Text from notes, files and
commits is escaped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wt_git.text import log_line, quoted_list, short_commit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from wt_git.evidence.coverage.stored_rows import AgentIdentity, StoredRow

PACK_PLACEHOLDER, RUNTIME_PLACEHOLDER = "PACK", "RUNTIME"

_PLACEHOLDER_MEANINGS = {
    f"--pack={PACK_PLACEHOLDER}": f"{PACK_PLACEHOLDER} is the name of an installed pack; for a "
    "pack in a file write --pack-source=FILE.py:NAME instead",
    f"--runtime={RUNTIME_PLACEHOLDER}": f"{RUNTIME_PLACEHOLDER} is what drives your agent: an "
    "installed runtime, or FILE.py:NAME",
}

_MOST_FACTS = 20
_MOST_ROWS = 5


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """Why a commit is not covered, as a sentence with the facts behind it.

    `hints` are commands that help.
    """

    code: str
    message: str
    facts: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()


class NearestRow(msgspec.Struct, frozen=True):
    """The passing row nearest to a commit; the `differing` files make it stale.

    `found_at` is the commit that has the row's tree, None if no such commit is known.
    `object_ids` are those of the differing files in that tree, None for a missing file.
    """

    tree: str
    found_at: str | None
    row: StoredRow
    differing: tuple[str, ...]
    object_ids: tuple[str | None, ...] = ()


class _Result(msgspec.Struct, frozen=True, kw_only=True):
    """What both results say.

    `failing_rows` failed on the commit's tree. `skipped` counts lines of notes that were ignored, by
    why. `remarks` do not change the result.
    """

    commit: str
    tree: str
    failing_rows: tuple[StoredRow, ...] = ()
    agents: tuple[AgentIdentity, ...] = ()
    skipped: Mapping[str, int] = msgspec.field(default_factory=dict)
    remarks: tuple[str, ...] = ()


class Covered(_Result, frozen=True, kw_only=True):
    """A commit whose tree has evidence that satisfies the policy: `rows`.

    A counting row answers each of the failing rows. `thinned`: the evidence was found under the
    tree without the paths in `not_under_test`.
    """

    sweeps: tuple[str, ...]
    rows: tuple[StoredRow, ...]
    thinned: bool = False


class NotCovered(_Result, frozen=True, kw_only=True):
    """A commit without such evidence, and why. Missing data is a reason, never a pass."""

    reasons: tuple[Reason, ...]
    nearest: NearestRow | None = None


CoverageResult = Covered | NotCovered


def placeholder_meanings(commands: Iterable[str]) -> list[str]:
    """Return a sentence for each placeholder in `commands`."""
    words = {word for command in commands for word in command.split(" ")}
    return [meaning for option, meaning in _PLACEHOLDER_MEANINGS.items() if option in words]


def coverage_lines(result: CoverageResult, name: str = "") -> tuple[str, ...]:
    """Return the result as lines; `name` is how the user calls the commit, such as a branch."""
    what = log_line(name) if name else short_commit(result.commit) or "what would be committed"
    lines = _covered(result, what) if isinstance(result, Covered) else _not_covered(result, what)
    return (*lines, *(f"  note: {log_line(one)}" for one in result.remarks))


def _covered(result: Covered, what: str) -> Iterator[str]:
    yield f"{what} is covered by recorded evidence:"
    shown, earlier = result.rows[-_MOST_ROWS:], result.rows[:-_MOST_ROWS]
    yield from (f"  {_row_line(row)}" for row in shown)
    if earlier:
        names = quoted_list(dict.fromkeys(row.name for row in earlier))
        yield f"  and {len(earlier)} earlier: {names}"
    yield from _failing_rows_and_agents(result)
    if result.thinned:
        yield "  found on this tree without the paths that are not under test"


def _not_covered(result: NotCovered, what: str) -> Iterator[str]:
    yield f"{what} is not covered:"
    for reason in result.reasons:
        yield f"  {reason.code}: {log_line(reason.message)}"
        # The sentence names some of the facts already.
        facts = [fact for fact in reason.facts if quoted_list([fact]) not in reason.message]
        yield from _capped([f"    {log_line(fact, 300)}" for fact in facts], "    and {} more")
    yield from _failing_rows_and_agents(result)
    if result.nearest is not None and not result.agents:
        yield f"  the nearest was recorded against: {_agent(result.nearest.row.agent)}"
    hints = list(dict.fromkeys(hint for reason in result.reasons for hint in reason.hints))
    if hints:
        yield "  in the top folder, with this commit checked out and nothing uncommitted, run:"
        yield from (f"    {log_line(hint)}" for hint in hints)
        yield from (f"  where {meaning}" for meaning in placeholder_meanings(hints))


def _failing_rows_and_agents(result: CoverageResult) -> Iterator[str]:
    failed = [f"  failed on this tree: {_row_line(row)}" for row in result.failing_rows]
    yield from _capped(failed, "  and {} more failed")
    agents = [f"  recorded against: {_agent(one)}" for one in result.agents]
    yield from _capped(agents, "  and against {} more")


def _capped(lines: Sequence[str], more: str) -> Iterator[str]:
    yield from lines[:_MOST_FACTS]
    if len(lines) > _MOST_FACTS:
        yield more.format(len(lines) - _MOST_FACTS)


def _agent(agent: AgentIdentity) -> str:
    parts = {"target": agent.target, "model": agent.model, "plugin": agent.plugin}
    return ", ".join(f"{name} {log_line(value or 'unknown', 200)}" for name, value in parts.items())


def _row_line(row: StoredRow) -> str:
    verdict, ts, name = log_line(row.verdict, 40), log_line(row.ts, 40), log_line(row.name, 120)
    return f"{row.tier} {name}: {verdict} {row.passed}/{row.runs}, sweep {row.sweep_id}, {ts}"
