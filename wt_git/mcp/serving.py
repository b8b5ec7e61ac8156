"""Serving an ASGI app on a socket that already listens: in this thread, or on another one.

uvicorn serves HTTP. Its own loop checks every tenth of a second whether to end. A sweep starts and
stops a server for every scenario, so the loop here waits for an event instead.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    import socket

    from starlette.applications import Starlette


_START_LIMIT_S = 30.0
_STOP_LIMIT_S = 5.0


def serve_here(app: Starlette, listener: socket.socket) -> None:
    """Serve in this thread until the process is told to end."""
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(_config(app)).run(sockets=[listener])


class ThreadServer:
    """An app served on a thread of this process, from construction until `stop`.

    `listener` is taken over, and closed in any case. Raises `RuntimeError` when the app does not
    start within `start_limit_s` seconds.
    """

    def __init__(
        self, app: Starlette, listener: socket.socket, *, start_limit_s: float = _START_LIMIT_S
    ) -> None:
        self._server = _PromptServer(_config(app))
        self._listener = listener
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._serve, name="tool server", daemon=True)
        self._thread.start()
        try:
            self._server.ready.wait(start_limit_s)
        except BaseException:  # Ctrl-C
            self.stop()
            raise
        if not self._server.started:
            self.stop()
            raise RuntimeError("the tool server failed to start on its thread") from self._failure

    def stop(self) -> None:
        """Close the port and end the thread, calls that still run with it; may be called twice."""
        self._server.end()
        self._thread.join(_STOP_LIMIT_S)
        self._listener.close()

    def _serve(self) -> None:
        try:
            self._server.run(sockets=[self._listener])
        except BaseException as failure:  # noqa: BLE001 - uvicorn exits; the constructor raises it
            self._failure = failure
        finally:
            self._server.ready.set()


class _PromptServer(uvicorn.Server):
    """A uvicorn server that another thread can wait for and end without a delay."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end_requested = asyncio.Event()

    def end(self) -> None:
        """Tell the server to end; from any thread, at any time."""
        self.should_exit = True
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # it has ended already
                loop.call_soon_threadsafe(self._end_requested.set)

    async def main_loop(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.ready.set()
        if not self.should_exit:
            await self._end_requested.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close the port, cancel the running calls, and let the app end."""
        for server in self.servers:
            server.close()
        for listener in sockets or []:
            listener.close()
        for task in list(self.server_state.tasks):
            task.cancel()
        for connection in list(self.server_state.connections):
            connection.transport.close()
        await self.lifespan.shutdown()


def _config(app: Starlette) -> uvicorn.Config:
    _stay_quiet()
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="on",
        ws="none",
        timeout_graceful_shutdown=0,
    )


def _stay_quiet() -> None:
    """Keep uvicorn and the SDK from writing to stderr where logging is not configured.

    A tool that raises on purpose is part of a scenario and needs no traceback on the terminal.
    """
    for name in ("mcp", "uvicorn"):
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
