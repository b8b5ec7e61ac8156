"""How much money a sweep may spend (docs/ladder.md, "A ceiling in money").

`Spending` is the arithmetic, without effects. `Ceiling` shares it between the threads of a sweep. A
run waits while it depends on runs in flight whether it may start.
"""

from __future__ import annotations

import threading
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

import msgspec

from wt_git.errors import UsageError
from wt_git.ladder.pricing import EXACT, known_total, least_total, plain_decimal
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.config import Ladder
    from wt_git.records.ledger.row import ScenarioId
    from wt_git.records.sweep_records import CostUsd

StartDecision = Literal["start", "wait", "refuse"]

_NOTHING = Decimal(0)
# Stopping a sweep wakes no waiting run, so each looks again after this time.
_LOOK_AGAIN_S = 0.1


def resolve_ceiling(asked: Decimal | None, ladder: Ladder) -> Decimal | None:
    """Return the amount that a sweep may spend: `asked`, else `max_cost`; None for no limit.

    Raises `UsageError` for more than `max_cost`, and if no prices are configured.
    """
    if asked is not None and ladder.pricing is None:
        raise UsageError(
            f"--max-cost {plain_decimal(asked)} needs prices, and there is no "
            "[tool.windtunnel.ladder.pricing] in pyproject.toml: without one, no run's cost is known",
            code="max-cost-without-prices",
            facts={"max_cost": float(asked)},
        )
    most = ladder.max_cost
    if asked is None or most is None:
        return most if asked is None else asked
    if asked > most:
        raise UsageError(
            f"--max-cost {plain_decimal(asked)} exceeds the max_cost of {plain_decimal(most)} in "
            "[tool.windtunnel.ladder]; --max-cost may only lower it",
            code="max-cost-raised",
            facts={"max_cost": float(asked), "highest_max_cost": float(most)},
        )
    return asked


class Spending(msgspec.Struct, frozen=True, kw_only=True):
    """The amount `spent` under `limit`, and the reserves of the runs `in_flight`.

    The first run of a scenario may have an unknown cost: its reserve is None, and it runs alone. If
    its cost is still unknown when it ends, `is_bounded` becomes false.
    """

    limit: Decimal
    spent: Decimal = _NOTHING
    in_flight: tuple[Decimal | None, ...] = ()
    is_bounded: bool = True

    def decide(self, reserve: Decimal | None) -> StartDecision:
        """Say whether a run with this reserve may start now, perhaps later, or never."""
        if not self.is_bounded:
            return "refuse"
        if reserve is None:
            if self.spent >= self.limit:
                return "refuse"
            return "wait" if self.in_flight else "start"
        if EXACT.add(self.spent, reserve) > self.limit:
            return "refuse"
        committed = self.spent
        for other in self.in_flight:
            if other is None:
                return "wait"
            committed = EXACT.add(committed, other)
        return "start" if EXACT.add(committed, reserve) <= self.limit else "wait"

    def started(self, reserve: Decimal | None) -> Spending:
        """Return the spending with one more run in flight."""
        return msgspec.structs.replace(self, in_flight=(*self.in_flight, reserve))

    def released(self, reserve: Decimal | None) -> Spending:
        """Return the spending without a run that had `reserve` and cost nothing."""
        remaining = list(self.in_flight)
        remaining.remove(reserve)
        return msgspec.structs.replace(self, in_flight=tuple(remaining))

    def finished(self, reserve: Decimal | None, cost: Decimal | None, least: Decimal) -> Spending:
        """Return the spending after a run that had `reserve`.

        An unknown `cost` counts as the reserve, or as `least` if that is more.
        """
        after = self.released(reserve)
        if cost is None and reserve is None:
            return msgspec.structs.replace(
                after, spent=EXACT.add(self.spent, least), is_bounded=False
            )
        if cost is None:
            cost = max(reserve or _NOTHING, least)
        return msgspec.structs.replace(after, spent=EXACT.add(self.spent, cost))


class Reservation(msgspec.Struct, eq=False):
    """The money that one run may spend. `settle` or `release` ends it; a second call does nothing."""

    scenario: ScenarioId
    reserve: Decimal | None
    _ceiling: Ceiling

    def settle(self, cost: CostUsd | None) -> None:
        """Account for the run that ended; None if nothing is known about its cost."""
        self._ceiling.settle(self, cost)

    def release(self) -> None:
        """Give the money back, if the agent was never contacted."""
        self._ceiling.release(self)


