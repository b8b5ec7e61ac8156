"""The running turns of an agent: one per session, each with a deadline, none during a reset.

`AgentCall` runs an author's function, plain or async, and knows when it has really ended.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import logging
import threading
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.api.failure_classes import classify_exception
from wt_git.errors import exception_text
from wt_git.runtimes.http_inject.inject_types import InjectRequest, error_body, reply_body

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wt_git.runtimes.http_inject.inject_types import Inject, Reset
    from wt_git.runtimes.http_inject.protocol import TurnRequest


class CallOutcome(NamedTuple):
    """The end of a call: its value, or its exception."""

    value: Any = None
    error: BaseException | None = None


class AgentCall:
    """One call, begun on construction inside a running event loop.

    A plain function runs on a thread of its own. Calls that missed their deadline and never return
    would use up a shared pool, and would keep the process from ending. `ended` is done only when
    the function has returned, even if its caller gave up before.
    """

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Future[Any] | None = None
        self.ended: asyncio.Future[CallOutcome] = self._loop.create_future()
        if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - an object may have an async one
        ):
            self._await(function(*arguments))
        else:
            self._begin_thread(function, arguments)

    def cancel(self) -> None:
        """Ask the call to stop. This reaches only async code; a thread runs to its end."""
        if self._task is not None:
            self._task.cancel()

    def _begin_thread(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        context = contextvars.copy_context()

        def work() -> None:
            try:
                outcome = CallOutcome(context.run(function, *arguments))
            except BaseException as error:  # noqa: BLE001 - sys.exit in a turn is a failed turn too
                outcome = CallOutcome(error=error)
            # The loop is closed if the server stopped before an abandoned call returned.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._returned, outcome)

        threading.Thread(target=work, name="wt-agent-call", daemon=True).start()

    def _returned(self, outcome: CallOutcome) -> None:
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
            self.ended.set_result(CallOutcome(error=asyncio.CancelledError()))
            return
        error = task.exception()
        self.ended.set_result(CallOutcome(error=error) if error else CallOutcome(task.result()))


_log = logging.getLogger("wt_git.http_inject")


class StillRunningError(RuntimeError):
    """A turn outlived its deadline and the wait of a reset, so the state cannot be wiped."""


def answer_margin_s(timeout_s: float) -> float:
    """Return the seconds of a turn's `timeout_s` that its agent does not get.

    Half of them lets an agent with a deadline of its own still report that it missed it; half is
    for the answer's way back.
    """
    return min(0.5, timeout_s / 10)


class AgentTurns:
    """Runs `inject` and `reset` so that they keep the promises of Contract C."""

    def __init__(self, inject: Inject, reset: Reset) -> None:
        self._inject = inject
        self._reset = reset
        self._resetting = asyncio.Lock()
        # A session's lock lives as long as a turn holds it or waits for it, hence the weak values.
        self._sessions: weakref.WeakValueDictionary[str, asyncio.Lock] = (
            weakref.WeakValueDictionary()
        )
        self._running: dict[AgentCall, float] = {}

    async def answer(self, turn: TurnRequest) -> dict[str, Any]:
        """Return the response body of one turn, before its `timeout_s` have passed."""
        clock = asyncio.get_running_loop().time
        end = clock() + turn.timeout_s
        deadline = end - answer_margin_s(turn.timeout_s) / 2
        try:
            async with asyncio.timeout_at(deadline):
                request, call = await self._begin(turn, end - answer_margin_s(turn.timeout_s))
        except TimeoutError:
            return error_body(
                f"the turn did not begin within {turn.timeout_s:g} s: an earlier turn of the "
                "session, or a reset, is still under way",
                (),
                failure_class="provider",
            )
        await asyncio.wait({call.ended}, timeout=max(deadline - clock(), 0))
        if call.ended.done():
            return _answer_body(request, call)
        call.cancel()
        return error_body(
            f"the agent did not answer within {turn.timeout_s:g} s",
            tuple(request.calls_so_far),
            failure_class="provider",
        )

    async def reset(self) -> None:
        """Wipe the agent's state once no turn can change it any more.

        Raises `StillRunningError` when a turn does not end within another `timeout_s` of its own,
        `RuntimeError` when the agent's function fails.
        """
        async with self._resetting:
            await self._end_running_turns()
            call = AgentCall(self._reset)
            await asyncio.wait({call.ended})
        error = call.ended.result().error
        if error is not None:
            _log.error("reset failed", exc_info=error)
            raise RuntimeError(f"reset failed: {exception_text(error)}") from error

    async def _begin(self, turn: TurnRequest, until: float) -> tuple[InjectRequest, AgentCall]:
        """Start the turn once no other turn of its session and no reset is under way."""
        session = self._sessions.setdefault(turn.session_id, asyncio.Lock())
        await session.acquire()
        try:
            async with self._resetting:
                left_s = max(until - asyncio.get_running_loop().time(), 0.0)
                request = InjectRequest(turn.session_id, turn.text, left_s)
                call = AgentCall(self._inject, request)
        except BaseException:
            session.release()
            raise
        self._running[call] = turn.timeout_s
        call.ended.add_done_callback(lambda _: self._finish(call, session))
        return request, call

    def _finish(self, call: AgentCall, session: asyncio.Lock) -> None:
        del self._running[call]
        session.release()

    async def _end_running_turns(self) -> None:
        """End the running turns: the bench that sent them has given up on them."""
        if not self._running:
            return
        patience_s = max(self._running.values())
        for call in self._running:
            call.cancel()
        ended = {call.ended for call in self._running}
        _, running = await asyncio.wait(ended, timeout=patience_s)
        if running:
            raise StillRunningError(
                f"{len(running)} turn(s) of the agent are still running after another "
                f"{patience_s:g} s; their late effects would survive the reset"
            )


def _answer_body(request: InjectRequest, call: AgentCall) -> dict[str, Any]:
    value, error = call.ended.result()
    if error is None:
        return reply_body(value, request.calls_so_far)
    if isinstance(error, asyncio.CancelledError):
        return error_body("the turn was cancelled", request.calls_so_far)
    _log.error("inject failed", exc_info=error)
    return error_body(
        exception_text(error),
        request.calls_so_far,
        failure_class=classify_exception(error),
    )
