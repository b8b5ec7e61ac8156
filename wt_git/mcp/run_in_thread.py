"""Run a blocking function beside an event loop."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


async def run_in_thread(function: Callable[[], Any]) -> Any:
    """Run `function` on a thread of its own and return its result; the loop goes on meanwhile.

    The thread is a daemon, and the number of threads has no limit: some mock tools hang on purpose,
    and must hold up neither the next call nor the end of the process.
    """
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[Any] = loop.create_future()

    def deliver(settle: Callable[[Any], None], value: Any) -> None:
        if not outcome.done():
            settle(value)

    def work() -> None:
        settle: Callable[[Any], None]
        value: Any
        try:
            settle, value = outcome.set_result, function()
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            settle, value = outcome.set_exception, _raisable(error)
        with contextlib.suppress(RuntimeError):  # the loop was closed while the function ran
            loop.call_soon_threadsafe(deliver, settle, value)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), name="mock tool", daemon=True).start()
    return await outcome


def _raisable(error: BaseException) -> BaseException:
    """Return `error` in a form that a future takes: it refuses StopIteration."""
    return RuntimeError(f"raised {error!r}") if isinstance(error, StopIteration) else error
