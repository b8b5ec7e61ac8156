"""What has come of a sweep so far, and what that amounts to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.clock import whole_seconds
from wt_git.errors import EXIT_NO, EXIT_YES
from wt_git.ladder.cache_check import combine
from wt_git.ladder.declaration import prediction_held
from wt_git.ladder.tokens import NOTHING, UNKNOWN
from wt_git.records.experiments import SweepRecord
from wt_git.sweep.results import ScenarioBroke, ScenarioRan, SweepOutcome
from wt_git.sweep.row import cost_of, priced, tokens_of

if TYPE_CHECKING:
    from datetime import datetime

    from wt_git.ladder.tokens import Tokens
    from wt_git.records.experiments import SweepStatus
    from wt_git.records.rows import CacheCheckRecord, LedgerRow
    from wt_git.sweep.limits import Limits
    from wt_git.sweep.request import Prepared
    from wt_git.sweep.results import ScenarioResult
    from wt_git.sweep.selection import Selected


class Tally:
    """Results by their place in the selection, and what went wrong around them.

    `problems` are sentences, each of which fails the sweep. `aborted`: the circuit breaker ended
    it. `signal_code`: the exit code of the signal that ended it, None without one.
    `recorded` is the sweep's record once it is made, and how it ended no longer changes then.
    """

    def __init__(self, sweep_id: str, selected: list[Selected], limits: Limits) -> None:
        self._sweep_id = sweep_id
        self._selected = selected
        self._limits = limits
        self._results: dict[int, ScenarioResult] = {}
        self.problems: list[str] = []
        self.aborted = False
        self.signal_code: int | None = None
        self.recorded: SweepRecord | None = None

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
        cut_short = self.aborted or self._limits.exhausted
        return EXIT_NO if failed or self.problems or cut_short else EXIT_YES

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
            cut_short=self._limits.sentence([item.scenario.name for item in self.not_started()]),
            record=self.recorded,
        )

    def record(self, prepared: Prepared, *, wall_s: float, now: datetime) -> SweepRecord:
        """Make the sweep's record, while the runtime is still held, and return it."""
        exit_code = self.exit_code()
        passed = exit_code == EXIT_YES
        said, rows = prepared.request.declaration, self._rows()
        cost = cost_of(wall_s, self._tokens(rows))
        model = prepared.runtime.model
        self.recorded = SweepRecord(
            ts=whole_seconds(now),
            sweep_id=self._sweep_id,
            label=prepared.request.label,
            tier=prepared.tier,
            model=model,
            question=said.question,
            expect=said.expect,
            if_pass=said.if_pass,
            if_fail=said.if_fail,
            outcome="pass" if passed else "fail",
            prediction_held=prediction_held(said.expect, passed=passed),
            budget_exhausted=self._limits.exhausted,
            scenarios=len(prepared.selected),
            cost=cost,
            cost_usd=priced(cost, model, prepared.settings.ladder.pricing),
            cache_check=self._cache_check(rows) if prepared.settings.cache else None,
            exit_code=exit_code,
            status=self.status(),
            errors=self.errors(),
            not_started=[item.scenario.name for item in self.not_started()],
            runtime=prepared.request.runtime,
            fingerprint=prepared.fingerprint.value,
        )
        return self.recorded

    def _rows(self) -> list[LedgerRow]:
        return [one.row for one in self.ordered() if isinstance(one, ScenarioRan)]

    def _tokens(self, rows: list[LedgerRow]) -> list[Tokens]:
        parts = [tokens_of(row.experiment.cost) for row in rows]
        if self.errors():
            parts.append(UNKNOWN)
        return parts or [NOTHING]

    def _cache_check(self, rows: list[LedgerRow]) -> CacheCheckRecord:
        found = [row.experiment.cache_check for row in rows]
        return combine([one for one in found if one is not None])
