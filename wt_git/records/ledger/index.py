"""The index of a ledger: a SQLite file beside it that can be made again from it at any time.

It counts only while it is about the ledger as it is now (docs/ladder.md, "The ledger's index").
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git import json_lines
from wt_git.records.ledger.row import IndexedRow, indexed_row

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet


def record_of(raw: bytes, *, one_of_many: bool = False) -> dict[str, Any] | None:
    """Return what a line of the ledger holds, exactly as `json_lines.read_lines` sees it.

    `one_of_many`: a parser is used that is twice as fast, once it is loaded.
    """
    if one_of_many:
        from pydantic_core import from_json  # noqa: PLC0415

        with contextlib.suppress(ValueError):  # half a surrogate pair, deep nesting, or no JSON
            record = from_json(raw)
            return record if isinstance(record, dict) else None
    line = json_lines.parse_line(raw.removesuffix(b"\n").removesuffix(b"\r"))
    return None if line is None else line.record


def scanned(descriptor: int) -> Iterator[tuple[int, bytes]]:
    """Yield every line with its offset, from the beginning."""
    start = 0
    with os.fdopen(os.dup(descriptor), "rb", buffering=1 << 18) as stream:
        stream.seek(0)
        for raw in stream:
            yield start, raw
            start += len(raw)


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


_APPLICATION = 0x57544C49  # "WTLI"
_VERSION = 1


class Pointed(NamedTuple):
    """Where a line stands in the ledger, and what the index says that it holds."""

    start: int
    length: int
    row: IndexedRow


def identity(status: os.stat_result) -> str:
    """Return what changes when a file is written, replaced or touched."""
    return f"{status.st_dev}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"


def boot() -> str:
    """Return what tells this start of the machine from others, where the system says it."""
    with contextlib.suppress(OSError), open("/proc/sys/kernel/random/boot_id", "rb") as stream:  # noqa: PTH123
        return stream.read().decode("ascii", "replace").strip()
    return ""


class Index:
    """An open index. Its methods raise `sqlite3.Error` when the file is not what it should be."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def close(self) -> None:
        """Let go of the file."""
        with contextlib.suppress(Exception):
            self._connection.close()

    # ---- what it is about

    def is_ours(self) -> bool:
        """Say whether the file has the tables of this version and no others."""
        run = self._connection.execute
        if run("PRAGMA application_id").fetchone()[0] != _APPLICATION:
            return False
        if run("PRAGMA user_version").fetchone()[0] != _VERSION:
            return False
        held = run("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        return sorted(sql for (sql,) in held) == sorted((*TABLES, *INDEXES))

    def is_about(self, ledger: str) -> bool:
        """Say whether the index was last written for this identity, since the machine started."""
        held = self._connection.execute("SELECT identity, boot FROM ledger").fetchone()
        return bool(held == (ledger, boot()))

    def begin(self, *, to_write: bool = False) -> None:
        """See one state until the end; nobody else writes meanwhile."""
        self._connection.execute("BEGIN IMMEDIATE" if to_write else "BEGIN")

    def end(self) -> None:
        """Write what was added."""
        self._connection.commit()

    # ---- making it

    def build(self, descriptor: int) -> None:
        """Read the ledger and keep what it holds. Raises `OSError` as well."""
        run = self._connection.execute
        run("BEGIN")
        for sql in TABLES:
            run(sql)
        writer = Writer(self._connection, is_first=True)
        writer.write(scanned(descriptor))
        for sql in INDEXES:
            run(sql)
        run("INSERT INTO ledger VALUES('', '', ?, ?)", (writer.rows, writer.skipped))
        run(f"PRAGMA application_id = {_APPLICATION}")
        run(f"PRAGMA user_version = {_VERSION}")

    def add(self, start: int, line: bytes) -> None:
        """Keep one more line, which begins at `start`."""
        writer = Writer(self._connection, is_first=False)
        writer.write([(start, line)])
        self._connection.execute(
            "UPDATE ledger SET rows = rows + ?, skipped = skipped + ?",
            (writer.rows, writer.skipped),
        )

    def set_identity(self, ledger: str) -> None:
        """Say which state of the ledger the index is about."""
        self._connection.execute("UPDATE ledger SET identity = ?, boot = ?", (ledger, boot()))

    # ---- asking it

    def counts(self) -> tuple[int, int]:
        """Return how many usable lines there are, and how many others."""
        rows, skipped = self._connection.execute("SELECT rows, skipped FROM ledger").fetchone()
        return int(rows), int(skipped)

    def first(self) -> list[Pointed]:
        """Return the first usable line, if there is one."""
        return self._pointed(self._starts("SELECT min(start) FROM line"))

    def of_target(self, target: str) -> list[Pointed]:
        """Return the first line of a target, if there is one."""
        found = self._starts(
            "SELECT min(start) FROM line INDEXED BY by_target"
            " WHERE target = (SELECT id FROM text WHERE value = ?)",
            stored(target),
        )
        return self._pointed(found)

    def for_gate(self, target: str, fingerprint: str) -> list[Pointed]:
        """Return what the gate needs of a target, in the ledger's order.

        Of each scenario the latest regression row, the latest pass, and the latest pass with
        `fingerprint`.
        """
        (found,) = self._connection.execute(
            "SELECT (SELECT id FROM text WHERE value = ?)", (stored(target),)
        ).fetchone()
        if found is None:
            return []
        starts = self._starts(
            "SELECT (SELECT max(start) FROM line INDEXED BY by_regression WHERE target = ?"
            " AND scenario = scenario.id AND tier = 'regression') FROM scenario"
            " UNION SELECT (SELECT max(start) FROM line INDEXED BY by_pass WHERE target = ?"
            " AND scenario = scenario.id AND passes) FROM scenario"
            " UNION SELECT (SELECT max(start) FROM line INDEXED BY by_evidence WHERE target = ?"
            " AND fingerprint = ? AND scenario = scenario.id AND passes) FROM scenario",
            found,
            found,
            found,
            stored(fingerprint),
        )
        return self._pointed(sorted(starts))

    def costs(
        self, scenario: tuple[str | None, str], target: str, model: str | None, limit: int
    ) -> list[Pointed]:
        """Return the latest rows of a scenario against a target on a model, newest first."""
        found = self._ids(scenario, model)
        if found is None:
            return []
        starts = self._starts(
            "SELECT start FROM line INDEXED BY by_cost WHERE target = (SELECT id FROM text WHERE value = ?)"
            " AND scenario = ? AND model IS ? ORDER BY start DESC LIMIT ?",
            stored(target),
            *found,
            limit,
        )
        return self._pointed(starts)

    def dearest(self, scenario: tuple[str | None, str], model: str | None) -> list[Pointed]:
        """Return a row of a scenario on a model with the highest cost of a run, if any is known."""
        found = self._ids(scenario, model)
        if found is None:
            return []
        starts = self._starts(
            "SELECT start FROM line INDEXED BY by_price"
            " WHERE scenario = ? AND model IS ? AND cost_per_run IS NOT NULL"
            " ORDER BY cost_per_run DESC LIMIT 1",
            *found,
        )
        return self._pointed(starts)

    def latest(self, labels: AbstractSet[str] | None) -> list[Pointed]:
        """Return what results may show: of each label, scenario and tier the latest row.

        In the ledger's order. `labels` None: of all labels.
        """
        sql = (
            "SELECT max(start) FROM line INDEXED BY by_label WHERE in_results{}"
            " GROUP BY label, scenario, tier"
        )
        return self._pointed(sorted(self._of_labels(labels, sql)))

    def of_other_versions(self, labels: AbstractSet[str] | None) -> int:
        """Return how many rows under `labels` (None: all) are those of another version."""
        sql = "SELECT count(*) FROM line INDEXED BY by_other_version WHERE in_results = 0{}"
        return sum(self._of_labels(labels, sql))

    def of_sweep(self, sweep_id: str) -> list[Pointed]:
        """Return the rows of a sweep, the latest first."""
        sql = "SELECT start FROM line INDEXED BY by_sweep WHERE sweep_id = ? ORDER BY start DESC"
        return self._pointed(self._starts(sql, stored(sweep_id)))

    def trees(self) -> set[str]:
        """Return the trees from the latest pass of each target on, and of each scenario's latest."""
        run = self._connection.execute
        found: set[Stored] = set()
        targets = run(
            "SELECT id FROM text WHERE EXISTS(SELECT 1 FROM line INDEXED BY by_target"
            " WHERE target = text.id)"
        ).fetchall()
        for (target,) in targets:
            passes = self._starts(
                "SELECT (SELECT max(start) FROM line INDEXED BY by_pass WHERE target = ?"
                " AND scenario = scenario.id AND passes) FROM scenario",
                target,
            )
            latest = max(passes, default=0)
            found.update(
                tree
                for (tree,) in run(
                    "SELECT DISTINCT git_tree FROM line INDEXED BY by_target"
                    " WHERE target = ? AND start >= ?",
                    (target, latest),
                )
            )
            for start in passes:
                found.update(run("SELECT git_tree FROM line WHERE start = ?", (start,)).fetchone())
        return {tree for tree in map(restored, found) if tree is not None}

    def _ids(
        self, scenario: tuple[str | None, str], model: str | None
    ) -> tuple[int, int | None] | None:
        """Return the numbers of a scenario and a model, None when the ledger holds no such row."""
        pack, name = scenario
        row = self._connection.execute(
            "SELECT (SELECT id FROM scenario WHERE pack = CASE WHEN ? IS NULL THEN 0 ELSE"
            " (SELECT id FROM text WHERE value = ?) END"
            " AND name = (SELECT id FROM text WHERE value = ?)),"
            " (SELECT id FROM text WHERE value = ?)",
            (stored(pack), stored(pack), stored(name), stored(model)),
        ).fetchone()
        if row[0] is None or (model is not None and row[1] is None):
            return None
        return row[0], row[1]

    def _of_labels(self, labels: AbstractSet[str] | None, sql: str) -> list[int]:
        """Return the numbers that `sql` selects under each label; of all at once without `labels`."""
        if labels is None:
            return self._starts(sql.format(""))
        sql = sql.format(" AND label = (SELECT id FROM text WHERE value = ?)")
        return [number for label in labels for number in self._starts(sql, stored(label))]

    def _starts(self, sql: str, *values: Stored) -> list[int]:
        found = self._connection.execute(sql, values).fetchall()
        return [start for (start,) in found if start is not None]

    def _pointed(self, starts: Iterable[int]) -> list[Pointed]:
        sql = (
            "SELECT length, (SELECT value FROM text WHERE id = target), tier,"
            " (SELECT value FROM text WHERE id = pack), (SELECT value FROM text WHERE id = name),"
            " (SELECT value FROM text WHERE id = label), sweep_id,"
            " (SELECT value FROM text WHERE id = model), fingerprint, git_tree, failed, passes, runs,"
            " wall_s, input_tokens, cached_tokens, output_tokens, cost_usd, tokens_known,"
            " cost_per_run, in_results FROM line JOIN scenario ON scenario.id = line.scenario WHERE start = ?"
        )
        found = []
        for start in starts:
            held = self._connection.execute(sql, (start,)).fetchone()
            if held is not None:
                length, *values = held
                found.append(Pointed(start, length, IndexedRow(*map(restored, values))))
        return found
