"""A scripted agent, for trying scenarios and the bench itself. docs/writing-a-runtime.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from wt_git.spi.agent_runtime import AgentConfig, Message, Response
    from wt_git.spi.mcp_server import MCPHandle

__all__ = ["InMemoryRuntime", "ScriptedEntry"]


ScriptedEntry: TypeAlias = str | dict[str, Any]
"""One scripted answer: its text, or an object with `content` and `tool_calls`, and where wanted
`usage`, `model` and `worker_warnings`."""

_RESPONSE_KEYS = ("usage", "model", "worker_warnings")


class InMemoryRuntime:
    """Answers from a script: one entry per `send`, the last one again when it has run out.

    Without entries it answers `ok`. `surface` is the prompt surface of every handle. There is no
    agent with a prompt, tools or sampling, so `provision` accepts any config and mounts nothing.
    `provisions` lists every (config, handle) in order.
    """

    accepts_runner_managed_mcps = False

    def __init__(
        self,
        scripted_responses: list[ScriptedEntry] | None = None,
        surface: dict[str, Any] | None = None,
    ) -> None:
        self._script: list[ScriptedEntry] = list(scripted_responses or ["ok"])
        self._surface = surface
        self.provisions: list[tuple[AgentConfig, InMemoryHandle]] = []

    def provision(self, config: AgentConfig, mcps: list[MCPHandle] | None = None) -> InMemoryHandle:
        """Return a handle with the whole script before it."""
        del mcps
        handle = InMemoryHandle(list(self._script), self._surface)
        self.provisions.append((config, handle))
        return handle


class InMemoryHandle:
    """A position in a script.

    `calls` holds (messages, session id) of each `send` since the last reset; `reset_count` and
    `teardown_count` count.
    """

    def __init__(self, script: list[ScriptedEntry], surface: dict[str, Any] | None) -> None:
        self._script = script
        self._surface = surface
        self._position = 0
        self.calls: list[tuple[list[Message], str]] = []
        self.reset_count = 0
        self.teardown_count = 0

    def send(self, messages: list[Message], session_id: str) -> Response:
        """Return the next entry as a chat completion, for any messages in any session."""
        self.calls.append((list(messages), session_id))
        entry = self._script[self._position]
        if self._position + 1 < len(self._script):
            self._position += 1
        return _completion({"content": entry} if isinstance(entry, str) else entry)

    def reset_state(self) -> None:
        """Go back to the first entry and forget the calls."""
        self._position = 0
        self.calls.clear()
        self.reset_count += 1

    def teardown(self) -> None:
        """Count."""
        self.teardown_count += 1

    def describe_surface(self) -> dict[str, Any]:
        """Return a copy of the block given to the runtime, else `unavailable`."""
        return {"status": "unavailable"} if self._surface is None else dict(self._surface)


def _completion(entry: dict[str, Any]) -> Response:
    calls = entry.get("tool_calls")
    if calls is None:
        calls = []
    message = {"role": "assistant", "content": entry.get("content", ""), "tool_calls": calls}
    finish_reason = "tool_calls" if calls else "stop"
    response: Response = {"choices": [{"message": message, "finish_reason": finish_reason}]}
    for key in _RESPONSE_KEYS:
        if key in entry:
            response[key] = entry[key]
    return response


class InMemoryPlugin:
    """An agent that answers `ok` to everything: enough to check that a scenario loads and is scored."""

    # Handles share nothing, so any number of scenarios may run at once and no lock is needed.
    max_concurrency: int | None = None

    def build(self, runtime_name: str, label: str, soul_path: str | None) -> InMemoryRuntime:
        """Return the runtime."""
        del runtime_name, label, soul_path
        return InMemoryRuntime(["ok"])


PLUGIN = InMemoryPlugin()
