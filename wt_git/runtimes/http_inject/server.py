"""Offer an agent to the bench: Contract C's routes around two functions of the agent's author.

    from wt_git.runtimes.http_inject.server import InjectReply, serve

    conversations = {}

    def inject(request):
        conversations.setdefault(request.session_id, []).append(request.text)
        return InjectReply(reply="...")

    serve(inject, reset=conversations.clear)

`create_app` returns the routes as an ASGI application. docs/writing-a-runtime.md, "An endpoint for an
agent", has more.
"""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import threading
from typing import TYPE_CHECKING, Any, TypeAlias

from wt_git.errors import exception_text
from wt_git.runtimes.http_inject.agent_turns import AgentCall, AgentTurns, StillRunningError
from wt_git.runtimes.http_inject.inject_types import InjectReply, InjectRequest, ToolCall
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

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, MutableMapping

    from wt_git.runtimes.http_inject.inject_types import Inject, Reset, Surface

    Scope: TypeAlias = MutableMapping[str, Any]
    Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
    Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

__all__ = ["InjectReply", "InjectRequest", "ToolCall", "create_app", "serve"]

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# Running turns may go on for so long after a stop was requested.
_STOP_LIMIT_S = 3


class _Refused(Exception):  # noqa: N818 - an answer, not a fault
    """The answer to a request is an HTTP status other than 200."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status


class EndpointApp:
    """Answers inject, reset and, when there is a `surface`, surface; every body is JSON."""

    def __init__(self, turns: AgentTurns, surface: Surface | None) -> None:
        self._turns = turns
        self._surface = surface

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or the life of the server."""
        if scope["type"] == "lifespan":
            await _serve_lifespan(receive, send)
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
        content_type = _header_value(scope, b"content-type")
        # A browser lets any page send other types to a loopback port without a preflight request.
        if content_type.partition(";")[0].strip().lower() != "application/json":
            raise _Refused(415, f"{route} takes application/json, got {content_type or 'no type'}")
        try:
            payload = decode(await _read_body(receive))
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
            raise _Refused(500, f"surface failed: {exception_text(error)}")
        try:
            surface = check_surface(value)
            json.dumps(surface, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as problem:
            raise _Refused(500, f"surface is not what Contract C takes: {problem}") from problem
        return envelope(surface=surface)


async def _serve_lifespan(receive: Receive, send: Send) -> None:
    """Confirm start and stop; neither needs any work."""
    while True:
        event = (await receive())["type"]
        await send({"type": f"{event}.complete"})
        if event == "lifespan.shutdown":
            return


async def _read_body(receive: Receive) -> bytes:
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


def _header_value(scope: Scope, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), "")


def create_app(inject: Inject, reset: Reset, *, surface: Surface | None = None) -> EndpointApp:
    """Return an ASGI application that offers the agent on Contract C's routes.

    `inject` answers one user turn. `reset` returns only when every session and everything derived
    from it is gone. `surface` returns the three lists of the prompt surface. Each may be plain, and
    then runs on a thread, or async. Turns of one session never overlap, no turn overlaps a
    reset, and an exception or a missed deadline of `inject` becomes an error envelope.
    """
    return EndpointApp(AgentTurns(inject, reset), surface)


def serve(
    inject: Inject,
    reset: Reset,
    *,
    surface: Surface | None = None,
    host: str = "127.0.0.1",
    port: int = 8647,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Serve `create_app(...)` until SIGINT or SIGTERM, then return.

    Port 0 takes a free one. `on_ready` is called with the base URL, for example
    `http://127.0.0.1:8647`, once requests are answered. Raises `OSError` when the address cannot be
    taken. On a thread other than the main one, signals are left to the program.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        problem = f"cannot listen on {host} port {port}: {error.strerror}"
        raise OSError(error.errno, problem) from error
    shown_host = f"[{host}]" if ":" in host else host
    url = f"http://{shown_host}:{listener.getsockname()[1]}"
    app = create_app(inject, reset, surface=surface)
    with listener:
        _run(app, listener, lambda: on_ready and on_ready(url))


def _run(app: EndpointApp, listener: socket.socket, on_ready: Callable[[], object]) -> None:
    # Imported here: an agent that is not served (in its own tests, say) does not pay for it.
    import uvicorn  # noqa: PLC0415

    class _Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            on_ready()

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Stop on a signal, and do not raise it again afterwards as uvicorn does."""
            if threading.current_thread() is not threading.main_thread():
                yield
                return
            before = {number: signal.signal(number, self.handle_exit) for number in _STOP_SIGNALS}
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=_STOP_LIMIT_S,
    )
    _Server(config).run(sockets=[listener])
