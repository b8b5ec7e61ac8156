"""Running an agent author's function, plain or async, and knowing when it has really ended."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


class Outcome(NamedTuple):
    """What a call came to: a value, or the exception it raised."""

    value: Any = None
    error: BaseException | None = None


class AgentCall:
    """One call, begun on construction inside a running event loop.

    A plain function runs on a thread of its own: a shared pool would be used up by calls that
    missed their deadline and never return, and those would also keep the process from ending.
    `ended` is done only when the function has returned, whoever stopped waiting for it before.
    """

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Future[Any] | None = None
        self.ended: asyncio.Future[Outcome] = self._loop.create_future()
        if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - an object may have an async one
        ):
            self._await(function(*arguments))
        else:
            self._begin_thread(function, arguments)

    def cancel(self) -> None:
        """Ask the call to stop. Only async code can be asked; a thread runs to its end."""
        if self._task is not None:
            self._task.cancel()

    def _begin_thread(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        context = contextvars.copy_context()

        def work() -> None:
            try:
                outcome = Outcome(context.run(function, *arguments))
            except BaseException as error:  # noqa: BLE001 - sys.exit in a turn is a failed turn too
                outcome = Outcome(error=error)
            # The loop is closed when the server stopped before a call it gave up on returned.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._returned, outcome)

        threading.Thread(target=work, name="wt-agent-call", daemon=True).start()

    def _returned(self, outcome: Outcome) -> None:
        """Take a thread's outcome; a lambda around an async function hands back an awaitable."""
        if inspect.isawaitable(outcome.value):
            self._await(outcome.value)
        else:
            self.ended.set_result(outcome)

    def _await(self, awaitable: Awaitable[Any]) -> None:
        self._task = asyncio.ensure_future(awaitable)
        self._task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Future[Any]) -> None:
        if task.cancelled():
            self.ended.set_result(Outcome(error=asyncio.CancelledError()))
            return
        error = task.exception()
        self.ended.set_result(Outcome(error=error) if error else Outcome(task.result()))
