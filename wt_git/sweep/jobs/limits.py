"""The limits of a sweep: its budget in seconds and its ceiling in money.

Rules: docs/ladder.md, "Budgets" and "A ceiling in money". A run that has started is never interrupted.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from wt_git.ladder.tiers_and_budgets import Budget
from wt_git.text import one_line, plain_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.clock import Clock
    from wt_git.ladder.money_ceiling import Ceiling, Reservation
    from wt_git.records.ledger.row import ScenarioId
    from wt_git.records.sweep_records import CostUsd

_REMEDY = (
    "a sweep cut short is evidence for nothing; the remedy is a smaller experiment, not a larger "
    "{limit}"
)


class Limits:
    """The limits of a sweep, tested before every job and run; once they refuse, they always refuse.

    `stop` is set with the first refusal, so that no scheduler starts another job.
    """

    def __init__(
        self, budget_s: float | None, ceiling: Ceiling | None, clock: Clock, stop: threading.Event
    ) -> None:
        self._budget_s = budget_s
        self._budget = Budget(budget_s)
        self._ceiling = ceiling
        self._clock = clock
        self._stop = stop
        self._lock = threading.Lock()
        self._not_to_their_end: list[str] = []

    def start(self) -> None:
        """Let the clock of the budget run: the runtime is held."""
        self._budget.start(self._clock.monotonic())

    def start_job(self, scenario: ScenarioId) -> JobLimits | None:
        """Return the limits of a job whose first run may start; None when it must not."""
        job = JobLimits(self, scenario)
        return job if job.may_run() else None

    def reserve(self, scenario: ScenarioId) -> tuple[bool, Reservation | None]:
        """Say whether a run of `scenario` may start, and return the money that it may spend."""
        reservation = None
        allowed = self._within_budget()
        if allowed and self._ceiling is not None:
            reservation = self._ceiling.try_start(scenario, self._may_not_wait)
            allowed = reservation is not None
        if self.exhausted:
            self._stop.set()
        return allowed, reservation

    def _may_not_wait(self) -> bool:
        """Whether the sweep is over: its budget may be spent while a run waits for money."""
        return self._stop.is_set() or not self._within_budget()

    def _within_budget(self) -> bool:
        with self._lock:
            return self._budget.allows(self._clock.monotonic())

    def left_short(self, scenario: ScenarioId) -> None:
        """Remember that `scenario` ran, and not as often as was asked for."""
        with self._lock:
            self._not_to_their_end.append(scenario.name)

    @property
    def exhausted(self) -> bool:
        """Whether a run was refused, so that the sweep is incomplete."""
        return self._budget.is_spent or (self._ceiling is not None and self._ceiling.is_exhausted)

    def sentence(self, not_started: Sequence[str]) -> str | None:
        """Return the limit that cut the sweep short, and the scenarios left out; None without one.

        `not_started` are the scenarios of which no run began.
        """
        elapsed_s = self._budget.spent_after_s
        if elapsed_s is not None and self._budget_s is not None:
            said = f"budget of {plain_seconds(self._budget_s)}s spent after {elapsed_s:.0f}s"
            remedy = _REMEDY.format(limit="budget")
        elif self._ceiling is not None and self._ceiling.sentence is not None:
            said = self._ceiling.sentence
            remedy = _REMEDY.format(limit="ceiling")
        else:
            return None
        if self._not_to_their_end:
            said += f"; not all runs of: {', '.join(map(one_line, self._not_to_their_end))}"
        if not_started:
            said += f"; not started: {', '.join(map(one_line, not_started))}"
        return f"{said}; {remedy}"


class JobLimits:
    """The limits for the runs of one job, which follow one another."""

    def __init__(self, limits: Limits, scenario: ScenarioId) -> None:
        self._limits = limits
        self._scenario = scenario
        self._reservation: Reservation | None = None
        self._is_flying = False
        self._has_flown = False

    def may_run(self) -> bool:
        """Say whether the next run may start; money for it is set aside then."""
        allowed, self._reservation = self._limits.reserve(self._scenario)
        if not allowed and self._has_flown:
            self._limits.left_short(self._scenario)
        return allowed

    @property
    def exhausted(self) -> bool:
        """Whether the sweep is incomplete already."""
        return self._limits.exhausted

    def run_began(self) -> None:
        """From here on the run may cost something."""
        self._is_flying = self._has_flown = True

    def run_ended(self, cost: CostUsd | None) -> None:
        """Account for the run; a `cost` of None is unknown."""
        self._is_flying = False
        if self._reservation is not None:
            self._reservation.settle(cost)
            self._reservation = None

    def close(self) -> None:
        """Account for a run that did not end, or give back the money of one that did not begin."""
        if self._is_flying:
            self.run_ended(None)
        elif self._reservation is not None:
            self._reservation.release()
            self._reservation = None
