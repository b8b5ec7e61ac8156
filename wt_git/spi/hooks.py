"""Lifecycle hooks: they observe a batch and may ask the agent one more question.

docs/writing-a-runtime.md, "Lifecycle hooks". An exception of a hook becomes a warning; no hook
changes a verdict or an exit status.
"""

from __future__ import annotations

import json
import math
import os
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from wt_git.spi.agent_runtime import content_text, response_message

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wt_git.api.aggregate import AggregateResult
    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score
    from wt_git.api.trace import Trace
    from wt_git.spi.agent_runtime import AgentConfig, AgentHandle, Response

CONVERSE_TIMEOUT_VARIABLE = "WT_HOOK_CONVERSE_TIMEOUT_S"
DEFAULT_CONVERSE_TIMEOUT_S = 30.0
CONVERSE_PHASE = "on_run_scored"

_NAME = re.compile(r"[a-z0-9_-]+")


def is_hook_name(name: object) -> bool:
    """Say whether `name` is allowed for a hook or an artifact's label: `[a-z0-9_-]+`."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def converse_timeout_s() -> float:
    """Return the deadline of `converse` in seconds, from the environment, by default 30."""
    raw = os.environ.get(CONVERSE_TIMEOUT_VARIABLE, "")  # noqa: TID251 - read anew for every call
    try:
        seconds = float(raw)
    except ValueError:
        return DEFAULT_CONVERSE_TIMEOUT_S
    if not math.isfinite(seconds) or seconds <= 0:
        return DEFAULT_CONVERSE_TIMEOUT_S
    return min(seconds, threading.TIMEOUT_MAX)


@dataclass(frozen=True)
class HookArtifact:
    """JSON data from a hook; the caller of the runner decides where it is stored."""

    hook_name: str
    payload: Any
    label: str | None = None


class Hook:
    """Observes the points of a batch; override those you need.

    `name` (`[a-z0-9_-]+`) marks the hook's warnings and files. Any object with these methods is a
    hook; of a subclass only the overridden points are called.
    """

    name: ClassVar[str] = "hook"

    def on_provisioned(self, ctx: HookContext) -> None:
        """Once per batch, after the world preconditions and before the first run."""

    def on_run_start(self, ctx: HookContext) -> None:
        """Per run, after the resets and before the first turn is sent."""

    def on_run_scored(self, ctx: HookContext) -> None:
        """Per run, after its scoring, also of a run that broke; `converse` works only here."""

    def on_run_end(self, ctx: HookContext) -> None:
        """Per run, right after every hook's `on_run_scored`."""

    def on_scenario_end(self, ctx: HookContext) -> None:
        """Once per batch, after aggregation and before teardown."""

    def on_pack_end(self, ctx: HookContext) -> None:
        """Once per sweep, after its last job."""


