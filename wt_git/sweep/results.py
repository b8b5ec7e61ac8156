"""What came of each scenario of a sweep, and of the sweep as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from wt_git.api.score import GateLayer, Score
    from wt_git.records.experiments import SweepRecord, SweepStatus
    from wt_git.records.rows import LedgerRow
    from wt_git.sweep.selection import Selected


class LayerOutcome(NamedTuple):
    """One layer of one run: its name, whether it passed, and the scorer's explanation."""

    name: str
    passed: bool
    detail: str
    gates: bool


class RunSummary(NamedTuple):
    """One run without its trace: enough for a report. `duration_s` spans the run's own times."""

    run_id: str
    trace: str
    verdict: str
    score: Score
    gate_layers: tuple[GateLayer, ...]
    duration_s: float
    execution_error: str | None

    def layers(self) -> list[LayerOutcome]:
        """Return the four layers in order; integrity always gates."""
        return [
            LayerOutcome(name, layer.passed, layer.detail, name in (*self.gate_layers, "integrity"))
            for name, layer in (
                ("outcome", self.score.outcome),
                ("trajectory", self.score.trajectory),
                ("constraint", self.score.constraint),
                ("integrity", self.score.integrity),
            )
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioRan:
    """All (or, interrupted, some) runs of a scenario are in and its row was written."""

    index: int
    selected: Selected
    row: LedgerRow
    runs: tuple[RunSummary, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioBroke:
    """A scenario that could not be run: the bench or the driver failed, not the agent."""

    index: int
    selected: Selected
    error_type: str
    message: str
    traceback: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldMismatched:
    """A scenario whose preconditions did not hold; the agent was never contacted."""

    index: int
    selected: Selected
    message: str
    failures: tuple[str, ...]


ScenarioResult = ScenarioRan | ScenarioBroke | WorldMismatched


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepOutcome:
    """A sweep that ended. `results` and `not_started` are in selection order.

    `exit_code` is what the command exits with; it is None only when `failure` says which defect
    or storage problem ended the sweep. `cut_short` is the sentence about the limit that did it.
    `record` is the sweep's record, None where it has none: refused, busy, ended by a failure.
    """

    sweep_id: str
    status: SweepStatus
    exit_code: int | None
    results: tuple[ScenarioResult, ...]
    not_started: tuple[Selected, ...]
    problems: tuple[str, ...] = ()
    failure: BaseException | None = None
    cut_short: str | None = None
    record: SweepRecord | None = None

    def rows(self) -> list[LedgerRow]:
        """Return the rows of this sweep in selection order."""
        return [result.row for result in self.results if isinstance(result, ScenarioRan)]
