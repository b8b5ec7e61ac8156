"""Recording a sweep while it runs: progress events, traces, scores, ledger rows.

Order on disk: trace, sidecar, hook artifacts, the `run_finished` event; after the last run the
ledger row, then `scenario_finished` (docs/files.md, "Order").
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from wt_git.api.tool_calls import last_assistant_text
from wt_git.clock import with_fraction
from wt_git.errors import StorageError
from wt_git.ladder.pricing import run_tokens
from wt_git.records.events import Event, RunFinished, RunStarted, ScenarioFinished
from wt_git.records.runs.sidecars import scenario_block, sidecar_document
from wt_git.run_errors import run_class
from wt_git.sweep.scenario_row import execution_error
from wt_git.sweep.sweep_result import RunSummary, ScenarioRan

if TYPE_CHECKING:
    from wt_git.api.aggregate import AggregateResult, ScenarioRunResult
    from wt_git.clock import Clock
    from wt_git.records.runs_dir import RunsDir
    from wt_git.records.sweep_records import LedgerRow
    from wt_git.spi.agent_runtime import AgentRuntime
    from wt_git.sweep.request import Prepared
    from wt_git.sweep.scenario_row import SweepFacts
    from wt_git.sweep.selection import Selected
    from wt_git.sweep.sweep_result import ScenarioOutcome

E = TypeVar("E", bound=Event)


class Observer(Protocol):
    """Who watches a sweep from inside the process: the command line, or a test.

    Calls come from whichever thread runs the job, one at a time.
    """

    def say(self, text: str) -> None:
        """Receive a sentence for people: a notice, a warning."""
        ...

    def event(self, event: Event) -> None:
        """Receive a progress event, after it was appended."""
        ...

    def scenario_done(self, result: ScenarioOutcome) -> None:
        """Receive a scenario's result, as it ends."""
        ...


class Progress:
    """Makes the events of one sweep, in one order for the file and the observer."""

    def __init__(
        self, runs_dir: RunsDir, observer: Observer, clock: Clock, *, sweep_id: str, label: str
    ) -> None:
        self._runs_dir = runs_dir
        self._observer = observer
        self._clock = clock
        self._identity = {"sweep_id": sweep_id, "label": label}
        self._lock = threading.RLock()
        self._lossy = False

    def emit(self, kind: type[E], /, **fields: Any) -> None:
        """Append an event of `kind` and show it. A file that cannot take it is said once."""
        with self._lock:
            event = kind(ts=with_fraction(self._clock.now()), **{**self._identity, **fields})
            try:
                self._runs_dir.append_event(event)
            except StorageError as error:
                if not self._lossy:
                    self._observer.say(f"warning: progress events are lost: {error.message}")
                self._lossy = True
            self._observer.event(event)

    def say(self, text: str) -> None:
        """Pass a sentence on to the observer."""
        with self._lock:
            self._observer.say(text)

    def scenario_done(self, result: ScenarioOutcome) -> None:
        """Pass a scenario's result on to the observer."""
        with self._lock:
            self._observer.scenario_done(result)


class LedgerLosses:
    """Rows that could not be appended: each is evidence lost, so the sweep may not end well."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.messages: list[str] = []

    def add(self, message: str) -> None:
        """Remember one lost row."""
        with self._lock:
            self.messages.append(message)


class ScenarioRecorder:
    """Writes the runs and the row of one scenario."""

    def __init__(
        self,
        selected: Selected,
        runs_dir: RunsDir,
        progress: Progress,
        losses: LedgerLosses,
        *,
        planned: int,
        lines: list[str],
    ) -> None:
        self._scenario = selected.scenario
        self._runs_dir = runs_dir
        self._progress = progress
        self._losses = losses
        self._planned = planned
        self._lines = lines
        self._gate = self._scenario.resolved_gate_layers()
        self._block = scenario_block(self._scenario)
        self.summaries: list[RunSummary] = []

    def run_started(self, index: int) -> None:
        """Say that run `index` (from 0) begins."""
        self._progress.emit(
            RunStarted, scenario_id=self._scenario.name, run=index + 1, runs=self._planned
        )

    def run_scored(self, index: int, run: ScenarioRunResult, duration_s: float) -> None:
        """Write run `index` (from 0). Raises `StorageError`: a run that is lost ends the sweep."""
        sidecar = sidecar_document(run.score, self._gate, self._block)
        path = self._runs_dir.write_run(run.trace, sidecar)
        for artifact in run.hook_artifacts:
            self._runs_dir.write_run_artifact(
                Path(path), artifact.hook_name, artifact.label, artifact.payload
            )
        summary = self._summarise(run, path, sidecar["verdict"])
        self.summaries.append(summary)
        tokens = run_tokens(run.trace.usage, run.trace.model_calls)
        self._progress.emit(
            RunFinished,
            scenario_id=self._scenario.name,
            run=index + 1,
            runs=self._planned,
            run_id=run.trace.run_id,
            verdict=summary.verdict,
            layers={
                "outcome": run.score.outcome.passed,
                "trajectory": run.score.trajectory.passed,
                "constraint": run.score.constraint.passed,
                "integrity": run.score.integrity.passed,
            },
            metrics=dict(run.score.metrics),
            trace=path,
            duration_s=round(duration_s, 6),
            input_tokens=tokens.input,
            output_tokens=tokens.output,
        )

    def _summarise(self, run: ScenarioRunResult, path: str, verdict: str) -> RunSummary:
        score, trace = run.score, run.trace
        return RunSummary(
            run_id=trace.run_id,
            trace=path,
            verdict=verdict,
            score=score,
            gate_layers=self._gate,
            duration_s=(trace.finished_at - trace.started_at).total_seconds(),
            execution_error=execution_error(trace),
            failure_class=run_class(trace.worker_warnings),
            answer=last_assistant_text(trace),
        )

    def finished(self, index: int, selected: Selected, row: LedgerRow) -> ScenarioRan:
        """Append the row, say so, and return the result. A lost row is remembered, not raised."""
        try:
            self._lines.append(self._runs_dir.append_row(row))
        except StorageError as error:
            message = (
                f"could not write ledger row of '{row.scenario_id}': {error.message}; "
                "its runs are on disk but count for nothing"
            )
            self._losses.add(message)
            self._progress.say(f"warning: {message}")
        result = ScenarioRan(index=index, selected=selected, row=row, runs=tuple(self.summaries))
        self._progress.emit(
            ScenarioFinished,
            scenario_id=row.scenario_id,
            verdict=row.verdict,
            passed=row.passed,
            total=row.runs,
            pass_rate=row.pass_rate,
            gate_failure=row.experiment.counts_as_failure,
        )
        self._progress.scenario_done(result)
        return result


class Session(msgspec.Struct, kw_only=True):
    """A sweep that holds its runtime.

    `stamp` names its hook artifacts, `aggregates` feed hooks. `facts` are the fields that its rows share,
    `lines` the rows as the ledger holds them.
    """

    prepared: Prepared
    runtime: AgentRuntime
    runs_dir: RunsDir
    progress: Progress
    clock: Clock
    stamp: str
    facts: SweepFacts
    interruption: threading.Event
    losses: LedgerLosses = msgspec.field(default_factory=LedgerLosses)
    lines: list[str] = msgspec.field(default_factory=list)
    aggregates: dict[int, AggregateResult] = msgspec.field(default_factory=dict)

    @property
    def interrupted(self) -> bool:
        """Whether a signal asked the sweep to end after the runs in flight."""
        return self.interruption.is_set()
