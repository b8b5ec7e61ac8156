"""Offering an agent to the bench: Contract C's routes around two functions of the agent's author.

    from wt_git.runtimes.http_inject.server import InjectReply, serve

    conversations = {}

    def inject(request):
        conversations.setdefault(request.session_id, []).append(request.text)
        return InjectReply(reply="...")

    serve(inject, reset=conversations.clear)

docs/writing-a-runtime.md, "An endpoint for an agent", has the whole of it.
"""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from typing import TYPE_CHECKING, Any

from wt_git.runtimes.http_inject.agent_replies import InjectReply, InjectRequest, ToolCall
from wt_git.runtimes.http_inject.asgi import EndpointApp
from wt_git.runtimes.http_inject.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping

__all__ = ["InjectReply", "InjectRequest", "ToolCall", "create_app", "serve"]

_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# How long turns in flight may go on after a stop was asked for.
_GOODBYE_S = 3


def create_app(
    inject: Callable[[InjectRequest], InjectReply | Awaitable[InjectReply]],
    reset: Callable[[], Awaitable[None] | None],
    *,
    surface: Callable[[], Mapping[str, Any] | Awaitable[Mapping[str, Any]]] | None = None,
) -> EndpointApp:
    """Return an ASGI application that offers the agent on Contract C's routes.

    `inject` answers one user turn, `reset` returns only when every session and all that was derived
    from them is gone, `surface` returns the three lists of the prompt surface. Each may be plain,
    and then runs on a thread, or async. Turns of one session never overlap, no turn overlaps a
    reset, and an exception or a missed deadline of `inject` becomes an error envelope.
    """
    return EndpointApp(Turns(inject, reset), surface)


def serve(
    inject: Callable[[InjectRequest], InjectReply | Awaitable[InjectReply]],
    reset: Callable[[], Awaitable[None] | None],
    *,
    surface: Callable[[], Mapping[str, Any] | Awaitable[Mapping[str, Any]]] | None = None,
    host: str = "127.0.0.1",
    port: int = 8647,
    on_ready: Callable[[str], None] | None = None,
) -> None:
    """Serve `create_app(...)` until SIGINT or SIGTERM, then return.

    Port 0 takes a free one. `on_ready` is called with the base URL, for example
    `http://127.0.0.1:8647`, once requests are answered. Raises `OSError` when the address cannot be
    taken. On a thread other than the main one, signals are left to the program.
    """
    listener = _listen(host, port)
    shown_host = f"[{host}]" if ":" in host else host
    url = f"http://{shown_host}:{listener.getsockname()[1]}"
    with listener:
        _run(
            create_app(inject, reset, surface=surface), listener, lambda: on_ready and on_ready(url)
        )


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise OSError(
            error.errno, f"cannot listen on {host} port {port}: {error.strerror}"
        ) from error


def _run(app: EndpointApp, listener: socket.socket, on_ready: Callable[[], object]) -> None:
    # Imported here: an agent that is not served (in its own tests, say) does not pay for it.
    import uvicorn  # noqa: PLC0415

    class _Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            on_ready()

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Stop on a signal and leave it at that; uvicorn raises it again afterwards."""
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
        timeout_graceful_shutdown=_GOODBYE_S,
    )
    _Server(config).run(sockets=[listener])
