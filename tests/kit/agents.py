"""Fakes at the boundary of `wt_git.spi`: they do as they are told and write down, in one list, what
they were asked, so that a test reads the order of steps across all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from wt_git.spi import AgentConfig, Hook, HookContext, MCPCall, MCPHandle, Message, Response

Answer = str | Mapping[str, Any] | BaseException | Callable[[list[Message], str], Any]


def says(content: str = "", *calls: tuple[str, dict[str, Any]], **extra: Any) -> Response:
    """A flat response: a text, tool calls as (name, arguments), and optional top-level keys."""
    tool_calls = [
        {"id": f"call_{i}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for i, (name, arguments) in enumerate(calls)
    ]
    return {"content": content, "tool_calls": tool_calls, **extra}


class Failing:
    """Which of a fake's methods raise, and what."""

    def __init__(self, failures: Mapping[str, BaseException] | None) -> None:
        self._failures = dict(failures or {})

    def __call__(self, method: str) -> None:
        if method in self._failures:
            raise self._failures[method]


class RecordingHandle:
    """An agent that plays a list of answers, one per send; after the last, the last repeats.

    An answer is a text, a response, an exception to raise, or a function that returns, from the
    messages and the session, whatever `send` is to return. `reset_state` begins the list again.
    """

    def __init__(
        self,
        answers: Sequence[Answer] = ("ok",),
        *,
        log: list[str] | None = None,
        fails: Mapping[str, BaseException] | None = None,
        attributes: Mapping[str, Any] | None = None,
    ) -> None:
        self.log = [] if log is None else log
        self.sent: list[tuple[list[Message], str]] = []
        self._answers = list(answers)
        self._position = 0
        self._failing = Failing(fails)
        for name, value in (attributes or {}).items():
            setattr(self, name, value)

    @property
    def sessions(self) -> list[str]:
        """The session of every send, in order."""
        return [session_id for _, session_id in self.sent]

    @property
    def texts(self) -> list[str]:
        """The newest user text of every send, in order."""
        return [messages[-1]["content"] for messages, _ in self.sent]

    def send(self, messages: list[Message], session_id: str) -> Response:
        self.log.append("send")
        self.sent.append(([dict(message) for message in messages], session_id))
        answer = self._answers[min(self._position, len(self._answers) - 1)]
        self._position += 1
        if isinstance(answer, BaseException):
            raise answer
        if callable(answer):
            return answer(messages, session_id)
        return says(answer) if isinstance(answer, str) else answer

    def reset_state(self) -> None:
        self.log.append("reset_state")
        self._position = 0
        self._failing("reset_state")

    def teardown(self) -> None:
        self.log.append("teardown")
        self._failing("teardown")


class SurfaceHandle(RecordingHandle):
    """The same, with a prompt surface to report: a block, or an exception to raise."""

    surface: Any = None

    def describe_surface(self) -> Any:
        self.log.append("describe_surface")
        if isinstance(self.surface, BaseException):
            raise self.surface
        return self.surface


class RecordingRuntime:
    """Hands out one prepared handle, or a fresh one per provisioning from a factory."""

    def __init__(
        self,
        handle: RecordingHandle | Callable[[], Any] | None = None,
        *,
        fails: Mapping[str, BaseException] | None = None,
    ) -> None:
        self.handle = RecordingHandle() if handle is None else handle
        self.configs: list[AgentConfig] = []
        self.mounted: list[list[MCPHandle] | None] = []
        self._failing = Failing(fails)

    @property
    def log(self) -> list[str]:
        return self.handle.log

    def provision(self, config: AgentConfig, mcps: list[MCPHandle] | None = None) -> Any:
        if isinstance(self.handle, RecordingHandle):
            self.handle.log.append("provision")
        self.configs.append(config)
        self.mounted.append(mcps)
        self._failing("provision")
        return self.handle if isinstance(self.handle, RecordingHandle) else self.handle()


class RecordingToolServer:
    """A tool server and its own handle; `calls` is what its log will say after the next reset."""

    def __init__(
        self,
        name: str = "tools",
        calls: Iterable[MCPCall] = (),
        *,
        log: list[str] | None = None,
        fails: Mapping[str, BaseException] | None = None,
    ) -> None:
        self.name = name
        self.url = f"http://127.0.0.1:1/{name}"
        self.log = [] if log is None else log
        self.calls = list(calls)
        self._failing = Failing(fails)

    def start(self) -> RecordingToolServer:
        self.log.append(f"start {self.name}")
        self._failing("start")
        return self

    def stop(self) -> None:
        self.log.append(f"stop {self.name}")
        self._failing("stop")

    def reset_call_log(self) -> None:
        self.log.append(f"reset_call_log {self.name}")
        self._failing("reset_call_log")

    def call_log(self) -> list[MCPCall]:
        self.log.append(f"call_log {self.name}")
        self._failing("call_log")
        return list(self.calls)


class NamingToolServer(RecordingToolServer):
    """The same, able to name its tools."""

    tools: Sequence[str] = ("look_up",)

    def served_tools(self) -> list[str]:
        self.log.append(f"served_tools {self.name}")
        self._failing("served_tools")
        return list(self.tools)


class DefiningToolServer(NamingToolServer):
    """The same, able to show its definitions."""

    definitions: Sequence[dict[str, Any]] = ({"name": "look_up", "description": "Looks it up."},)

    def served_tool_definitions(self) -> list[dict[str, Any]]:
        self.log.append(f"served_tool_definitions {self.name}")
        return [dict(definition) for definition in self.definitions]


class RecordingProbe:
    """A probe whose snapshot is prepared."""

    def __init__(
        self,
        snapshot: Any = None,
        *,
        log: list[str] | None = None,
        fails: Mapping[str, BaseException] | None = None,
    ) -> None:
        self.log = [] if log is None else log
        self.snapshot = {} if snapshot is None else snapshot
        self._failing = Failing(fails)

    def reset(self) -> None:
        self.log.append("probe reset")
        self._failing("reset")

    def capture(self) -> Any:
        self.log.append("probe capture")
        self._failing("capture")
        return self.snapshot


class RecordingHook(Hook):
    """A hook that overrides every point; `on` maps a point to what it does with the context."""

    name = "recorder"

    def __init__(self, log: list[str] | None = None, **on: Callable[[HookContext], object]) -> None:
        self.log = [] if log is None else log
        self.contexts: dict[str, list[HookContext]] = {}
        self._on = on

    def _seen(self, ctx: HookContext) -> None:
        self.log.append(ctx.phase)
        self.contexts.setdefault(ctx.phase, []).append(ctx)
        if ctx.phase in self._on:
            self._on[ctx.phase](ctx)

    def on_provisioned(self, ctx: HookContext) -> None:
        self._seen(ctx)

    def on_run_start(self, ctx: HookContext) -> None:
        self._seen(ctx)

    def on_run_scored(self, ctx: HookContext) -> None:
        self._seen(ctx)

    def on_run_end(self, ctx: HookContext) -> None:
        self._seen(ctx)

    def on_scenario_end(self, ctx: HookContext) -> None:
        self._seen(ctx)

    def on_pack_end(self, ctx: HookContext) -> None:
        self._seen(ctx)


class SettableClock:
    """A clock that moves only when it is read: `step_s` further with each reading."""

    def __init__(self, now: Any, step_s: float = 0.0) -> None:
        self._now = now
        self._step_s = step_s
        self._monotonic = 0.0

    def now(self) -> Any:
        return self._now

    def monotonic(self) -> float:
        self._monotonic += self._step_s
        return self._monotonic
