"""One run, step by step; docs/architecture.md, "One run", gives the order.

A failure in any step becomes a failed run that keeps the evidence gathered so far. `read_reply` reads
one response of the agent; docs/writing-a-runtime.md, "What send returns".
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from wt_git.api.aggregate import ScenarioRunResult
from wt_git.api.replies import read_agent_reply
from wt_git.api.reply_usage import usage_of
from wt_git.api.scenario import PreSendPerturbation
from wt_git.api.trace import Trace, Turn
from wt_git.run_errors import BLOCKED, ERROR_BESIDE_REPLY, FAILURE_CLASS, RUNNER_ERROR
from wt_git.runner.evidence import (
    ServerCalls,
    armed_failures,
    capture_observations,
    capture_surface,
    read_call_logs,
    tool_schema_hash,
)
from wt_git.runner.provisioning import HandleStuckError, consumes_full_history, optional_attribute
from wt_git.runner.safe_values import failure_text, json_with_reprs, safe_text
from wt_git.runner.scoring import failed_score, score_trace
from wt_git.runner.token_usage import UsageMeter
from wt_git.spi.agent_runtime import response_message
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from wt_git.api.replay import HistoryPrefix
    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score
    from wt_git.clock import Clock
    from wt_git.run_errors import FailureClass
    from wt_git.runner.lifecycle_hooks import LifecycleHooks
    from wt_git.runner.provisioning import SerialisedHandle
    from wt_git.spi.agent_runtime import AgentConfig, MCPHandle, Message, SamplingConfig
    from wt_git.spi.hooks import HookArtifact
    from wt_git.spi.state_probe import StateProbe

RESERVED_WARNINGS = (
    "mcp_evidence:",
    "perturbation_applied:",
    "replay_prefix:",
    "runner_error:",
    "failure_class:",
    "blocked:",
    "probe_error:",
    "surface_invalid:",
    "universe_divergence:",
    "runtime_warning_shape:",
    "hook:",
)
"""The first words of the product's own warnings; some of them decide how a run is scored."""


class Reply(NamedTuple):
    """One assistant turn as the runtime reported it, ready for the trace."""

    content: str
    tool_calls: list[dict[str, Any]]
    tool_results: list[dict[str, Any]]
    rendered_prompt: str | None
    model: str | None
    usage: Any
    warnings: list[str]
    blocked: str | None


def read_reply(response: Mapping[str, Any]) -> Reply:
    """Return the content of a response in any accepted shape.

    Raises `TypeError`, naming the type found, for a response that is no object and for tool calls
    that are no list, and `ReplyError` for one that cannot be scored.
    """
    if not isinstance(response, Mapping):
        response_message(response)
    said = read_agent_reply(response)
    rendered = response.get("rendered_prompt")
    warnings: list[str] = []
    quoted = [
        quoted_warning(safe_text(warning))
        for warning in _listed(response, "worker_warnings", warnings)
    ]
    results = [json_with_reprs(one) for one in _listed(response, "tool_results", warnings)]
    if said.error is not None:
        warnings.append(ERROR_BESIDE_REPLY + one_line(said.error))
    return Reply(
        said.content,
        _copied(said.calls),
        [one if isinstance(one, dict) else {"result": one} for one in results],
        rendered if isinstance(rendered, str) else None,
        _model_of(response),
        usage_of(response),
        quoted + warnings,
        said.blocked,
    )


def _model_of(response: Mapping[str, Any]) -> str | None:
    """Return the model that a reply names, under the key of its provider."""
    named = (response.get(key) for key in ("model", "modelVersion", "model_version", "model_name"))
    return next((name for name in named if isinstance(name, str) and name), None)


