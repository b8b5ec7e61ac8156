"""Writing down what a scenario of a sweep came to, the moment it is known.

Order on disk: trace, sidecar, hook artifacts, the `run_finished` event; after the last run the
ledger row, then `scenario_finished` (docs/files.md, "Order").
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.errors import StorageError
from wt_git.ladder.tokens import run_tokens
from wt_git.records.events import RunFinished, RunStarted, ScenarioFinished
from wt_git.records.sidecars import scenario_block, sidecar_document
from wt_git.sweep.results import RunSummary, ScenarioRan
from wt_git.sweep.row import execution_error

if TYPE_CHECKING:
    from wt_git.api.aggregate import ScenarioRunResult
    from wt_git.records.rows import LedgerRow
    from wt_git.records.store import RunsDir
    from wt_git.sweep.progress import Progress
    from wt_git.sweep.selection import Selected


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
