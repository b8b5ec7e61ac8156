"""The tables of a ledger's index, and how lines get into them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.records.ledger_lines import record_of
from wt_git.records.ledger_rows import indexed_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping

    from wt_git.records.ledger_rows import IndexedRow

TABLES = (
    "CREATE TABLE ledger(identity, boot, rows, skipped)",
    "CREATE TABLE text(id INTEGER PRIMARY KEY, value UNIQUE)",
    # A pack that is not known is 0, since nulls would all differ.
    "CREATE TABLE scenario(id INTEGER PRIMARY KEY, pack INTEGER, name INTEGER, UNIQUE(pack, name))",
    (
        "CREATE TABLE line(start INTEGER PRIMARY KEY, length INTEGER, target INTEGER, tier,"
        " scenario INTEGER, label INTEGER, sweep_id, model INTEGER, fingerprint, git_tree, failed,"
        " passes, runs, wall_s, input_tokens, cached_tokens, output_tokens, cost_usd, tokens_known,"
        " cost_per_run, in_results)"
    ),
)
# Each ends in the offset of the line, as every index of SQLite does: the latest is its last entry.
INDEXES = (
    "CREATE INDEX by_target ON line(target)",
    "CREATE INDEX by_regression ON line(target, scenario) WHERE tier = 'regression'",
    "CREATE INDEX by_pass ON line(target, scenario) WHERE passes",
    "CREATE INDEX by_evidence ON line(target, fingerprint, scenario) WHERE passes",
    "CREATE INDEX by_cost ON line(target, scenario, model)",
    "CREATE INDEX by_price ON line(scenario, model, cost_per_run) WHERE cost_per_run IS NOT NULL",
    "CREATE INDEX by_label ON line(label, scenario, tier) WHERE in_results",
    "CREATE INDEX by_other_version ON line(label) WHERE in_results = 0",
    "CREATE INDEX by_sweep ON line(sweep_id)",
)
_INSERT = f"INSERT INTO line VALUES({', '.join('?' * 21)})"
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


def restored(value: Any) -> Any:
    """Return the text that `stored` made what it is."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else value
