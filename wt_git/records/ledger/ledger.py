"""`Ledger` answers questions about the ledger without reading all of it (docs/files.md, "Ledger").

An answer is the same as that of reading every line of the ledger now. The index that makes it quick is
checked before it is used: see `wt_git/records/ledger/index.py`.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, TypeVar

from wt_git import files
from wt_git import files as json_lines
from wt_git.clock import SystemClock
from wt_git.errors import UsageError, os_reason
from wt_git.records import layout
from wt_git.records.ledger.index import (
    MOST_PAST_ROWS,
    DamagedIndexError,
    Index,
    identity,
    make_index,
    read_at,
    read_index,
    write_again,
)
from wt_git.records.ledger.row import LedgerResults, read_row, rows_that_stand

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Set as AbstractSet
    from decimal import Decimal
    from pathlib import Path

    from wt_git.records.ledger.row import Row, ScenarioId

Answer = TypeVar("Answer")

_SMALL = 1 << 17
_TRIES = 5
_TICK_NS = 20_000_000
_COARSE_TICK_NS = 2_000_000_000
_SECOND_NS = 1_000_000_000


class Ledger:
    """The ledger of a runs directory, as it is whenever it is asked.

    One object serves a whole command, from any thread. A ledger of less than `small` bytes is simply
    read. `keep_index` false writes nothing: an index that is there is used, and a large ledger
    without one is read once. Every question raises `UsageError` when the ledger cannot be read.
    """

    def __init__(self, runs_dir: Path, *, keep_index: bool = True, small: int = _SMALL) -> None:
        self._runs_dir = runs_dir
        self._path = runs_dir / layout.LEDGER
        self._keep_index = keep_index
        self._small = small
        self._held: Index | None = None
        self._lock = threading.Lock()

    @property
    def skipped(self) -> int:
        """How many lines hold no row: torn ones, and those that are no JSON object."""
        return self._ask(lambda index, _: index.skipped, 0)

    def has_rows(self) -> bool:
        """Say whether there is any row, of any target, age or shape."""
        return bool(self._ask(lambda index, _: index.rows, 0))

    def has_target(self, target: str, *others: str) -> bool:
        """Say whether any row is against one of these targets."""
        targets = {target, *others}
        found = self._rows(
            lambda index: [start for one in targets for start in index.of_target(one)],
            lambda row: row.target in targets,
        )
        return bool(found)

    def gate_rows(self, target: str, fingerprint: str, *others: str) -> list[Row]:
        """Return the rows against these targets that decide on a regression, in the ledger's order.

        Against each target, of each scenario the latest regression row, the latest focused pass, and
        the latest focused pass with this fingerprint. Empty says nothing about history: that is
        `has_target`.
        """
        targets = {target, *others}
        return self._rows(
            lambda index: sorted(at for one in targets for at in index.for_gate(one, fingerprint)),
            lambda row: row.target in targets,
        )

    def spent(
        self, scenario: ScenarioId, target: str, model: str | None, limit: int = 20
    ) -> list[Row]:
        """Return the latest rows of a scenario, newest first, for their costs.

        `model` is the label under test, None for rows that were recorded without one. `limit` is at
        most `MOST_PAST_ROWS`.
        """
        assert limit <= MOST_PAST_ROWS
        wanted = (scenario, target, model)
        return self._rows(
            lambda index: index.past(scenario, target, model)[:limit],
            lambda row: (row.scenario, row.target, row.model_under_test) == wanted,
        )

    def highest_cost_per_run(self, scenario: ScenarioId, model: str | None) -> Decimal | None:
        """Return the most that a run of a scenario cost on a model, on average over a row.

        Only rows count with a known price that covers the tokens; None without any.
        """
        found = self._rows(
            lambda index: index.dearest(scenario, model),
            lambda row: (row.scenario, row.model_under_test) == (scenario, model),
        )
        return found[0].cost_per_run if found else None

    def trees_that_matter(self) -> set[str]:
        """Return the trees of rows that can still explain a refusal.

        Per target these are the rows from its latest focused pass on, and the latest focused pass of
        each scenario: no other can be the pass that went stale.
        """
        rows = self._rows(lambda index: index.with_trees(), lambda row: row.target is not None)
        return {row.git_tree for row in rows if row.git_tree is not None}

    def results(self, labels: AbstractSet[str] | None) -> LedgerResults:
        """Return the rows that results rest on under `labels` (exact; None: all of them)."""

        def find(index: Index, ledger: int) -> LedgerResults:
            rows = _read(ledger, index.shown(labels), lambda row: bool(row.may_be_shown))
            return LedgerResults(
                rows_that_stand(rows), index.skipped + index.of_other_versions(labels)
            )

        return self._ask(find, LedgerResults({}, 0))

    def trees_of_sweep(self, sweep_id: str) -> tuple[str, ...]:
        """Return the trees that the rows of a sweep are about; empty when no row says so.

        The latest row that says it answers for all: those of one sweep agree.
        """

        def find(index: Index, ledger: int) -> tuple[str, ...]:
            between = index.of_sweep(sweep_id)
            rows = _backwards(ledger, *between) if between is not None else iter(())
            return next((row.trees for row in rows if row.sweep_id == sweep_id and row.trees), ())

        return self._ask(find, ())

    def close(self) -> None:
        """Let go of the index. A later question reads again."""
        with self._lock:
            self._held = None

    def _rows(
        self, starts: Callable[[Index], Iterable[int]], fits: Callable[[Row], bool]
    ) -> list[Row]:
        nothing: list[Row] = []
        return self._ask(lambda index, ledger: _read(ledger, starts(index), fits), nothing)

    def _ask(self, question: Callable[[Index, int], Answer], nothing: Answer) -> Answer:
        """Ask an index that is about the ledger as it is now; an answer of a bad one is not used."""
        with self._lock:
            for attempt in range(_TRIES):
                try:
                    ledger = files.open_regular(self._path)
                except OSError as error:
                    raise self._unreadable(os_reason(error)) from error
                if ledger is None:
                    return nothing
                try:
                    return question(self._index(ledger, attempt), ledger)
                except (KeyError, OSError, ValueError):
                    # A damaged file may say anything: entries cut short, offsets that are none.
                    self._held = None
                finally:
                    os.close(ledger)
        raise self._unreadable("it keeps changing while it is read", retryable=True)

    def _index(self, ledger: int, attempt: int) -> Index:
        """Return an index of the open ledger: the one held, the one beside it, or one of our own."""
        status = os.fstat(ledger)
        if self._held is None or self._held.about != identity(status):
            self._held = self._shared(ledger, status, attempt) or self._own(ledger, status)
        return self._held

    def _own(self, ledger: int, status: os.stat_result) -> Index:
        """Return an index that is not kept; it serves only once if the ledger may change unseen."""
        index = Index(identity(status) if _is_settled(status) else "")
        try:
            index.extend(ledger, status.st_size)
        except OSError as error:
            raise self._unreadable(os_reason(error)) from error
        if identity(os.fstat(ledger)) != identity(status):
            raise DamagedIndexError
        return index

    def _shared(self, ledger: int, status: os.stat_result, attempt: int) -> Index | None:
        """Return the index beside the ledger, made again where that is needed and worth it."""
        if attempt == 0 and (index := read_index(self._runs_dir, ledger)) is not None:
            if self._keep_index and index.behind > _SMALL:
                write_again(self._runs_dir, ledger, index)
            return index
        if attempt > 1 or not self._keep_index or status.st_size < self._small:
            return None
        return make_index(self._runs_dir, ledger, anew=attempt > 0)

    def _unreadable(self, reason: str, *, retryable: bool = False) -> UsageError:
        return UsageError(
            f"cannot read the ledger '{self._path}': {reason}; move it away or mend it, or name "
            "another runs directory",
            code="ledger-unreadable",
            facts={"path": str(self._path), "reason": reason},
            retryable=retryable,
        )


def _read(ledger: int, starts: Iterable[int], fits: Callable[[Row], bool]) -> list[Row]:
    """Return the rows at these offsets. Raises `DamagedIndexError` unless all of them fit."""
    rows = [read_at(ledger, start) for start in starts]
    if not all(map(fits, rows)):
        raise DamagedIndexError
    return rows


def _backwards(ledger: int, first: int, last: int) -> Iterator[Row]:
    """Yield the rows from that at `last` back to that at `first`."""
    with os.fdopen(os.dup(ledger), "rb") as stream:
        for line in json_lines.lines_before(stream, last + len(read_at(ledger, last).raw)):
            if line.start < first:
                return
            if (row := read_row(line.data)) is not None:
                yield row


def _is_settled(status: os.stat_result) -> bool:
    """Say whether a change from now on would show in the times of a file.

    File times advance in ticks, of whole seconds on some file systems; a second change within the same
    tick is not seen.
    """
    is_coarse = status.st_ctime_ns % _SECOND_NS == 0
    passed_ns = SystemClock().now().timestamp() * 1e9 - status.st_ctime_ns
    return passed_ns > (_COARSE_TICK_NS if is_coarse else _TICK_NS)