class HookContext:
    """The data of a hook at one point, and its three actions.

    All objects are live: changing one is a bug of the hook. Members that do not exist at a point are
    None. Raises `ValueError` when `hook_name` is no hook name.
    """

    def __init__(
        self,
        *,
        hook_name: str,
        phase: str,
        scenario: Scenario | None = None,
        agent: AgentConfig | None = None,
        run_id: str | None = None,
        session_id: str | None = None,
        trace: Trace | None = None,
        score: Score | None = None,
        aggregate: AggregateResult | Sequence[AggregateResult] | None = None,
        handle: AgentHandle | None = None,
        reply_normalizer: Callable[[Response], Any] | None = None,
        warning_sink: Callable[[str], None] | None = None,
    ) -> None:
        if not is_hook_name(hook_name):
            raise ValueError(f"hook name {hook_name!r} must match [a-z0-9_-]+")
        self._hook_name = hook_name
        self._phase = phase
        self._scenario = scenario
        self._agent = agent
        self._run_id = run_id
        self._session_id = session_id
        self._trace = trace
        self._score = score
        self._aggregate = aggregate
        self._handle = handle
        self._reply_normalizer = reply_normalizer or response_message
        self._warning_sink = warning_sink
        self._artifacts: list[HookArtifact] = []
        self._calls: list[_ConverseCall] = []

    @property
    def hook_name(self) -> str:
        """The hook's name."""
        return self._hook_name

    @property
    def phase(self) -> str:
        """The point, for example `on_run_scored`."""
        return self._phase

    @property
    def scenario(self) -> Scenario | None:
        """The scenario of the batch."""
        return self._scenario

    @property
    def agent(self) -> AgentConfig | None:
        """The configuration of the provisioned agent."""
        return self._agent

    @property
    def run_id(self) -> str | None:
        """The run's id, the same as in its trace."""
        return self._run_id

    @property
    def session_id(self) -> str | None:
        """The agent session of the run."""
        return self._session_id

    @property
    def trace(self) -> Trace | None:
        """The finished trace."""
        return self._trace

    @property
    def score(self) -> Score | None:
        """The run's score."""
        return self._score

    @property
    def aggregate(self) -> AggregateResult | Sequence[AggregateResult] | None:
        """The batch's aggregate; at `on_pack_end` the list of all of them, in selection order."""
        return self._aggregate

    @property
    def artifacts(self) -> tuple[HookArtifact, ...]:
        """The artifacts emitted so far."""
        return tuple(self._artifacts)

    @property
    def converse_used(self) -> bool:
        """Whether a permitted `converse` was attempted."""
        return bool(self._calls)

    @property
    def converse_timed_out(self) -> bool:
        """Whether any `converse` ran into its deadline."""
        return any(call.status == "timeout" for call in self._calls)

    @property
    def converse_duration_ms(self) -> int | None:
        """Milliseconds the latest `converse` took."""
        return self._calls[-1].duration_ms if self._calls else None

    @property
    def converse_error(self) -> str | None:
        """The errors of all calls, joined by `; `."""
        return "; ".join(call.error for call in self._calls if call.error is not None) or None

    @property
    def converse_calls(self) -> tuple[dict[str, Any], ...]:
        """One record per call: `status` (`ok`, `error`, `timeout`), `timed_out`, and so on."""
        return tuple(call.as_record() for call in self._calls)

    def warn(self, message: str) -> None:
        """Add the warning `hook:<name>: <message>` to the run, or to the batch outside a run."""
        if self._warning_sink is not None:
            self._warning_sink(f"hook:{self._hook_name}: {message}")

    def emit_artifact(self, payload: Any, label: str | None = None) -> None:
        """Store a copy of `payload` as JSON data.

        Raises `ValueError` for a label outside `[a-z0-9_-]+` and `TypeError` for values that JSON
        lacks, such as NaN. Objects emitted after a `converse` record that the agent's tools were
        enabled during it, and whether it timed out.
        """
        if label is not None and not is_hook_name(label):
            raise ValueError(f"artifact label {label!r} must match [a-z0-9_-]+")
        try:
            copy = json.loads(json.dumps(payload, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            raise TypeError(f"artifact payload is not JSON: {error}") from error
        if isinstance(copy, dict) and self.converse_used:
            copy.setdefault("tools_disabled", False)
            if self.converse_timed_out:
                copy.setdefault("timed_out", True)
        self._artifacts.append(HookArtifact(self._hook_name, copy, label))

    def converse(self, text: str) -> str:
        """Ask the agent one more question in the run's session and return the reply's text.

        Works only at `on_run_scored`; the trace's turns do not change. Raises `RuntimeError`
        elsewhere, when the agent fails, and after WT_HOOK_CONVERSE_TIMEOUT_S (30 s); a later reply is
        discarded.
        """
        if self._phase != CONVERSE_PHASE or self._handle is None or self._session_id is None:
            raise RuntimeError(
                f"converse works only at {CONVERSE_PHASE} of a live run, not at {self._phase}"
            )
        call = _ConverseCall()
        self._calls.append(call)
        request = _Request(self._handle, self._session_id, text)
        timeout_s = converse_timeout_s()
        started = time.monotonic()
        answered = request.answered_within(timeout_s)
        call.duration_ms = int((time.monotonic() - started) * 1000)
        if not answered:
            call.fail("timeout", f"converse timed out after {timeout_s:g} s")
            raise RuntimeError(call.error)
        try:
            reply = _reply_text(self._reply_normalizer(request.result()))
        except Exception as error:
            call.fail("error", f"converse failed: {error}")
            raise RuntimeError(call.error) from error
        call.status = "ok"
        return reply


class _ConverseCall:
    __slots__ = ("duration_ms", "error", "status")

    def __init__(self) -> None:
        self.status = "error"
        self.duration_ms = 0
        self.error: str | None = None

    def fail(self, status: str, error: str) -> None:
        self.status = status
        self.error = error

    def as_record(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "timed_out": self.status == "timeout",
            "duration_ms": self.duration_ms,
            "error": self.error,
        }


class _Request:
    """One `send` on a thread of its own, so that the caller can stop waiting."""

    def __init__(self, handle: AgentHandle, session_id: str, text: str) -> None:
        self._handle = handle
        self._session_id = session_id
        self._text = text
        self._is_sent = threading.Event()
        self._response: Any = None
        self._failure: Exception | None = None

    def answered_within(self, timeout_s: float) -> bool:
        # A daemon thread: an agent that never answers must not keep the process alive.
        thread = threading.Thread(target=self._send, name="wt-converse", daemon=True)
        thread.start()
        self._is_sent.wait()  # the deadline begins when the thread runs
        thread.join(timeout_s)
        return not thread.is_alive()

    def result(self) -> Any:
        """Return the response, or raise the agent's exception."""
        if self._failure is not None:
            raise self._failure
        return self._response

    def _send(self) -> None:
        self._is_sent.set()
        try:
            self._response = self._handle.send(
                [{"role": "user", "content": self._text}], self._session_id
            )
        except BaseException as error:  # noqa: BLE001 - raised by result()
            self._failure = error if isinstance(error, Exception) else RuntimeError(repr(error))


def _reply_text(reply: object) -> str:
    return content_text(reply.get("content") if isinstance(reply, Mapping) else reply)
