"""Lines of a ledger, and how they get into the tables of its index."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from wt_git import files
from wt_git.records.ledger_rows import indexed_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping

    from wt_git.records.ledger_rows import IndexedRow

_INSERT = f"INSERT INTO line VALUES({', '.join('?' * 20)})"
_BATCH = 2000
_MANY = 5000  # lines that are read in the time that the faster parser takes to load

Stored = str | bytes | int | float | None


class Writer:
    """Puts lines into the tables, each text once. `is_first`: nothing is in them yet."""

    def __init__(self, connection: sqlite3.Connection, *, is_first: bool) -> None:
        self._connection = connection
        self._is_first = is_first
        self._texts: dict[str, int] = {}
        self._scenarios: dict[tuple[int, int], int] = {}
        self._new_texts: list[tuple[int, Stored]] = []
        self._new_scenarios: list[tuple[int, int, int]] = []
        self.rows = 0
        self.skipped = 0

    def write(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Keep lines, each with its offset."""
        batch: list[tuple[Stored, ...]] = []
        for number, (start, raw) in enumerate(lines):
            record = record_of(raw, one_of_many=number > _MANY)
            if record is None:
                self.skipped += bool(raw.strip())
                continue
            batch.append(self._values(start, len(raw), indexed_row(record)))
            if len(batch) == _BATCH:
                self._flush(batch)
                batch.clear()
        self._flush(batch)

    def _flush(self, batch: list[tuple[Stored, ...]]) -> None:
        run = self._connection.executemany
        run("INSERT INTO text VALUES(?, ?)", self._new_texts)
        run("INSERT INTO scenario VALUES(?, ?, ?)", self._new_scenarios)
        run(_INSERT, batch)
        self._new_texts.clear()
        self._new_scenarios.clear()
        self.rows += len(batch)

    def _values(self, start: int, length: int, row: IndexedRow) -> tuple[Stored, ...]:
        return (
            start,
            length,
            self._text(row.target),
            stored(row.tier),
            self._scenario(row.pack, row.scenario),
            self._text(row.label),
            stored(row.sweep_id),
            self._text(row.model),
            stored(row.fingerprint),
            stored(row.git_tree),
            *row[9:],
        )

    def _text(self, text: str | None) -> int | None:
        if text is None:
            return None
        known = self._texts.get(text)
        if known is None:
            known = self._held("SELECT id FROM text WHERE value = ?", stored(text))
            if known is None:
                known = self._next("text", self._texts)
                self._new_texts.append((known, stored(text)))
            self._texts[text] = known
        return known

    def _scenario(self, pack: str | None, name: str) -> int:
        key = (self._text(pack) or 0, self._text(name) or 0)
        known = self._scenarios.get(key)
        if known is None:
            known = self._held("SELECT id FROM scenario WHERE pack = ? AND name = ?", *key)
            if known is None:
                known = self._next("scenario", self._scenarios)
                self._new_scenarios.append((known, *key))
            self._scenarios[key] = known
        return known

    def _held(self, sql: str, *values: Stored) -> int | None:
        if self._is_first:
            return None
        held = self._connection.execute(sql, values).fetchone()
        return None if held is None else int(held[0])

    def _next(self, table: str, numbers: Mapping[Any, int]) -> int:
        """Return a number that is not taken: `numbers` are those given in this go."""
        if self._is_first:
            return len(numbers) + 1
        (highest,) = self._connection.execute(f"SELECT max(id) FROM {table}").fetchone()  # noqa: S608
        return max(int(highest or 0), *numbers.values(), 0) + 1


def stored(text: str | None) -> str | bytes | None:
    """Return a text as SQLite can hold it: half a surrogate pair has no UTF-8 form."""
    if text is None or text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def record_of(raw: bytes, *, one_of_many: bool = False) -> dict[str, Any] | None:
    """Return what a line of the ledger holds, exactly as `files.read_lines` sees it.

    `one_of_many`: a parser is used that is twice as fast, once it is loaded.
    """
    if one_of_many:
        from pydantic_core import from_json  # noqa: PLC0415

        with contextlib.suppress(ValueError):  # half a surrogate pair, deep nesting, or no JSON
            record = from_json(raw)
            return record if isinstance(record, dict) else None
    line = files.parse_line(raw.removesuffix(b"\n").removesuffix(b"\r"))
    return None if line is None else line.record


def scanned(descriptor: int) -> Iterator[tuple[int, bytes]]:
    """Yield every line with its offset, from the beginning."""
    start = 0
    with os.fdopen(os.dup(descriptor), "rb", buffering=1 << 18) as stream:
        stream.seek(0)
        for raw in stream:
            yield start, raw
            start += len(raw)
