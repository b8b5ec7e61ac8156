"""The turns of an agent in flight: one per session, each with a deadline, none during a reset.

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

from wt_git.runtimes.http_inject.inject_types import (
    InjectReply,
    InjectRequest,
    describe_error,
    error_body,
    reply_body,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wt_git.runtimes.http_inject.protocol import TurnRequest


class CallOutcome(NamedTuple):
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
        self.ended: asyncio.Future[CallOutcome] = self._loop.create_future()
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
                outcome = CallOutcome(context.run(function, *arguments))
            except BaseException as error:  # noqa: BLE001 - sys.exit in a turn is a failed turn too
                outcome = CallOutcome(error=error)
            # The loop is closed when the server stopped before a call it gave up on returned.
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

    Half of them is for an agent that has a deadline of its own and then says so, half for the
    answer's way back.
    """
    return min(0.5, timeout_s / 10)


class AgentTurns:
    """Runs `inject` and `reset` so that they keep the promises of Contract C."""

    def __init__(
        self,
        inject: Callable[[InjectRequest], InjectReply | Awaitable[InjectReply]],
        reset: Callable[[], Awaitable[None] | None],
    ) -> None:
        self._inject = inject
        self._reset = reset
        self._resetting = asyncio.Lock()
        # A session's lock lives as long as a turn holds it or waits for it, hence the weak values.
        self._sessions: weakref.WeakValueDictionary[str, asyncio.Lock] = (
            weakref.WeakValueDictionary()
        )
        self._in_flight: dict[AgentCall, float] = {}

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
            )
        await asyncio.wait({call.ended}, timeout=max(deadline - clock(), 0))
        if call.ended.done():
            return _answer_body(request, call)
        call.cancel()
        return error_body(
            f"the agent did not answer within {turn.timeout_s:g} s", tuple(request.calls_so_far)
        )

    async def reset(self) -> None:
        """Wipe the agent's state once no turn can touch it any more.

        Raises `StillRunningError` when a turn does not end within another `timeout_s` of its own,
        and whatever the agent's function raises.
        """
        async with self._resetting:
            await self._clear()
            call = AgentCall(self._reset)
            await asyncio.wait({call.ended})
        error = call.ended.result().error
        if error is not None:
            _log.error("reset failed", exc_info=error)
            raise RuntimeError(f"reset failed: {describe_error(error)}") from error

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
        self._in_flight[call] = turn.timeout_s
        call.ended.add_done_callback(lambda _: self._landed(call, session))
        return request, call

    def _landed(self, call: AgentCall, session: asyncio.Lock) -> None:
        del self._in_flight[call]
        session.release()

    async def _clear(self) -> None:
        """End the turns in flight: whoever sent them has given up on them."""
        if not self._in_flight:
            return
        patience_s = max(self._in_flight.values())
        for call in self._in_flight:
            call.cancel()
        ended = {call.ended for call in self._in_flight}
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
    return error_body(describe_error(error), request.calls_so_far)