def _copied(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    copied = json_with_reprs(calls)
    if not isinstance(copied, list):
        raise TypeError("tool_calls contains itself; it must be JSON data")
    return copied


def _listed(response: Mapping[str, Any], key: str, warnings: list[str]) -> Sequence[object]:
    """Return the list under `key`; one of another type adds a warning and counts as empty."""
    value = response.get(key)
    if value is None or isinstance(value, (list, tuple)):
        return value or ()
    warnings.append(f"runtime_warning_shape: {key} must be a list, got {type(value).__name__}")
    return ()


def quoted_warning(text: str) -> str:
    """Return a runtime's warning such that it cannot be mistaken for one of the product's own."""
    return f"runtime_warning: {text}" if text.startswith(RESERVED_WARNINGS) else text


def user_texts(scenario: Scenario) -> list[str]:
    """Return the user side of the conversation, in order; at least one text."""
    return list(scenario.user_turns) or [scenario.scored_prompt]


class BatchContext(NamedTuple):
    """The inputs that all runs of a batch share, once its agent is up."""

    scenario: Scenario
    config: AgentConfig
    handle: SerialisedHandle
    mcp_handles: Sequence[MCPHandle]
    clock: Clock
    probe: StateProbe | None
    hooks: LifecycleHooks
    prefix: HistoryPrefix | None


def execute_run(shared: BatchContext) -> ScenarioRunResult:
    """Execute one run and return its trace and score; a failure of the run is part of these.

    The agent's state was reset before. Raises only `HandleStuckError`, after which this agent can
    be asked nothing more.
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
        run.collect()
        trace = run.trace_of_failure(error)
        score = failed_score(shared.scenario, trace.worker_warnings[0])
    run.dispatch_scored(trace, score)
    return ScenarioRunResult(score, trace, run.artifacts)


class _Run:
    """The state of one run."""

    def __init__(self, shared: BatchContext) -> None:
        self._shared = shared
        self._run_id = str(uuid4())
        self._session_id = str(uuid4())
        self._started_at = shared.clock.now()
        self._shaping = [
            p for p in shared.scenario.perturbations if isinstance(p, PreSendPerturbation)
        ]
        self._frozen: list[Turn] = []
        self._live: list[Turn] = []
        self._warnings: list[str] = []
        self._models: set[str] = set()
        self._meter = UsageMeter(self._session_id)
        self._surface: dict[str, Any] | None = None
        # False: what the logs or the probe hold may stem from an earlier run.
        self._logs_are_this_runs = False
        self._probe_is_reset = False
        self._is_collected = False
        self._server_calls = ServerCalls([], [])
        self._observations: dict[str, Any] = {}
        self.artifacts: list[HookArtifact] = []

    def prepare(self) -> None:
        """Refuse a history that cannot be delivered, then reset logs and probe for this run."""
        shared = self._shared
        if shared.prefix is not None or self._shaping:
            self._refuse_undeliverable()
        for mcp_handle in shared.mcp_handles:
            mcp_handle.reset_call_log()
        self._logs_are_this_runs = True
        if shared.probe is not None:
            shared.probe.reset()
            self._probe_is_reset = True
        describe = optional_attribute(shared.handle, "describe_surface")
        if callable(describe):
            self._surface, warning = capture_surface(describe)
            self._warn(warning)
        if shared.prefix is not None:
            self._frozen = [copy(turn) for turn in shared.prefix.turns]
            self._warnings.append(shared.prefix.marker)
        self._dispatch("on_run_start", self._warnings)

    def _refuse_undeliverable(self) -> None:
        """Raise for a history that a runtime which sends only the newest turn would drop."""
        shared = self._shared
        if consumes_full_history(shared.handle):
            return
        only_newest = "this runtime sends only the newest user turn and cannot deliver"
        if shared.prefix is not None:
            raise RuntimeError(f"{only_newest} a replayed history prefix")
        names = ", ".join(type(perturbation).__name__ for perturbation in self._shaping)
        raise RuntimeError(f"{only_newest} history-shaped perturbations: {names}")

    def converse(self) -> None:
        """Send the user's side turn by turn, in one session, and record both sides.

        Every message is a fresh object, so a driver that edits its input changes no later turn.
        """
        scenario, prefix = self._shared.scenario, self._shared.prefix
        texts = user_texts(scenario)
        for number, text in enumerate(texts, 1):
            messages: list[Message] = [
                *([] if prefix is None else prefix.messages()),
                *({"role": turn.role, "content": turn.content} for turn in self._live),
                {"role": "user", "content": text},
            ]
            self._live.append(Turn("user", text, [], [], 0.0))
            if number == len(texts):
                for perturbation in self._shaping:
                    messages = perturbation.shape_messages(messages, scenario)
            if not self._send(messages):
                return

    def _send(self, messages: list[Message]) -> bool:
        """Send one turn and record its answer; return whether the conversation goes on.

        It ends where the provider withheld the model's answer, which is a result of the model.
        """
        clock = self._shared.clock
        began = clock.monotonic()
        try:
            response = self._shared.handle.send(messages, self._session_id)
            latency_ms = (clock.monotonic() - began) * 1000.0
            reply = read_reply(response)
        except Exception as error:
            self._meter.add(None)  # the cost of this send is unknown
            if _failure_class(error) != "model":
                raise
            self._note_blocked(failure_text(error))
            latency_ms = (clock.monotonic() - began) * 1000.0
            self._live.append(Turn("assistant", "", [], [], latency_ms))
            return False
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
        if reply.blocked is not None:
            self._note_blocked(reply.blocked)
        return reply.blocked is None

    def _note_blocked(self, reason: str) -> None:
        self._warnings += [BLOCKED + reason, f"{FAILURE_CLASS}model"]

    def collect(self) -> None:
        """Read the server logs and the probe, once, where they are known to be of this run."""
        if self._is_collected:
            return
        self._is_collected = True
        shared = self._shared
        if self._logs_are_this_runs:
            self._server_calls = read_call_logs(shared.mcp_handles)
        if shared.probe is not None and self._probe_is_reset:
            self._observations, warning = capture_observations(shared.probe)
            self._warn(warning)
        self._warnings += self._server_calls.warnings

    def armed(self) -> list[Any]:
        """Return the failures armed in the tool servers; asked only when a perturbation needs it."""
        if not self._shared.scenario.perturbations:
            return []
        return armed_failures(self._shared.mcp_handles)

    def trace(self) -> Trace:
        """Return the trace of a run without a failure."""
        return self._trace(self._shared.clock.now(), self._warnings)

    def trace_of_failure(self, error: Exception) -> Trace:
        """Return the trace of a run that broke, with the error as its first warning.

        The class follows, unless the driver's or the agent's own code is at fault.
        """
        found = _failure_class(error)
        of_class = [] if found == "harness" else [FAILURE_CLASS + found]
        warnings = [RUNNER_ERROR + failure_text(error), *of_class, *self._warnings]
        return self._trace(self._started_at, warnings)

    def _trace(self, finished_at: datetime, warnings: list[str]) -> Trace:
        config = self._shared.config
        return Trace(
            scenario_id=self._shared.scenario.name,
            agent_id=config.agent_id,
            variant_id=config.variant_id,
            model=self._model(),
            quant="unknown" if config.model is None else config.model.quant,
            sampler=_recorded_sampling(config.sampling),
            started_at=self._started_at,
            finished_at=finished_at,
            turns=[*self._frozen, *self._live],
            tool_schema_hash=tool_schema_hash(self._shared.mcp_handles),
            worker_warnings=warnings,
            mcp_calls=self._server_calls.calls,
            observations=self._observations,
            surface=self._surface,
            usage=self._meter.totals(),
            model_calls=self._meter.model_calls(),
            run_id=self._run_id,
        )

    def _model(self) -> str:
        """Return the configured model's name, else those that the responses named."""
        configured = self._shared.config.model
        if configured is not None and configured.name not in {"", "unknown"}:
            return configured.name
        return "+".join(sorted(self._models)) or "unknown"

    def dispatch_scored(self, trace: Trace, score: Score) -> None:
        """Call the hooks with the scored run; their warnings land on the finished trace."""
        evidence: dict[str, Any] = {"trace": trace, "score": score}
        handle = self._shared.handle
        self._dispatch("on_run_scored", trace.worker_warnings, handle=handle, **evidence)
        self._dispatch("on_run_end", trace.worker_warnings, **evidence)

    def _dispatch(self, point: str, warnings: list[str], **members: Any) -> None:
        self.artifacts += self._shared.hooks.dispatch(
            point,
            warnings.append,
            scenario=self._shared.scenario,
            agent=self._shared.config,
            run_id=self._run_id,
            session_id=self._session_id,
            **members,
        )

    def _warn(self, warning: str | None) -> None:
        if warning is not None:
            self._warnings.append(warning)


def _failure_class(error: Exception) -> FailureClass:
    from wt_git.api.failure_classes import classify_exception  # noqa: PLC0415 - only for a run that broke

    return classify_exception(error)


def _recorded_sampling(sampling: SamplingConfig | None) -> dict[str, Any]:
    """Return the knobs that are set, as `Trace.sampler` records them."""
    if sampling is None:
        return {}
    knobs = {
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "tool_choice": sampling.tool_choice,
        "max_tokens": sampling.max_tokens,
    }
    return {name: value for name, value in knobs.items() if value is not None}
