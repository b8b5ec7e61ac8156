"""`wt replay`: sends the user messages of a saved trace to a live agent (docs/rescoring.md)."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import msgspec

from wt_git.api.pack import ScenarioPack
from wt_git.api.scenario import Scenario, WorldMismatchError
from wt_git.errors import (
    EXIT_INTERRUPTED,
    EXIT_NO,
    EXIT_USAGE,
    EXIT_YES,
    UsageError,
    WaitStopped,
    WindTunnelError,
)
from wt_git.plugins.loading import FOREIGN_FAILURES, describe
from wt_git.plugins.packs import discover_packs
from wt_git.plugins.runtimes import find_plugin, resolve_runtime
from wt_git.records.runs.sidecars import REPLAYED, scenario_block, sidecar_document
from wt_git.records.runs_dir import RunsDir
from wt_git.runner.batch import run_scenario
from wt_git.runner.run import user_texts
from wt_git.sweep import runtime_lifecycle
from wt_git.sweep.probe import live_scenario, load_probe
from wt_git.sweep.request import RunTarget, agent_config, agents_file, soul_text
from wt_git.sweep.runtime_lifecycle import RuntimeFailureError, bug_traceback
from wt_git.sweep.selection import (
    Definitions,
    Selected,
    find_unmatched,
    state_probe_of,
    tool_servers_of,
    unmatched_lines,
)
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wt_git.api.aggregate import ScenarioRunResult
    from wt_git.api.trace import Trace
    from wt_git.clock import Clock
    from wt_git.records.events import Event
    from wt_git.spi.agent_runtime import AgentRuntime
    from wt_git.sweep.request import SweepRequest


class Replay(RunTarget, frozen=True, kw_only=True):
    """A replay with everything that it names resolved. Nothing has been built or written.

    `path` is the trace's, as typed. `is_judged`: a definition of its scenario was found.
    """

    path: str
    trace: Trace
    is_judged: bool


def look_up_replay(path: str, request: SweepRequest, say: Callable[[str], None]) -> Replay:
    """Resolve everything for a replay of the trace at `path`. Builds no runtime, writes no file.

    Raises `UsageError` or `LoadError` for the first thing that is wrong.
    """
    source = load_probe(path, 1, option="--trace")
    live = source.live
    plugin = find_plugin(request.runtime, say)
    definition = _definition(request, source.trace.scenario_id, say)
    soul, agents = soul_text(request), agents_file(request)
    runtime = resolve_runtime(plugin, say)
    RunsDir(request.runs_dir).check()
    if definition is not None and live != user_texts(definition.scenario):
        say("note: its user does not say what the scenario's says today; it is judged all the same")
    return Replay(
        request=request,
        runtime=runtime,
        selected=[_played(source.trace, live, definition)],
        config=agent_config(request, runtime, soul, agents, agent_id=source.trace.agent_id),
        path=path,
        trace=source.trace,
        is_judged=definition is not None,
    )


def _definition(
    request: SweepRequest, scenario: str, say: Callable[[str], None]
) -> Selected | None:
    found = discover_packs(request.pack_sources)
    for line in unmatched_lines(find_unmatched(found.packs, request.selectors)):
        say(line)
    definition = Definitions(found, request.selectors).of(scenario)
    if definition is None:
        say(
            f"no definition of '{one_line(scenario)}' was found, so nothing is expected of the agent: "
            "the run will stay out of every table; --pack-source names a pack that defines it"
        )
    return definition


def _played(trace: Trace, live: list[str], definition: Selected | None) -> Selected:
    if definition is not None:
        return Selected(definition.pack, live_scenario(definition.scenario, live))
    try:
        bare = Scenario(name=trace.scenario_id, user_turns=live)
    except ValueError as error:
        raise UsageError(
            f"the trace cannot be played: {one_line(str(error))}",
            code="trace-not-loaded",
            facts={"scenario": trace.scenario_id, "reason": str(error)},
        ) from error
    return Selected(ScenarioPack(name=REPLAYED, scenarios=[bare]), bare)


PRIORITY = 1
"""The priority of a replay in the queue for a runtime."""


class ReplayFailedError(WindTunnelError):
    """The trace could not be played: nothing was saved."""

    code = "replay-failed"


class _Cancelled(Exception):  # noqa: N818 - control flow, not an error
    """A signal came before the agent was asked anything."""


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a replay: its saved trace and verdict, or why there is none.

    `traceback` is that of a bug in foreign code. `problems` came after the run was saved.
    """

    exit_code: int
    path: str | None = None
    verdict: str | None = None
    failure: WindTunnelError | None = None
    traceback: str | None = None
    problems: tuple[str, ...] = ()


