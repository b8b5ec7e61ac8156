"""One run, step by step; docs/architecture.md, "One run", gives the order.

A failure in any step becomes a failed run that keeps the evidence gathered so far.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from wt_git.api.aggregate import ScenarioRunResult
from wt_git.api.scenario import PreSendPerturbation
from wt_git.api.trace import Trace, Turn
from wt_git.runner.probe_and_surface import capture_observations, capture_surface
from wt_git.runner.provisioning import HandleStuckError, consumes_full_history, surface_reporter
from wt_git.runner.reply import read_reply
from wt_git.runner.safe_values import failure_text
from wt_git.runner.scoring import RUNNER_ERROR, failed_score, score_trace
from wt_git.runner.token_usage import UsageMeter
from wt_git.runner.tool_servers import ServerCalls, armed_failures, read_call_logs, tool_schema_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from wt_git.api.replay import HistoryPrefix
    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score
    from wt_git.clock import Clock
    from wt_git.runner.lifecycle_hooks import LifecycleHooks
    from wt_git.runner.provisioning import SerialisedHandle
    from wt_git.spi.agent_runtime import AgentConfig, Message
    from wt_git.spi.hooks import HookArtifact
    from wt_git.spi.mcp_server import MCPHandle
    from wt_git.spi.state_probe import StateProbe


def user_texts(scenario: Scenario) -> list[str]:
    """Return the user side of the conversation, in order; at least one text."""
    return list(scenario.user_turns) or [scenario.scored_prompt]


def pre_send_perturbations(scenario: Scenario) -> list[PreSendPerturbation]:
    """Return the perturbations that shape the history, in declared order, known by their class."""
    return [p for p in scenario.perturbations if isinstance(p, PreSendPerturbation)]


def turn_messages(
    history: Iterable[Mapping[str, Any]], turns: Iterable[Turn], user_text: str
) -> list[Message]:
    """Return frozen history, then the live texts so far, then the new user text.

    Every message is a fresh object, so a driver that edits what it is given spoils no later turn.
    """
    return [
        *(dict(message) for message in history),
        *({"role": turn.role, "content": turn.content} for turn in turns),
        {"role": "user", "content": user_text},
    ]


def shape_history(
    messages: list[Message], perturbations: Sequence[PreSendPerturbation], scenario: Scenario
) -> list[Message]:
    """Return `messages` after every history-shaping perturbation, in declared order."""
    for perturbation in perturbations:
        messages = perturbation.shape_messages(messages, scenario)
    return messages


@dataclass(frozen=True, slots=True)
class BatchContext:
    """What all runs of a batch share, once its agent is up."""

    scenario: Scenario
    config: AgentConfig
    handle: SerialisedHandle
    mcp_handles: Sequence[MCPHandle]
    clock: Clock
    user_texts: list[str]
    shaping: list[PreSendPerturbation]
    sampler: dict[str, Any]
    probe: StateProbe | None = None
    lifecycle: LifecycleHooks | None = None
    prefix: HistoryPrefix | None = None


def execute_run(shared: BatchContext) -> ScenarioRunResult:
    """Execute one run and return its trace and score; never raises for what the run itself does.

    The agent's state was reset before. Raises only `HandleStuckError`, after which nothing more can
    be asked of this agent.
    """
    run = _Run(shared)
    try:
        run.prepare()
        run.converse()
        run.collect()
        trace, score = score_trace(run.trace(), shared.scenario, armed=run.armed())
    except HandleStuckError:
        raise
    except Exception as error:  # noqa: BLE001 - an execution error is a recorded, INVALID run
        run.collect_what_can_be_trusted()
        trace = run.trace_of_failure(error)
        score = failed_score(shared.scenario, trace.worker_warnings[0])
    return ScenarioRunResult(score, trace, _call_run_hooks(shared, run, trace, score))


def _call_run_hooks(
    shared: BatchContext, run: _Run, trace: Trace, score: Score
) -> list[HookArtifact]:
    """Let the hooks see the scored run; their warnings land on the finished trace."""
    if shared.lifecycle is None:
        return run.artifacts
    members: dict[str, Any] = {**run.hook_members(), "trace": trace, "score": score}
    sink = trace.worker_warnings.append
    scored = shared.lifecycle.dispatch("on_run_scored", sink, handle=shared.handle, **members)
    ended = shared.lifecycle.dispatch("on_run_end", sink, **members)
    return [*run.artifacts, *scored, *ended]


class _Run:
    """The state of one run while it is flown."""

    def __init__(self, shared: BatchContext) -> None:
        self._shared = shared
        self._run_id = str(uuid4())
        self._session_id = str(uuid4())
        self._started_at = shared.clock.now()
        self._frozen: list[Turn] = []
        self._live: list[Turn] = []
        self._warnings: list[str] = []
        self._models: set[str] = set()
        self._meter = UsageMeter(self._session_id)
        self._surface: dict[str, Any] | None = None
        self._logs_are_this_runs = False
        self._probed: StateProbe | None = None
        self._is_collected = False
        self._witnessed = ServerCalls()
        self._observations: dict[str, Any] = {}
        self.artifacts: list[HookArtifact] = []

    def hook_members(self) -> dict[str, Any]:
        """Return what every hook of this run is shown."""
        return {
            "scenario": self._shared.scenario,
            "agent": self._shared.config,
            "run_id": self._run_id,
            "session_id": self._session_id,
        }

    def prepare(self) -> None:
        """Refuse what cannot be delivered, then make the world this run's own."""
        shared = self._shared
        if shared.prefix is not None or shared.shaping:
            self._refuse_undeliverable()
        for mcp_handle in shared.mcp_handles:
            mcp_handle.reset_call_log()
        self._logs_are_this_runs = True
        if shared.probe is not None:
            shared.probe.reset()
            self._probed = shared.probe
        self._look_at_surface()
        if shared.prefix is not None:
            self._frozen = [copy(turn) for turn in shared.prefix.turns]
            self._warnings.append(shared.prefix.marker)
        if shared.lifecycle is not None:
            self.artifacts += shared.lifecycle.dispatch(
                "on_run_start", self._warnings.append, **self.hook_members()
            )

    def _refuse_undeliverable(self) -> None:
        shared = self._shared
        if consumes_full_history(shared.handle):
            return
        if shared.prefix is not None:
            raise RuntimeError(
                "this runtime sends only the newest user turn and cannot deliver a replayed "
                "history prefix"
            )
        names = ", ".join(type(perturbation).__name__ for perturbation in shared.shaping)
        raise RuntimeError(
            "this runtime sends only the newest user turn and cannot deliver history-shaped "
            f"perturbations: {names}"
        )

    def _look_at_surface(self) -> None:
        describe = surface_reporter(self._shared.handle)
        if describe is None:
            return
        self._surface, warning = capture_surface(describe)
        if warning is not None:
            self._warnings.append(warning)

    def converse(self) -> None:
        """Send the user's side turn by turn, in one session, and record both sides."""
        shared = self._shared
        history = [] if shared.prefix is None else shared.prefix.messages()
        final = len(shared.user_texts) - 1
        for number, text in enumerate(shared.user_texts):
            messages = turn_messages(history, self._live, text)
            self._live.append(Turn("user", text, [], [], 0.0))
            if number == final and shared.shaping:
                messages = shape_history(messages, shared.shaping, shared.scenario)
            self._send(messages)

    def _send(self, messages: list[Message]) -> None:
        clock = self._shared.clock
        began = clock.monotonic()
        try:
            response = self._shared.handle.send(messages, self._session_id)
            latency_ms = (clock.monotonic() - began) * 1000.0
            reply = read_reply(response)
        except Exception:
            self._meter.add(None)  # a send whose cost nobody knows
            raise
        self._warnings += reply.warnings
        self._warnings += self._meter.add(reply.usage)
        if reply.model is not None:
            self._models.add(reply.model)
        self._live.append(
            Turn(
                "assistant",
                reply.content,
                reply.tool_calls,
                reply.tool_results,
                latency_ms,
                reply.rendered_prompt,
            )
        )

    def collect(self) -> None:
        """Freeze what the tool servers and the probe saw, once."""
        self._is_collected = True
        if self._logs_are_this_runs:
            self._witnessed = read_call_logs(self._shared.mcp_handles)
        if self._probed is not None:
            self._observations, warning = capture_observations(self._probed)
            if warning is not None:
                self._warnings.append(warning)
        self._warnings += self._witnessed.warnings

    def collect_what_can_be_trusted(self) -> None:
        """After a failure: as `collect`, but leave out what may stem from an earlier run."""
        if not self._is_collected:
            self.collect()

    def armed(self) -> list[Any]:
        """Return what the tool servers were made to do wrong; asked only when it matters."""
        if not self._shared.scenario.perturbations:
            return []
        return armed_failures(self._shared.mcp_handles)

    def trace(self) -> Trace:
        """Return the trace of a run that came through."""
        return self._trace(self._shared.clock.now(), self._warnings)

    def trace_of_failure(self, error: Exception) -> Trace:
        """Return the trace of a run that broke, the error as its first warning."""
        warning = RUNNER_ERROR + failure_text(error)
        return self._trace(self._started_at, [warning, *self._warnings])

    def _trace(self, finished_at: datetime, warnings: list[str]) -> Trace:
        shared = self._shared
        config = shared.config
        return Trace(
            scenario_id=shared.scenario.name,
            agent_id=config.agent_id,
            variant_id=config.variant_id,
            model=self._model(),
            quant="unknown" if config.model is None else config.model.quant,
            sampler=dict(shared.sampler),
            started_at=self._started_at,
            finished_at=finished_at,
            turns=[*self._frozen, *self._live],
            tool_schema_hash=tool_schema_hash(shared.mcp_handles),
            worker_warnings=warnings,
            mcp_calls=self._witnessed.calls,
            observations=self._observations,
            surface=self._surface,
            usage=self._meter.totals(),
            model_calls=self._meter.model_calls(),
            run_id=self._run_id,
        )

    def _model(self) -> str:
        """Return the configured model's name, else those the responses named."""
        configured = self._shared.config.model
        if configured is not None and configured.name not in {"", "unknown"}:
            return configured.name
        return "+".join(sorted(self._models)) or "unknown"
