"""What has come of a sweep so far, and what that amounts to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.clock import whole_seconds
from wt_git.errors import EXIT_NO, EXIT_YES
from wt_git.ladder.tokens import NOTHING, UNKNOWN, Tokens
from wt_git.records.experiments import SweepRecord
from wt_git.sweep.results import ScenarioBroke, ScenarioRan, SweepOutcome
from wt_git.sweep.row import cost_of

if TYPE_CHECKING:
    from datetime import datetime

    from wt_git.records.experiments import SweepStatus
    from wt_git.sweep.request import Prepared
    from wt_git.sweep.results import ScenarioResult
    from wt_git.sweep.selection import Selected


class Tally:
    """Results by their place in the selection, and what went wrong around them.

    `problems` are sentences, each of which fails the sweep. `aborted`: the circuit breaker ended
    it. `signal_code`: the exit code of the signal that ended it, None without one.
    `is_recorded`: the sweep's record was made, so how it ended no longer changes.
    """

    def __init__(self, sweep_id: str, selected: list[Selected]) -> None:
        self._sweep_id = sweep_id
        self._selected = selected
        self._results: dict[int, ScenarioResult] = {}
        self.problems: list[str] = []
        self.aborted = False
        self.signal_code: int | None = None
        self.is_recorded = False

    def add(self, result: ScenarioResult) -> None:
        """Take a scenario's result in."""
        self._results[result.index] = result

    def ordered(self) -> list[ScenarioResult]:
        """Return the results in selection order."""
        return [self._results[index] for index in sorted(self._results)]

    def not_started(self) -> list[Selected]:
        """Return what has no result, in selection order."""
        return [item for index, item in enumerate(self._selected) if index not in self._results]

    def errors(self) -> int:
        """Return how many scenarios could not be run; a wrong world is not an error of the bench."""
        return sum(isinstance(result, ScenarioBroke) for result in self._results.values())

    def status(self) -> SweepStatus:
        """Return how the sweep ends, if it ends now."""
        if self.signal_code is not None:
            return "interrupted"
        return "aborted" if self.aborted else "completed"

    def exit_code(self) -> int:
        """Return the exit code of the sweep, if it ends now (docs/files.md, "Counts as a failure")."""
        if self.signal_code is not None:
            return self.signal_code
        failed = any(
            not isinstance(result, ScenarioRan) or result.row.experiment.counts_as_failure
            for result in self._results.values()
        )
        return EXIT_NO if failed or self.problems or self.aborted else EXIT_YES

    def outcome(
        self, status: SweepStatus, exit_code: int | None, failure: BaseException | None = None
    ) -> SweepOutcome:
        """Return the sweep as it ended."""
        return SweepOutcome(
            sweep_id=self._sweep_id,
            status=status,
            exit_code=exit_code,
            results=tuple(self.ordered()),
            not_started=tuple(self.not_started()),
            problems=tuple(self.problems),
            failure=failure,
        )

    def record(self, prepared: Prepared, *, wall_s: float, now: datetime) -> SweepRecord:
        """Return the sweep's record, written while the runtime is still held."""
        exit_code = self.exit_code()
        rows = [r.row for r in self._results.values() if isinstance(r, ScenarioRan)]
        costs = [row.experiment.cost for row in rows]
        parts = [Tokens(c.input_tokens, c.cached_tokens, c.output_tokens) for c in costs]
        if self.errors():
            parts.append(UNKNOWN)
        return SweepRecord(
            ts=whole_seconds(now),
            sweep_id=self._sweep_id,
            label=prepared.request.label,
            tier=prepared.tier,
            model=prepared.runtime.model,
            outcome="pass" if exit_code == EXIT_YES else "fail",
            scenarios=len(prepared.selected),
            cost=cost_of(wall_s, parts or [NOTHING]),
            exit_code=exit_code,
            status=self.status(),
            errors=self.errors(),
            not_started=[item.scenario.name for item in self.not_started()],
            runtime=prepared.request.runtime,
            fingerprint=prepared.fingerprint.value,
        )
