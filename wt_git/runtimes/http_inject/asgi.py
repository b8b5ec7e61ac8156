"""The three routes of Contract C as an ASGI application."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

from wt_git.runtimes.http_inject.agent_calls import AgentCall
from wt_git.runtimes.http_inject.agent_replies import describe
from wt_git.runtimes.http_inject.protocol import (
    INJECT_ROUTE,
    RESET_ROUTE,
    SURFACE_ROUTE,
    ContractError,
    check_surface,
    check_version,
    decode,
    envelope,
    parse_turn,
)
from wt_git.runtimes.http_inject.turns import StillRunningError, Turns

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, MutableMapping

    Scope: TypeAlias = MutableMapping[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
    Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
    Surface: TypeAlias = Callable[[], Mapping[str, Any] | Awaitable[Mapping[str, Any]]]


class _Refused(Exception):  # noqa: N818 - an answer, not a fault
    """A request that is answered with an HTTP status other than 200."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status


class EndpointApp:
    """Answers inject, reset and, when there is a `surface`, surface; every body is JSON."""

    def __init__(self, turns: Turns, surface: Surface | None) -> None:
        self._turns = turns
        self._surface = surface

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the life of the server."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError(f"Contract C is HTTP only, got {scope['type']}")
        try:
            status, answer = 200, await self._respond(scope, receive)
        except _Refused as refusal:
            status, answer = refusal.status, envelope(error=str(refusal))
        await _send_json(send, status, answer)

    async def _respond(self, scope: Scope, receive: Receive) -> dict[str, Any]:
        route = scope["path"]
        known = {INJECT_ROUTE, RESET_ROUTE} | ({SURFACE_ROUTE} if self._surface else set())
        if route not in known:
            raise _Refused(
                404, f"there is no {route} here; Contract C has {', '.join(sorted(known))}"
            )
        if scope["method"] != "POST":
            raise _Refused(405, f"{route} takes POST, got {scope['method']}")
        content_type = _header(scope, b"content-type")
        # A page in a browser may send anything else to a loopback port without being asked first.
        if content_type.partition(";")[0].strip().lower() != "application/json":
            raise _Refused(415, f"{route} takes application/json, got {content_type or 'no type'}")
        try:
            payload = decode(await _read(receive))
            if route == INJECT_ROUTE:
                return await self._turns.answer(parse_turn(payload))
            check_version(payload)
        except ContractError as error:
            raise _Refused(400, str(error)) from error
        return await (self._wipe() if route == RESET_ROUTE else self._report())

    async def _wipe(self) -> dict[str, Any]:
        try:
            await self._turns.reset()
        except StillRunningError as error:
            raise _Refused(503, str(error)) from error
        except RuntimeError as error:
            raise _Refused(500, str(error)) from error
        return envelope()

    async def _report(self) -> dict[str, Any]:
        assert self._surface is not None, "the route is known only with a surface"
        value, error = await AgentCall(self._surface).ended
        if error is not None:
            raise _Refused(500, f"surface failed: {describe(error)}")
        try:
            surface = check_surface(value)
            json.dumps(surface, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as problem:
            raise _Refused(500, f"surface is not what Contract C takes: {problem}") from problem
        return envelope(surface=surface)


async def _live(receive: Receive, send: Send) -> None:
    """Say yes to start and stop: there is nothing to set up."""
    while True:
        event = (await receive())["type"]
        await send({"type": f"{event}.complete"})
        if event == "lifespan.shutdown":
            return


async def _read(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        event = await receive()
        if event["type"] == "http.disconnect":
            raise ContractError("the connection closed before the body was complete")
        body += event.get("body", b"")
        if not event.get("more_body", False):
            return bytes(body)


async def _send_json(send: Send, status: int, payload: dict[str, Any]) -> None:
    body = json.dumps(payload, allow_nan=False).encode("ascii")
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 405:  # noqa: PLR2004
        headers.append((b"allow", b"POST"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _header(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")
