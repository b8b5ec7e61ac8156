"""The agent: takes a conversation one turn further, with as many tool calls as that needs."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from steps import AgentError, Call, Decide, Message, Step
from toolbox import Toolbox, connect

MAX_STEPS = 5


@dataclass(slots=True)
class Turn:
    """What one turn of the agent came to. An `error` says why it broke off; then `text` is empty.

    `usages` has one entry for each time a model was asked, None where its server reported no
    counts. It stays empty when rules decide.
    """

    text: str = ""
    calls: list[Call] = field(default_factory=list)
    error: str | None = None
    models: set[str] = field(default_factory=set)
    usages: list[dict[str, Any] | None] = field(default_factory=list)
    new_messages: list[Message] = field(default_factory=list)

    @property
    def usage(self) -> dict[str, Any] | None:
        """The counts of every model call as the bench reads them, None when there was none."""
        return {"calls": self.usages} if any(self.usages) else None

    @property
    def model(self) -> str | None:
        """Who decided."""
        return "+".join(sorted(self.models)) or None


class Agent:
    """Decides by `decide`, calls the tools of the MCP servers at `tool_urls`, and keeps sessions."""

    def __init__(self, decide: Decide, tool_urls: tuple[str, ...]) -> None:
        self._decide = decide
        self._tool_urls = tool_urls
        self._sessions: dict[str, list[Message]] = {}

    def forget(self) -> None:
        """Drop every session. A turn still under way ends in the sessions of before, so nowhere."""
        self._sessions = {}

    async def reply(self, session_id: str, text: str, timeout_s: float) -> Turn:
        """Answer `text` in a session that the agent keeps; an unknown id is a new one."""
        sessions = self._sessions
        history = [*sessions.get(session_id, []), {"role": "user", "content": text}]
        turn = await self.answer(history, timeout_s)
        if turn.error is None:
            sessions[session_id] = [*history, *turn.new_messages]
        return turn

    async def answer(self, messages: list[Message], timeout_s: float) -> Turn:
        """Answer the last message of a whole conversation; never raises, see `Turn.error`."""
        turn = Turn()
        try:
            async with asyncio.timeout(timeout_s) as deadline, connect(self._tool_urls) as tools:
                await self._work(messages, tools, turn)
        except Exception as problem:  # noqa: BLE001 - an agent's failure is an answer too
            turn.text = ""
            turn.error = f"no answer in {timeout_s:g} s" if deadline.expired() else why(problem)
        return turn

    async def _work(self, messages: list[Message], tools: Toolbox, turn: Turn) -> None:
        for _ in range(MAX_STEPS):
            step = await self._decide([*messages, *turn.new_messages], tools.tools)
            _note(step, turn)
            if step.problem is not None:
                raise AgentError(step.problem)
            if not step.calls:
                if not step.text.strip():
                    raise AgentError("the answer is empty")
                turn.text = step.text
                turn.new_messages.append({"role": "assistant", "content": step.text})
                return
            ids = [f"call_{len(turn.calls) + i}" for i in range(len(step.calls))]
            turn.new_messages.append(_asks(step, ids))
            for call, call_id in zip(step.calls, ids, strict=True):
                turn.calls.append(call)
                result = await tools.call(call)
                turn.new_messages.append(
                    {"role": "tool", "tool_call_id": call_id, "content": result}
                )
        raise AgentError(f"no answer after {MAX_STEPS} steps")


def as_tool_call(call: Call, call_id: str) -> dict[str, Any]:
    """Return `call` in the shape of the OpenAI chat format."""
    function = {"name": call.name, "arguments": json.dumps(call.arguments)}
    return {"id": call_id, "type": "function", "function": function}


def _asks(step: Step, ids: list[str]) -> Message:
    calls = [as_tool_call(call, call_id) for call, call_id in zip(step.calls, ids, strict=True)]
    return {"role": "assistant", "content": step.text, "tool_calls": calls}


def _note(step: Step, turn: Turn) -> None:
    if step.model is not None:
        turn.models.add(step.model)
    turn.usages.append(step.usage)


def why(problem: BaseException) -> str:
    """Return one sentence about a failure; task groups wrap theirs, so that one is unwrapped."""
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    return (
        str(problem) if isinstance(problem, AgentError) else f"{type(problem).__name__}: {problem}"
    )
