"""Running the jobs of a sweep: one job provisions a scenario, runs it N times and records it.

A circuit breaker ends the sweep after three scenarios in a row that could not be run.
"""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from wt_git.api.scenario import WorldMismatchError
from wt_git.clock import whole_seconds
from wt_git.errors import StorageError, exception_text
from wt_git.ladder.pricing import run_tokens
from wt_git.plugins.loading import FOREIGN_FAILURES, describe
from wt_git.records.events import ScenarioError
from wt_git.records.fingerprint import CHANGED_DURING_SWEEP
from wt_git.run_errors import ERROR_BESIDE_REPLY
from wt_git.runner.batch import run_scenario
from wt_git.runner.safe_values import safe_text
from wt_git.spi.scheduler import RunJob
from wt_git.sweep.jobs.recorder import ScenarioRecorder
from wt_git.sweep.jobs.schedulers import GuardedJobs
from wt_git.sweep.runtime_lifecycle import bug_traceback
from wt_git.sweep.scenario_row import RowState, cost_of, ledger_row, priced
from wt_git.sweep.selection import state_probe_of, tool_servers_of
from wt_git.sweep.sweep_result import ScenarioBroke, ScenarioOutcome, WorldMismatched

if TYPE_CHECKING:
    from wt_git.api.aggregate import ScenarioRunResult
    from wt_git.sweep.jobs.limits import JobLimits, Limits
    from wt_git.sweep.jobs.recorder import Session
    from wt_git.sweep.selection import Selected
    from wt_git.sweep.sweep_result import SweepResult

LIMIT = 3

_WORTH_SAYING = ("universe_divergence:", ERROR_BESIDE_REPLY)
"""Warnings of a run that a person should see at once; the others are in its trace."""


