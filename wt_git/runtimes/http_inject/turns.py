"""Which turns of an agent are in flight: one per session, each with a deadline, none in a reset."""

from __future__ import annotations

import asyncio
import logging
import weakref
from typing import TYPE_CHECKING, Any

from wt_git.runtimes.http_inject.agent_calls import AgentCall
from wt_git.runtimes.http_inject.agent_replies import (
    InjectReply,
    InjectRequest,
    describe,
    error_body,
    reply_body,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wt_git.runtimes.http_inject.protocol import Turn

_log = logging.getLogger("wt_git.http_inject")


class StillRunningError(RuntimeError):
    """A turn outlived its deadline and the wait of a reset, so the state cannot be wiped."""


def margin_s(timeout_s: float) -> float:
    """Return the seconds of a turn's `timeout_s` that its agent does not get.

    Half of them is for an agent that has a deadline of its own and then says so, half for the
    answer's way back.
    """
    return min(0.5, timeout_s / 10)


class Turns:
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

    async def answer(self, turn: Turn) -> dict[str, Any]:
        """Return the response body of one turn, before its `timeout_s` have passed."""
        clock = asyncio.get_running_loop().time
        end = clock() + turn.timeout_s
        deadline = end - margin_s(turn.timeout_s) / 2
        try:
            async with asyncio.timeout_at(deadline):
                request, call = await self._begin(turn, end - margin_s(turn.timeout_s))
        except TimeoutError:
            return error_body(
                f"the turn did not begin within {turn.timeout_s:g} s: an earlier turn of the "
                "session, or a reset, is still under way",
                (),
            )
        await asyncio.wait({call.ended}, timeout=max(deadline - clock(), 0))
        if call.ended.done():
            return _body(request, call)
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
            raise RuntimeError(f"reset failed: {describe(error)}") from error

    async def _begin(self, turn: Turn, until: float) -> tuple[InjectRequest, AgentCall]:
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


def _body(request: InjectRequest, call: AgentCall) -> dict[str, Any]:
    value, error = call.ended.result()
    if error is None:
        return reply_body(value, request.calls_so_far)
    if isinstance(error, asyncio.CancelledError):
        return error_body("the turn was cancelled", request.calls_so_far)
    _log.error("inject failed", exc_info=error)
    return error_body(describe(error), request.calls_so_far)