class Ceiling:
    """The spending of one sweep, for any number of threads.

    A run's reserve is `reserve_per_run`, else the largest known cost of a run of its scenario, from
    `history` or this sweep. Without either, the first run goes alone.
    """

    def __init__(
        self,
        limit: Decimal,
        *,
        reserve_per_run: Decimal | None = None,
        history: Callable[[ScenarioId], Decimal | None] | None = None,
    ) -> None:
        self._spending = Spending(limit=limit)
        self._reserve_per_run = reserve_per_run
        self._history = history
        self._highest: dict[ScenarioId, Decimal | None] = {}
        self._open: set[Reservation] = set()
        self._first_runs_waiting: set[object] = set()
        self._changed = threading.Condition()
        self._refusal: str | None = None

    @property
    def spending(self) -> Spending:
        """The spending so far."""
        return self._spending

    @property
    def is_exhausted(self) -> bool:
        """Whether a run was refused, so that the sweep was cut short."""
        return self._refusal is not None

    @property
    def sentence(self) -> str | None:
        """Why the sweep was cut short, for people; None if it was not."""
        return self._refusal

    def try_start(
        self, scenario: ScenarioId, is_stopped: Callable[[], bool] = lambda: False
    ) -> Reservation | None:
        """Reserve money for the next run of `scenario`; None if it must not start.

        Waits while runs in flight may leave enough, at most until `is_stopped()`. The calling thread
        must hold no reservation. After the first refusal no run starts any more.
        """
        self._look_up(scenario)
        waiting = object()
        with self._changed:
            try:
                while self._refusal is None and not is_stopped():
                    reserve = self._reserve_of(scenario)
                    decision = self._spending.decide(reserve)
                    if decision == "refuse":
                        self._refusal = self._why(scenario, reserve)
                    elif decision == "start" and self._is_next(reserve):
                        return self._reserved(scenario, reserve)
                    else:
                        self._wait(waiting, is_first=reserve is None)
                return None
            finally:
                self._first_runs_waiting.discard(waiting)
                self._changed.notify_all()

    def settle(self, reservation: Reservation, cost: CostUsd | None) -> None:
        """End a reservation with what its run cost."""
        known = None if cost is None else known_total(cost)
        least = _NOTHING if cost is None else least_total(cost)
        with self._changed:
            if self._close(reservation):
                self._spending = self._spending.finished(reservation.reserve, known, least)
                if known is not None:
                    highest = self._highest.get(reservation.scenario)
                    self._highest[reservation.scenario] = max(highest or known, known)

    def release(self, reservation: Reservation) -> None:
        """End a reservation whose run spent nothing."""
        with self._changed:
            if self._close(reservation):
                self._spending = self._spending.released(reservation.reserve)

    def _look_up(self, scenario: ScenarioId) -> None:
        """Read the history once per scenario, outside the lock because that may take long."""
        if self._history is None or self._reserve_per_run is not None or scenario in self._highest:
            return
        found = self._history(scenario)
        with self._changed:
            self._highest.setdefault(scenario, found)

    def _reserve_of(self, scenario: ScenarioId) -> Decimal | None:
        if self._reserve_per_run is not None:
            return self._reserve_per_run
        return self._highest.get(scenario)

    def _is_next(self, reserve: Decimal | None) -> bool:
        """Let first runs go before others: they must run alone, and later runs may overlap."""
        return reserve is None or not self._first_runs_waiting

    def _wait(self, waiting: object, *, is_first: bool) -> None:
        if is_first:
            self._first_runs_waiting.add(waiting)
        else:
            self._first_runs_waiting.discard(waiting)
        self._changed.wait(_LOOK_AGAIN_S)

    def _reserved(self, scenario: ScenarioId, reserve: Decimal | None) -> Reservation:
        reservation = Reservation(scenario, reserve, self)
        self._spending = self._spending.started(reserve)
        self._open.add(reservation)
        return reservation

    def _close(self, reservation: Reservation) -> bool:
        if reservation not in self._open:
            return False
        self._open.discard(reservation)
        self._changed.notify_all()
        return True

    def _why(self, scenario: ScenarioId, reserve: Decimal | None) -> str:
        spent = plain_decimal(self._spending.spent)
        said = f"ceiling of ${plain_decimal(self._spending.limit)} reached: ${spent} spent"
        if not self._spending.is_bounded:
            return (
                f"{said} at the least, and what a run costs is not known: its tokens were not "
                "reported or its model has no price. Set reserve_per_run in "
                "[tool.windtunnel.ladder] to what a run may cost"
            )
        if reserve is None:
            return said
        return f"{said}, and a run of {one_line(scenario.name)} may cost ${plain_decimal(reserve)}"