class Breaker:
    """Counts scenario errors in a row, in order of completion; any scenario that ran resets it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._in_a_row = 0
        self.tripped = False

    def ran(self) -> None:
        """Note a scenario that ran, or that was skipped since its preconditions did not hold."""
        with self._lock:
            self._in_a_row = 0

    def errored(self) -> bool:
        """Note a scenario that could not be run; return whether this one trips the breaker."""
        with self._lock:
            self._in_a_row += 1
            trips = self._in_a_row >= LIMIT and not self.tripped
            self.tripped = self.tripped or trips
            return trips


class _Cancelled(Exception):  # noqa: N818 - control flow, not an error
    """The sweep was interrupted before the first run of this job."""


def run_job(
    session: Session, index: int, selected: Selected, limits: JobLimits
) -> ScenarioOutcome | None:
    """Run one scenario and return its result; None when an interruption came first.

    `limits` let the first run start and are asked before each other one.

    Raises `StorageError` when a run cannot be written, since no later run could be either; all
    other failures are the scenario's and are returned.
    """
    try:
        return _Job(session, index, selected, limits).execute()
    except _Cancelled:
        return None
    except StorageError:
        raise
    except WorldMismatchError as error:
        return _world_mismatch(session, index, selected, error)
    except FOREIGN_FAILURES as error:
        return _broke(session, index, selected, error)
    finally:
        limits.close()


class _Job:
    def __init__(self, session: Session, index: int, selected: Selected, limits: JobLimits) -> None:
        self._session = session
        self._index = index
        self._selected = selected
        self._limits = limits
        self._recorder = ScenarioRecorder(
            selected,
            session.runs_dir,
            session.progress,
            session.losses,
            planned=session.prepared.request.runs,
            lines=session.lines,
        )
        self._run_began = 0.0
        # The first run pays for provisioning too: time has a price.
        self._charged_until = session.clock.monotonic()

    def execute(self) -> ScenarioOutcome:
        session = self._session
        began = session.clock.monotonic()
        ran = run_scenario(
            self._selected.scenario,
            session.runtime,
            tool_servers_of(self._selected, session.runtime),
            config=session.prepared.config,
            runs_per_scenario=session.prepared.request.runs,
            state_probe=state_probe_of(self._selected),
            hooks=session.prepared.hooks,
            on_run_start=self._run_starts,
            on_run_complete=self._run_completed,
            history_prefix=session.prepared.history_prefix,
            should_start_run=lambda _: not session.interrupted and self._limits.may_run(),
            on_warning=lambda text: session.progress.say(f"warning: {text}"),
            clock=session.clock,
        )
        for warning in ran.worker_warnings:
            session.progress.say(f"warning: {warning}")
        row = ledger_row(
            self._selected,
            ran.runs,
            ran.aggregate,
            facts=session.facts,
            state=RowState(
                ts=whole_seconds(session.clock.now()),
                wall_s=session.clock.monotonic() - began,
                fingerprint=self._fingerprint_now(),
                interrupted=session.interrupted,
                budget_exhausted=self._limits.exhausted,
            ),
        )
        session.aggregates[self._index] = ran.aggregate
        # The row first: the evidence must not be lost when an artifact cannot be written.
        result = self._recorder.finished(self._index, self._selected, row)
        self._write_scenario_artifacts(ran.hook_artifacts)
        return result

    def _fingerprint_now(self) -> str:
        """Return the fingerprint for the row; a word in its place where it changed during the sweep."""
        first = self._session.prepared.fingerprint
        is_probe = self._session.prepared.tier == "probe"  # it certifies nothing
        if is_probe or not first.value.startswith("sha256:"):
            return first.value
        now = self._session.prepared.fingerprinter.take()
        if now.value == first.value:
            return first.value
        from wt_git.evidence.changes import describe_change  # noqa: PLC0415 - rarely needed

        self._session.progress.say(
            f"artifact changed while this sweep ran ({describe_change(first, now)}): what "
            f"{self._selected.scenario.name} came to is not evidence"
        )
        return CHANGED_DURING_SWEEP

    def _run_starts(self, run: int) -> None:
        if self._session.interrupted:
            raise _Cancelled
        self._limits.run_began()
        self._run_began = self._session.clock.monotonic()
        self._recorder.run_started(run)

    def _run_completed(self, run: int, result: ScenarioRunResult) -> None:
        now = self._session.clock.monotonic()
        facts, trace = self._session.facts, result.trace
        tokens = run_tokens(trace.usage, trace.model_calls)
        cost = cost_of(now - self._charged_until, [tokens])
        self._charged_until = now
        self._limits.run_ended(priced(cost, facts.taken.parts.model, facts.pricing))
        self._recorder.run_scored(run, result, now - self._run_began)
        name = self._selected.scenario.name
        for text in dict.fromkeys(trace.worker_warnings):
            if text.startswith(_WORTH_SAYING):
                self._session.progress.say(f"warning: {name}: {text}")

    def _write_scenario_artifacts(self, artifacts: list[Any]) -> None:
        for artifact in artifacts:
            self._session.runs_dir.write_pack_artifact(
                self._session.stamp,
                artifact.hook_name,
                self._selected.scenario.name,
                artifact.label,
                artifact.payload,
            )


def _world_mismatch(
    session: Session, index: int, selected: Selected, error: WorldMismatchError
) -> WorldMismatched:
    result = WorldMismatched(
        index=index, selected=selected, message=str(error), failures=tuple(error.failures)
    )
    session.progress.emit(
        ScenarioError,
        scenario_id=selected.scenario.name,
        kind="world_mismatch",
        error=exception_text(error),
    )
    session.progress.scenario_done(result)
    return result


def _broke(session: Session, index: int, selected: Selected, error: BaseException) -> ScenarioBroke:
    result = ScenarioBroke(
        index=index,
        selected=selected,
        error_type=type(error).__name__,
        message=safe_text(error),
        traceback=bug_traceback(error),
    )
    session.progress.emit(
        ScenarioError, scenario_id=selected.scenario.name, kind="error", error=describe(error)
    )
    session.progress.scenario_done(result)
    return result


def run_jobs(
    session: Session, tally: SweepResult, limits: Limits, stop: threading.Event
) -> BaseException | None:
    """Run a job for each scenario; return the exception that ended the sweep, or None.

    Results go into `tally`. Once `stop` is set no scheduler starts another job.
    """
    prepared = session.prepared
    breaker = Breaker()
    jobs = [
        RunJob(
            index=index,
            name=selected.scenario.name,
            runs=prepared.request.runs,
            fn=partial(
                _run_one, index, session, tally=tally, limits=limits, breaker=breaker, stop=stop
            ),
        )
        for index, selected in enumerate(prepared.selected)
    ]
    guarded = GuardedJobs(prepared.plan.effective, stop, session.progress.say)
    try:
        guarded.execute(prepared.plan.scheduler, jobs)
    except Exception as error:  # noqa: BLE001 - post_run and the last event must still happen
        return error
    return None


def _run_one(
    index: int,
    session: Session,
    *,
    tally: SweepResult,
    limits: Limits,
    breaker: Breaker,
    stop: threading.Event,
) -> None:
    selected = session.prepared.selected[index]
    own_limits = limits.start_job(selected.identity)
    if own_limits is None:
        return
    result = run_job(session, index, selected, own_limits)
    if result is None:
        return
    tally.add(result)
    if not isinstance(result, ScenarioBroke):
        breaker.ran()
    elif breaker.errored():
        tally.aborted = True
        stop.set()
        session.progress.say(
            f"aborting after {LIMIT} consecutive scenario errors: the bench or its runtime is "
            "broken, and the next scenario would break the same way"
        )
