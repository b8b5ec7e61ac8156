"""The result of each scenario, and the result of the sweep: status, exit code, record."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wt_git.clock import whole_seconds
from wt_git.errors import EXIT_NO, EXIT_YES
from wt_git.ladder.cache_check import combine_checks
from wt_git.ladder.declaration import prediction_held
from wt_git.ladder.pricing import NOTHING, UNKNOWN
from wt_git.records.sweep_records import SweepRecord
from wt_git.sweep.scenario_row import cost_of, priced, tokens_of

if TYPE_CHECKING:
    from datetime import datetime

    from wt_git.api.score import GateLayer, Score
    from wt_git.ladder.pricing import Tokens
    from wt_git.records.sweep_records import CacheCheckRecord, Expectation, LedgerRow, SweepStatus
    from wt_git.sweep.jobs.limits import Limits
    from wt_git.sweep.request import Prepared
    from wt_git.sweep.selection import Selected


class LayerLine(NamedTuple):
    """One layer of one run: its name, whether it passed, and the scorer's explanation."""

    name: str
    passed: bool
    detail: str
    gates: bool


class RunSummary(NamedTuple):
    """One run without its trace: enough for a report. `duration_s` spans the run's own times.

    `failure_class` is that of `execution_error` (docs/failure-classes.md), `answer` the last one.
    """

    run_id: str
    trace: str
    verdict: str
    score: Score
    gate_layers: tuple[GateLayer, ...]
    duration_s: float
    execution_error: str | None
    failure_class: str | None = None
    answer: str | None = None

    def layers(self) -> list[LayerLine]:
        """Return the four layers in order; integrity always gates."""
        return [
            LayerLine(name, layer.passed, layer.detail, name in (*self.gate_layers, "integrity"))
            for name, layer in (
                ("outcome", self.score.outcome),
                ("trajectory", self.score.trajectory),
                ("constraint", self.score.constraint),
                ("integrity", self.score.integrity),
            )
        ]


class ScenarioRan(msgspec.Struct, frozen=True, kw_only=True):
    """All (or, interrupted, some) runs of a scenario are in and its row was written."""

    index: int
    selected: Selected
    row: LedgerRow
    runs: tuple[RunSummary, ...]


class ScenarioBroke(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario that could not be run: the bench or the driver failed, not the agent."""

    index: int
    selected: Selected
    error_type: str
    message: str
    traceback: str | None


class WorldMismatched(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario whose preconditions did not hold; the agent was never contacted."""

    index: int
    selected: Selected
    message: str
    failures: tuple[str, ...]


ScenarioOutcome = ScenarioRan | ScenarioBroke | WorldMismatched


class SweepOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """A sweep that ended. `results` and `not_started` are in selection order.

    `exit_code` is that of the command; it is None only when `failure` says which defect
    or storage problem ended the sweep. `cut_short` is the sentence about the limit that did it.
    `record` is the sweep's record, None where it has none: refused, busy, ended by a failure.
    """

    sweep_id: str
    status: SweepStatus
    exit_code: int | None
    results: tuple[ScenarioOutcome, ...]
    not_started: tuple[Selected, ...]
    problems: tuple[str, ...] = ()
    failure: BaseException | None = None
    cut_short: str | None = None
    record: SweepRecord | None = None

    def rows(self) -> list[LedgerRow]:
        """Return the rows of this sweep in selection order."""
        return [result.row for result in self.results if isinstance(result, ScenarioRan)]


class SweepResult:
    """The results so far by their place in the selection, and the problems of the sweep.

    `problems` are sentences, each of which fails the sweep. `aborted`: the circuit breaker ended
    it. `signal_code`: the exit code of the signal that ended it, None without one.
    `recorded` is the sweep's record once it is made, and how it ended no longer changes then.
    """

    def __init__(self, sweep_id: str, selected: list[Selected], limits: Limits) -> None:
        self._sweep_id = sweep_id
        self._selected = selected
        self._limits = limits
        self._results: dict[int, ScenarioOutcome] = {}
        self.problems: list[str] = []
        self.aborted = False
        self.signal_code: int | None = None
        self.recorded: SweepRecord | None = None

    def add(self, result: ScenarioOutcome) -> None:
        """Take a scenario's result in."""
        self._results[result.index] = result

    def ordered(self) -> list[ScenarioOutcome]:
        """Return the results in selection order."""
        return [self._results[index] for index in sorted(self._results)]

    def not_started(self) -> list[Selected]:
        """Return the scenarios without a result, in selection order."""
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
        cut_short = self.aborted or self._limits.exhausted or self._lacks_data()
        return EXIT_NO if failed or self.problems or cut_short else EXIT_YES

    def _lacks_data(self) -> bool:
        return any(row.data.runs < row.data.of for row in self._rows())

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
            prediction_held=self._prediction_held(said.expect, passed=passed),
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

    def _prediction_held(self, expect: Expectation | None, *, passed: bool) -> bool | None:
        """Return whether the prediction held; None where only what is no data kept it from passing."""
        failed = any(row.experiment.counts_as_failure for row in self._rows())
        if not failed and (self._lacks_data() or self.errors()):
            return None
        return prediction_held(expect, passed=passed)

    def _rows(self) -> list[LedgerRow]:
        return [one.row for one in self.ordered() if isinstance(one, ScenarioRan)]

    def _tokens(self, rows: list[LedgerRow]) -> list[Tokens]:
        parts = [tokens_of(row.experiment.cost) for row in rows]
        if self.errors():
            parts.append(UNKNOWN)
        return parts or [NOTHING]

    def _cache_check(self, rows: list[LedgerRow]) -> CacheCheckRecord:
        found = [row.experiment.cache_check for row in rows]
        return combine_checks([one for one in found if one is not None])
