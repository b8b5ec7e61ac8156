"""The evidence routes: reading, clearing and steering a tool server's log over HTTP.

    GET  /calls               every call since the last reset
    POST /calls/reset         forget them
    GET  /tools               the names of the tools
    GET  /tools/definitions   the tools as an agent sees them
    GET  /failures            the armed failures, `{tool, mode, probability}` each
    POST /failures            `{"mode": …}` for every tool, null for none

They share a port with the tools, and the agent under test must neither read nor clear the evidence
about itself. So they answer only requests with the token of this start. A server that was started
without a token answers only requests from its own machine.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.requests import Request

    from wt_git.mcp.call_log import CallLog
    from wt_git.spi.mcp_server import MCPCall

    Answer = Callable[[Request], Awaitable[Response]]


def evidence_routes(
    log: CallLog,
    served_tools: Callable[[], list[str]],
    served_tool_definitions: Callable[[], list[dict[str, Any]]],
    token: str | None,
) -> list[Route]:
    """Return the routes for requests with `token` or, when it is None, from this machine."""

    async def calls(_: Request) -> Response:
        return _json([call_to_dict(call) for call in log.get_calls()])

    async def reset(_: Request) -> Response:
        log.reset()
        return _json({"ok": True})

    async def tools(_: Request) -> Response:
        return _json(served_tools())

    async def definitions(_: Request) -> Response:
        return _json(served_tool_definitions())

    async def failures(request: Request) -> Response:
        if request.method == "POST":
            try:
                log.set_failure_mode(_requested_mode(await request.body()))
            except ValueError as unknown:
                return JSONResponse({"error": str(unknown)}, status_code=400)
        return _json(log.failures.armed(served_tools()))

    def route(path: str, method: str, answer: Answer) -> Route:
        return Route(path, _guarded(answer, token), methods=[method])

    return [
        route("/calls", "GET", calls),
        route("/calls/reset", "POST", reset),
        route("/tools", "GET", tools),
        route("/tools/definitions", "GET", definitions),
        route("/failures", "GET", failures),
        route("/failures", "POST", failures),
    ]


def call_to_dict(call: MCPCall) -> dict[str, Any]:
    """Return a call as the routes send it; `extra` only when there is any."""
    sent = {
        "tool_name": call.tool_name,
        "args": call.args,
        "result": call.result,
        "timestamp_ms": call.timestamp_ms,
    }
    return {**sent, "extra": call.extra} if call.extra else sent


def _guarded(answer: Answer, token: str | None) -> Answer:
    async def guarded(request: Request) -> Response:
        if token is None:
            allowed, hint = _is_from_here(request), "the evidence is for this machine only"
        else:
            sent = request.headers.get("authorization", "").encode()
            allowed = hmac.compare_digest(sent, f"Bearer {token}".encode())
            hint = "the evidence is for the bench that started this server"
        return await answer(request) if allowed else JSONResponse({"error": hint}, status_code=403)

    return guarded


def _is_from_here(request: Request) -> bool:
    """Say whether the client is this machine; one without an IP address is in this process."""
    try:
        return ipaddress.ip_address(request.client.host if request.client else "").is_loopback
    except ValueError:
        return True


def _requested_mode(body: bytes) -> str | None:
    """Return the mode in a request's body; raises `ValueError` when it has no valid one."""
    asked = json.loads(body)
    mode = asked.get("mode", "") if isinstance(asked, dict) else ""
    if mode is not None and not isinstance(mode, str):
        raise ValueError(f"a failure mode is a string or null, not {mode!r}")
    return mode


def _json(value: Any) -> Response:
    try:
        text = json.dumps(value, default=repr)
    except (TypeError, ValueError):  # a key that JSON has no form for, or a loop
        text = json.dumps(_plain(value), default=repr)
    return Response(text, media_type="application/json")


def _plain(value: Any, depth: int = 0) -> Any:
    """Return `value` in JSON's own types; a part without such a form becomes its repr."""
    too_deep = 50
    if depth > too_deep:
        return repr(value)
    if isinstance(value, dict):
        return {str(key): _plain(entry, depth + 1) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry, depth + 1) for entry in value]
    return value
