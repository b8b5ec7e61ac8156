"""One sweep, from its first event to its last: lock, build, jobs, records, clean-up.

The order of steps, also after one of them failed, is in docs/architecture.md, "A sweep, step by
step".
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import uuid
from typing import TYPE_CHECKING

from wt_git.clock import file_stamp
from wt_git.errors import (
    EXIT_BUSY,
    EXIT_INTERRUPTED,
    EXIT_NO,
    EXIT_USAGE,
    BusyError,
    StorageError,
    UsageError,
    WaitStopped,
)
from wt_git.evidence.notes.sweep_notes import write_sweep_notes
from wt_git.ladder.money_ceiling import Ceiling
from wt_git.ladder.tiers_and_budgets import queue_priority
from wt_git.records.events import SweepFinished, SweepStarted
from wt_git.records.fingerprint import is_time_to_prune, prune_manifests, write_manifest
from wt_git.records.runs_dir import RunsDir
from wt_git.runner.lifecycle_hooks import LifecycleHooks
from wt_git.sweep import runtime_lifecycle
from wt_git.sweep.admission import check_earned, knows_target
from wt_git.sweep.jobs.limits import Limits
from wt_git.sweep.jobs.recorder import Observer, Progress, Session
from wt_git.sweep.jobs.run_jobs import run_jobs
from wt_git.sweep.runtime_lifecycle import RuntimeFailureError
from wt_git.sweep.scenario_row import SweepFacts
from wt_git.sweep.sweep_result import SweepResult

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wt_git.clock import Clock
    from wt_git.ladder.gate import Earned
    from wt_git.records.ledger.ledger import Ledger
    from wt_git.spi.agent_runtime import AgentRuntime
    from wt_git.sweep.request import Prepared
    from wt_git.sweep.sweep_result import ScenarioOutcome, SweepOutcome


class Sweep:
    """A prepared sweep with its effects injected; `run` it once.

    `ledger` is that of the runs directory; the one that admitted the sweep has read it already.
    `deliver` gets the results in selection order and writes the output files of the command, while
    the runtime is still held; its `StorageError` fails the sweep but loses no result. `git_sha` is
    the short id of `HEAD` or None.
    """

    def __init__(
        self,
        prepared: Prepared,
        *,
        ledger: Ledger,
        observer: Observer,
        clock: Clock,
        lock_folder: Path,
        git_sha: str | None = None,
        deliver: Callable[[list[ScenarioOutcome]], None] | None = None,
    ) -> None:
        self.sweep_id = uuid.uuid4().hex[:12]
        self._prepared = prepared
        self._ledger = ledger
        self._clock = clock
        self._lock_folder = lock_folder
        self._git_sha = git_sha
        self._deliver = deliver
        self._runs_dir = RunsDir(
            prepared.request.runs_dir,
            say=lambda text: self._progress.say(text),  # noqa: PLW0108 - made in the next line
        )
        self._progress = Progress(
            self._runs_dir,
            observer,
            clock,
            sweep_id=self.sweep_id,
            label=prepared.request.label,
        )
        self._stop = threading.Event()
        self._interruption = threading.Event()
        self._limits = Limits(prepared.budget_s, self._ceiling(), clock, self._stop)
        self._tally = SweepResult(self.sweep_id, prepared.selected, self._limits)

    def interrupt(self, exit_code: int = EXIT_INTERRUPTED) -> None:
        """Ask the sweep to end after the runs in flight. Safe to call from a signal handler."""
        if self._tally.recorded is None:
            self._tally.signal_code = exit_code
        self._interruption.set()
        self._stop.set()

    def run(self) -> SweepOutcome:
        """Run the sweep to its end and return its outcome.

        Raises `UsageError` when the runs directory cannot be used; nothing was written then.
        Everything later is in the outcome, and a `sweep_finished` event was written for it.
        """
        self._runs_dir.prepare()
        self._keep_listing()
        self._announce()
        try:
            outcome = self._run_in_turn()
        except BusyError as error:
            outcome = self._tally.outcome("busy", EXIT_BUSY, error)
        except BaseException as error:  # the event stream must end in every case
            self._finish(self._tally.outcome("error", None, error))
            raise
        self._finish(outcome)
        return outcome

    def _keep_listing(self) -> None:
        """Keep which files made the tree. It only explains, so a failure stops nothing."""
        fingerprint = self._prepared.fingerprint
        manifest, tree = fingerprint.manifest(), fingerprint.parts.git_tree
        if manifest is not None and tree is not None:
            with contextlib.suppress(OSError):
                write_manifest(self._runs_dir.path, tree, manifest)
                if is_time_to_prune(self._runs_dir.path):
                    prune_manifests(self._runs_dir.path, self._ledger.trees_that_matter() | {tree})

    def _announce(self) -> None:
        request = self._prepared.request
        self._progress.emit(
            SweepStarted,
            pid=os.getpid(),
            host=socket.gethostname(),
            runtime=request.runtime,
            scenarios=[item.scenario.name for item in self._prepared.selected],
            runs_per_scenario=request.runs,
            scheduler=self._prepared.plan.name,
            max_concurrency=self._prepared.plan.effective,
            tier=self._prepared.tier,
            question=request.declaration.question,
            expect=request.declaration.expect,
            budget_s=self._prepared.budget_s,
        )

    def _finish(self, outcome: SweepOutcome) -> None:
        self._progress.emit(
            SweepFinished,
            exit_code=outcome.exit_code if outcome.failure is None or outcome.exit_code else None,
            status=outcome.status,
            scenarios=len(self._prepared.selected),
            completed=len(outcome.rows()),
            errors=self._tally.errors(),
            budget_exhausted=self._limits.exhausted,
        )
        self._runs_dir.close()

    def _run_in_turn(self) -> SweepOutcome:
        """Run while no other sweep uses the runtime. Raises `BusyError` where waiting was forbidden."""
        held = runtime_lifecycle.hold_runtime(
            self._prepared,
            self.sweep_id,
            self._progress,
            priority=queue_priority(self._prepared.tier),
            folder=self._lock_folder,
            clock=self._clock,
            stop=self._interruption,
        )
        try:
            with held:
                return self._run_locked()
        except WaitStopped:
            return self._tally.outcome(self._tally.status(), self._tally.exit_code())

    def _run_locked(self) -> SweepOutcome:
        began = self._clock.monotonic()
        self._limits.start()
        try:
            earned = self._earned_now()
        except UsageError as refusal:
            return self._tally.outcome("refused", EXIT_USAGE, refusal)
        try:
            runtime = runtime_lifecycle.build_runtime(self._prepared)
        except RuntimeFailureError as error:
            return self._tally.outcome("error", EXIT_USAGE, error)
        session = self._session(runtime, earned)
        failure: BaseException | None = runtime_lifecycle.pre_run(self._prepared, runtime)
        try:
            if failure is None:
                failure = run_jobs(session, self._tally, self._limits, self._stop)
            if failure is None:
                self._after_jobs(session, began)
        finally:
            problem = runtime_lifecycle.post_run(self._prepared, runtime)
            if problem is not None:
                self._tally.problems.append(f"{problem.message}; the results above stand")
        if failure is not None:
            code = EXIT_NO if isinstance(failure, RuntimeFailureError) else None
            return self._tally.outcome("error", code, failure)
        return self._tally.outcome(self._tally.status(), self._tally.exit_code())

    def _ceiling(self) -> Ceiling | None:
        prepared = self._prepared
        if prepared.ceiling is None:
            return None
        model = prepared.runtime.model
        return Ceiling(
            prepared.ceiling,
            reserve_per_run=prepared.settings.ladder.reserve_per_run,
            history=lambda scenario: self._ledger.highest_cost_per_run(scenario, model),
        )

    def _earned_now(self) -> Earned | None:
        """Ask the gate again: during the wait, another sweep may have used the pass that earned this one.

        Raises `UsageError` when nothing does any more.
        """
        prepared = self._prepared
        if prepared.earned is None or prepared.runtime.limit is None:
            return prepared.earned
        return check_earned(prepared, prepared.fingerprinter.take(), self._ledger)

    def _session(self, runtime: AgentRuntime, earned: Earned | None) -> Session:
        return Session(
            prepared=self._prepared,
            runtime=runtime,
            runs_dir=self._runs_dir,
            progress=self._progress,
            clock=self._clock,
            stamp=file_stamp(self._clock.now()),
            facts=self._facts(earned),
            interruption=self._interruption,
        )

    def _facts(self, earned: Earned | None) -> SweepFacts:
        prepared, request = self._prepared, self._prepared.request
        taken = prepared.fingerprint
        return SweepFacts(
            sweep_id=self.sweep_id,
            label=request.label,
            tier=prepared.tier,
            declaration=request.declaration,
            budget_s=prepared.budget_s,
            baseline=not knows_target(prepared, self._ledger),
            git_sha=self._git_sha,
            taken=taken,
            earned=earned,
            source_trace=request.from_trace,
            from_turn=request.from_turn,
            pricing=prepared.settings.ladder.pricing,
            cache=prepared.settings.cache,
        )

    def _after_jobs(self, session: Session, began: float) -> None:
        self._tell_hooks(session)
        if self._deliver is not None:
            try:
                self._deliver(self._tally.ordered())
            except StorageError as error:
                self._tally.problems.append(error.message)
        self._tally.problems += session.losses.messages
        # A signal from here on finds the sweep complete: rows, record and exit code must agree.
        record = self._tally.record(
            self._prepared, wall_s=self._clock.monotonic() - began, now=self._clock.now()
        )
        try:
            line = self._runs_dir.append_experiment(record)
        except StorageError as error:
            self._tally.problems.append(f"could not write the sweep's record: {error.message}")
        else:
            self._keep_notes([*session.lines, line])

    def _keep_notes(self, lines: list[str]) -> None:
        warning = write_sweep_notes(
            self._prepared.fingerprinter.inputs.folder,
            self._prepared.settings.notes_ref,
            self.sweep_id,
            lines,
            self._prepared.fingerprint,
        )
        if warning is not None:
            self._progress.say(f"warning: {warning}")

    def _tell_hooks(self, session: Session) -> None:
        if not self._prepared.hooks:
            return
        artifacts = LifecycleHooks(self._prepared.hooks).dispatch(
            "on_pack_end",
            lambda warning: self._progress.say(f"warning: {warning}"),
            agent=self._prepared.config,
            aggregate=[session.aggregates[index] for index in sorted(session.aggregates)],
        )
        for artifact in artifacts:
            try:
                self._runs_dir.write_pack_artifact(
                    session.stamp, artifact.hook_name, None, artifact.label, artifact.payload
                )
            except StorageError as error:
                self._tally.problems.append(error.message)
