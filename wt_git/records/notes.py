"""What a note holds: lines of the ledger and of the experiments file, byte for byte (docs/files.md).

A note may come from anybody who can push. So a line is read here more strictly than in the runs
directory, what is not readable is named rather than passed over, and whether a row may speak for
the tree that it is filed under is a question of its own.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import msgspec

from wt_git.decoding import convert
from wt_git.records.ledger.row import Row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LONGEST_LINE = 64 * 1024
"""Bytes; a ledger row has about two thousand."""

SWEEP_ID = re.compile(r"[0-9a-f]{12}")

LineKind = Literal["row", "sweep", "review"]
Unreadable = Literal["too-long", "not-utf-8", "not-json", "duplicate-key", "unknown-record"]


class NoteLine(msgspec.Struct, frozen=True):
    """A readable line: which record it holds, the record, and the line itself."""

    kind: LineKind
    record: dict[str, Any]
    raw: bytes


class UnreadableLine(msgspec.Struct, frozen=True):
    """A line that proves nothing, and why."""

    why: Unreadable
    raw: bytes


class NoteContent(msgspec.Struct):
    """All lines of one note, by their kind."""

    rows: list[NoteLine] = msgspec.field(default_factory=list)
    sweeps: list[NoteLine] = msgspec.field(default_factory=list)
    reviews: list[NoteLine] = msgspec.field(default_factory=list)
    unreadable: list[UnreadableLine] = msgspec.field(default_factory=list)

    @property
    def review(self) -> NoteLine | None:
        """The review that counts: of several, the one with the greatest time, then line."""
        return max(self.reviews, key=_time_and_line, default=None)


class _DuplicateKeyError(ValueError):
    pass


def read_note(lines: Iterable[bytes], sweep_id: str) -> NoteContent:
    """Sort out the lines of the note of one sweep; a record of another sweep is unreadable here."""
    content = NoteContent()
    by_kind = {"row": content.rows, "sweep": content.sweeps, "review": content.reviews}
    for raw in lines:
        line = read_line(raw)
        if isinstance(line, UnreadableLine):
            content.unreadable.append(line)
        elif line.record.get("sweep_id") != sweep_id:
            content.unreadable.append(UnreadableLine("unknown-record", raw))
        else:
            by_kind[line.kind].append(line)
    return content


def read_line(raw: bytes) -> NoteLine | UnreadableLine:
    """Read one line of a note. Never raises: a note that broke its reader would hide the others."""
    if len(raw) > LONGEST_LINE:
        return UnreadableLine("too-long", raw)
    try:
        record = json.loads(
            raw.decode("utf-8"), object_pairs_hook=_without_duplicates, parse_constant=_no_constant
        )
    except UnicodeDecodeError:
        return UnreadableLine("not-utf-8", raw)
    except _DuplicateKeyError:
        return UnreadableLine("duplicate-key", raw)
    except (ValueError, RecursionError):
        return UnreadableLine("not-json", raw)
    kind = _kind(record) if isinstance(record, dict) else None
    return NoteLine(kind, record, raw) if kind else UnreadableLine("unknown-record", raw)


def recorded_trees(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the trees that a row is about, by its own account."""
    return convert(row, Row, lenient=True).trees


def speaks_for(row: Mapping[str, Any], tree_id: str) -> bool:
    """Say whether a row is about that tree, by its own account."""
    return tree_id in recorded_trees(row)


def _time_and_line(line: NoteLine) -> tuple[str, bytes]:
    time = line.record.get("ts")
    return (time if isinstance(time, str) else "", line.raw)


def _kind(record: Mapping[str, Any]) -> LineKind | None:
    if "windtunnel_ledger" in record:
        return "row"
    if record.get("windtunnel_experiment") != 1:
        return None
    kind = record.get("kind")
    if kind == "sweep":
        return "sweep"
    return "review" if kind == "review" else None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _DuplicateKeyError
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
