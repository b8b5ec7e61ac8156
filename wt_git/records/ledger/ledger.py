"""`Ledger` answers questions about the ledger without reading all of it (docs/files.md, "Ledger").

An answer is the same as that of reading every line of the ledger now.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from wt_git import files
from wt_git.clock import SystemClock
from wt_git.errors import UsageError
from wt_git.records import layout
from wt_git.records.ledger.index import identity, record_of
from wt_git.records.ledger.index_file import make_index, open_private, usable_index
from wt_git.records.ledger.row import (
    LedgerResults,
    PastCost,
    cost_per_run,
    gate_row,
    indexed_row,
    past_cost,
    result_row,
    rows_that_stand,
)
from wt_git.records.notes import recorded_trees

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet
    from decimal import Decimal
    from pathlib import Path

    from wt_git.records.ledger.index import Index, Pointed
    from wt_git.records.ledger.row import GateRow, IndexedRow, ScenarioId

__all__ = ["Ledger", "PastCost"]

Answer = TypeVar("Answer")

_SMALL = 1 << 17
_TRIES = 5
_TICK_NS = 20_000_000
_COARSE_TICK_NS = 2_000_000_000
_SECOND_NS = 1_000_000_000


class Ledger:
    """The ledger of a runs directory, as it is whenever it is asked.

    One object serves a whole command, from any thread. A ledger of less than `small` bytes is simply
    read. `keep_index` false writes nothing: what there is of an index is used, and a large ledger
    without one is read once. Every question raises `UsageError` when the ledger cannot be read.
    """

    def __init__(self, runs_dir: Path, *, keep_index: bool = True, small: int = _SMALL) -> None:
        self._runs_dir = runs_dir
        self._path = runs_dir / layout.LEDGER
        self._keep_index = keep_index
        self._small = small
        self._private: _Private | None = None
        self._lock = threading.Lock()

    @property
    def skipped(self) -> int:
        """How many lines hold no row: torn ones, and what else is not a JSON object."""
        return self._ask(lambda index, _descriptor: index.counts()[1], 0)

    def has_rows(self) -> bool:
        """Say whether there is any row, of whatever target, age or shape."""
        return bool(self._rows(lambda index: index.first()))

    def has_target(self, target: str, *others: str) -> bool:
        """Say whether any row is against one of these targets."""

        def find(index: Index) -> list[Pointed]:
            return next(filter(None, map(index.of_target, (target, *others))), [])

        return bool(self._rows(find))

    def gate_rows(self, target: str, fingerprint: str, *others: str) -> list[GateRow]:
        """Return the rows against these targets that decide on a regression, in the ledger's order.

        Against each target, of each scenario the latest regression row, the latest focused pass, and
        the latest focused pass with this fingerprint. Empty says nothing about history: that is
        `has_target`.
        """

        def find(index: Index) -> list[Pointed]:
            found = [row for one in (target, *others) for row in index.for_gate(one, fingerprint)]
            return sorted(found, key=lambda row: row.start)

        found = self._rows(find)
        rows = [gate_row(one.record) for one in found]
        return [row for row in rows if row is not None]

    def spent(
        self, scenario: ScenarioId, target: str, model: str | None, limit: int = 20
    ) -> list[PastCost]:
        """Return what the latest rows of a scenario cost, newest first.

        `model` is the label under test, None for rows that were recorded without one.
        """
        found = self._rows(lambda index: index.costs(scenario, target, model, limit))
        return [past_cost(one.row) for one in found]

    def highest_cost_per_run(self, scenario: ScenarioId, model: str | None) -> Decimal | None:
        """Return the most that a run of a scenario cost on a model, on average over a row.

        Only rows count whose price is known with its tokens; None without any.
        """
        found = self._rows(lambda index: index.dearest(scenario, model))
        return cost_per_run(found[0].row) if found else None

    def trees_that_matter(self) -> set[str]:
        """Return the trees of rows that can still explain a refusal.

        Per target these are the rows from its latest focused pass on, and the latest focused pass of
        each scenario: no other can be the pass that went stale.
        """
        return self._ask(lambda index, _descriptor: index.trees(), set())

    def results(self, labels: AbstractSet[str] | None) -> LedgerResults:
        """Return the rows under `labels` (exact; None: all of them) that say what is working."""

        def find(index: Index, ledger: int) -> LedgerResults:
            found = (result_row(_read(ledger, one).record) for one in index.latest(labels))
            passed_over = index.counts()[1] + index.of_other_versions(labels)
            return LedgerResults(rows_that_stand(found), passed_over)

        return self._ask(find, LedgerResults({}, 0))

    def trees_of_sweep(self, sweep_id: str) -> tuple[str, ...]:
        """Return the trees that the rows of a sweep are about; empty when none says so.

        The latest row that says it answers for all: those of one sweep agree.
        """

        def find(index: Index, ledger: int) -> tuple[str, ...]:
            rows = (_read(ledger, one).record for one in index.of_sweep(sweep_id))
            return next(filter(None, map(recorded_trees, rows)), ())

        return self._ask(find, ())

    def close(self) -> None:
        """Forget what was read. A later question reads again."""
        with self._lock:
            self._forget()

    def _rows(self, find: Callable[[Index], Sequence[Pointed]]) -> list[_Row]:
        """Return the rows that the index finds, read from the ledger itself."""
        return self._ask(lambda index, ledger: [_read(ledger, one) for one in find(index)], [])

    def _ask(self, question: Callable[[Index, int], Answer], nothing: Answer) -> Answer:
        """Ask an index that is about the ledger as it is now; an answer of a bad one is not used."""
        with self._lock:
            for attempt in range(_TRIES):
                try:
                    descriptor = files.open_regular(self._path)
                except OSError as error:
                    raise self._unreadable(error.strerror or str(error)) from error
                if descriptor is None:
                    return nothing
                try:
                    return self._answer(descriptor, question, attempt)
                except _BadIndexError:
                    self._forget()
                finally:
                    os.close(descriptor)
        raise self._unreadable("it keeps changing while it is read", retryable=True)

    def _answer(
        self, descriptor: int, question: Callable[[Index, int], Answer], attempt: int
    ) -> Answer:
        index = self._shared(descriptor, attempt)
        try:
            return question(index or self._own(descriptor), descriptor)
        except UsageError:
            raise
        except Exception as error:
            # A damaged file may answer anything: an error of SQLite, or a value of any type.
            raise _BadIndexError from error
        finally:
            if index is not None:
                index.close()

    def _shared(self, descriptor: int, attempt: int) -> Index | None:
        """Return the index beside the ledger, made again where that is needed and worth it."""
        if attempt > 1:
            return None
        if attempt == 0:
            index = usable_index(self._runs_dir, descriptor)
            if index is not None or self._private_is_usable(descriptor):
                return index
        if not self._keep_index or os.fstat(descriptor).st_size < self._small:
            return None
        if not make_index(self._runs_dir, descriptor, anew=attempt > 0):
            return None
        return usable_index(self._runs_dir, descriptor)

    def _own(self, descriptor: int) -> Index:
        """Return an index of this object's own."""
        if not self._private_is_usable(descriptor):
            self._forget()
            status = os.fstat(descriptor)
            lasts = _is_settled(status)
            try:
                index = _built(descriptor, large=status.st_size > self._small)
            except OSError as error:
                raise self._unreadable(error.strerror or str(error)) from error
            if identity(os.fstat(descriptor)) != identity(status):
                index.close()
                raise _BadIndexError
            closing = weakref.finalize(self, index.close)
            self._private = _Private(index, identity(status) if lasts else "", closing)
        assert self._private is not None
        return self._private.held

    def _private_is_usable(self, descriptor: int) -> bool:
        own = self._private
        return own is not None and own.about == identity(os.fstat(descriptor))

    def _forget(self) -> None:
        if self._private is not None:
            self._private.closing()
            self._private = None

    def _unreadable(self, reason: str, *, retryable: bool = False) -> UsageError:
        return UsageError(
            f"cannot read the ledger '{self._path}': {reason}; move it away or mend it, or name "
            "another runs directory",
            code="ledger-unreadable",
            facts={"path": str(self._path), "reason": reason},
            retryable=retryable,
        )