class Replaying:
    """A replay with its effects injected; `run` it once."""

    def __init__(
        self, replay: Replay, *, clock: Clock, lock_folder: Path, say: Callable[[str], None]
    ) -> None:
        self._replay = replay
        self._clock = clock
        self._lock_folder = lock_folder
        self.say = say
        self._runs_dir = RunsDir(replay.request.runs_dir)
        self._interruption = threading.Event()
        self._signal_code: int | None = None
        self._saved: tuple[str, str] | None = None

    def interrupt(self, exit_code: int = EXIT_INTERRUPTED) -> None:
        """Ask the replay to end after the run in flight. Safe to call from a signal handler."""
        self._signal_code = exit_code
        self._interruption.set()

    def emit(self, kind: type[Event], /, **fields: Any) -> None:
        """Drop an event: a replay is no sweep."""

    def run(self) -> Replayed:
        """Play the trace, save the run, and return the result.

        Raises `UsageError` when the runs directory or the lock folder cannot be used, `BusyError`
        where waiting was forbidden, and `StorageError` when the run cannot be saved.
        """
        self._runs_dir.prepare()
        held = runtime_lifecycle.hold_runtime(
            self._replay,
            "",
            self,
            priority=PRIORITY,
            folder=self._lock_folder,
            clock=self._clock,
            stop=self._interruption,
        )
        try:
            with held:
                return self._run_held()
        except WaitStopped:
            return self._ended()

    def _run_held(self) -> Replayed:
        try:
            runtime = runtime_lifecycle.build_runtime(self._replay)
        except RuntimeFailureError as error:
            return Replayed(exit_code=EXIT_USAGE, failure=error)
        failure: WindTunnelError | None = runtime_lifecycle.pre_run(self._replay, runtime)
        cause: BaseException | None = None
        try:
            if failure is None:
                failure, cause = self._fly(runtime)
        finally:
            problem = runtime_lifecycle.post_run(self._replay, runtime)
        ended = self._ended(() if problem is None else (problem.message,))
        if failure is None:
            return ended
        stack = None if cause is None else bug_traceback(cause)
        return msgspec.structs.replace(ended, exit_code=EXIT_NO, failure=failure, traceback=stack)

    def _ended(self, problems: tuple[str, ...] = ()) -> Replayed:
        path, verdict = self._saved or (None, None)
        code = EXIT_NO if problems else EXIT_YES
        if self._signal_code is not None:
            code = self._signal_code
        return Replayed(exit_code=code, path=path, verdict=verdict, problems=problems)

    def _fly(self, runtime: AgentRuntime) -> tuple[WindTunnelError | None, BaseException | None]:
        """Play the one run; return why that failed, and the exception."""
        selected = self._replay.selected[0]
        try:
            ran = run_scenario(
                selected.scenario,
                runtime,
                tool_servers_of(selected, runtime),
                config=self._replay.config,
                state_probe=state_probe_of(selected),
                on_run_start=self._starts,
                on_run_complete=self._keep,
                on_warning=lambda text: self.say(f"warning: {text}"),
                clock=self._clock,
            )
        except _Cancelled:
            return None, None
        except WorldMismatchError as error:
            return _world_mismatch(selected, error), None
        except WindTunnelError:
            raise
        except FOREIGN_FAILURES as error:
            return self._broke(error), error
        for warning in ran.worker_warnings:
            self.say(f"warning: {warning}")
        return None, None

    def _starts(self, _run: int) -> None:
        if self._interruption.is_set():
            raise _Cancelled

    def _keep(self, _run: int, run: ScenarioRunResult) -> None:
        """Save the run the moment that it is scored."""
        scenario = self._replay.selected[0].scenario
        gate = scenario.resolved_gate_layers()
        sidecar = sidecar_document(run.score, gate, scenario_block(scenario))
        if not self._replay.is_judged:
            sidecar["origin"] = {"kind": REPLAYED, "source_trace": self._replay.path}
        self._saved = self._runs_dir.write_run(run.trace, sidecar), sidecar["verdict"]

    def _broke(self, error: BaseException) -> ReplayFailedError:
        runtime, problem = self._replay.request.runtime, describe(error)
        return ReplayFailedError(
            f"the trace could not be played on '{one_line(runtime)}': {problem}",
            facts={"runtime": runtime, "trace": self._replay.path, "problem": problem},
        )


def _world_mismatch(selected: Selected, error: WorldMismatchError) -> ReplayFailedError:
    name = selected.scenario.name
    return ReplayFailedError(
        f"the world is not as '{one_line(name)}' requires, so nothing was played",
        code="replay-world-mismatch",
        hints=tuple(one_line(failure) for failure in error.failures),
        facts={"scenario": name, "failures": list(error.failures)},
    )
