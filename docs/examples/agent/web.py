"""The agent's two ways in over HTTP.

`POST /chat` is its own: the caller sends the whole conversation and gets the answer. `/wt/inject`
and `/wt/reset` are Contract C: the caller sends only the newest text, and the agent keeps the
conversation. For the latter, the ready-made server side of Wind Tunnel needs two functions.
"""

from __future__ import annotations

from collections.abc import Callable

from agent import Agent, Turn, as_tool_call
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from steps import Call
from windtunnel.runtimes.http_inject.server import InjectReply, InjectRequest, ToolCall, create_app

Account = Callable[[list[Call]], list[Call]]
"""Turns the calls that were made into the calls that are reported."""


def application(agent: Agent, account: Account) -> Starlette:
    """Return the application; `account` says what is reported of the calls that were made."""

    async def chat(request: Request) -> Response:
        asked = await request.json()
        turn = await agent.answer(asked["messages"], asked["timeout_s"])
        return JSONResponse(_chat_answer(turn, account(turn.calls)))

    async def inject(request: InjectRequest) -> InjectReply:
        turn = await agent.reply(request.session_id, request.text, request.timeout_s)
        calls = tuple(ToolCall(call.name, call.arguments) for call in account(turn.calls))
        return InjectReply(turn.text, calls, turn.error, turn.usage, turn.model)

    contract_c = create_app(inject, agent.forget)
    return Starlette(routes=[Route("/chat", chat, methods=["POST"]), Mount("/", contract_c)])


def _chat_answer(turn: Turn, calls: list[Call]) -> dict[str, object]:
    return {
        "content": turn.text,
        "tool_calls": [as_tool_call(call, f"call_{i}") for i, call in enumerate(calls)],
        "error": turn.error,
        "usage": turn.usage,
        "model": turn.model,
    }