class _Private(NamedTuple):
    """An index of one process, and the ledger that it is about; none serves one question only."""

    held: Index
    about: str
    closing: weakref.finalize[Any, Any]


class _Row(NamedTuple):
    """A row of the ledger, and what the index keeps of it."""

    record: dict[str, Any]
    row: IndexedRow


class _BadIndexError(Exception):
    """The index does not say what the ledger says."""


def _read(descriptor: int, pointed: Pointed) -> _Row:
    record = record_of(os.pread(descriptor, pointed.length, pointed.start))
    if record is None or indexed_row(record) != pointed.row:
        raise _BadIndexError
    return _Row(record, pointed.row)


def _built(descriptor: int, *, large: bool) -> Index:
    """Return an index that nobody else sees; in memory where no other place is left."""
    import sqlite3  # noqa: PLC0415 - for commands that ask a ledger

    try:
        return _filled(open_private(large=large), descriptor)
    except sqlite3.Error:
        return _filled(open_private(large=False), descriptor)


def _filled(index: Index, descriptor: int) -> Index:
    try:
        index.build(descriptor)
        index.end()
    except BaseException:
        index.close()
        raise
    return index


def _is_settled(status: os.stat_result) -> bool:
    """Say whether a change from now on would show in the times of a file.

    They advance in ticks, of whole seconds on some file systems; what changed within this one may
    change once more unseen.
    """
    is_coarse = status.st_ctime_ns % _SECOND_NS == 0
    passed_ns = SystemClock().now().timestamp() * 1e9 - status.st_ctime_ns
    return passed_ns > (_COARSE_TICK_NS if is_coarse else _TICK_NS)
