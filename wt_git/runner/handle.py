"""The agent's handle, with its three calls kept apart; docs/architecture.md, "One batch".

A lifecycle hook may give up on a question that the agent goes on answering. Whatever that late
answer changes has to land before the next reset, not after it.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.spi.agent_runtime import AgentHandle, Message, Response

PATIENCE_BEYOND_CONVERSE_S = 60.0
"""How much longer than a `converse` deadline the runner waits for an abandoned turn to end."""


class HandleStuckError(RuntimeError):
    """An abandoned turn never ended; nothing more can be asked of this agent."""


class SerialisedHandle:
    """Passes everything through, but lets one `send`, `reset_state` or `teardown` in at a time.

    A call that finds the agent busy waits for `patience_s()` seconds, then raises
    `HandleStuckError`, as does every call after it. A turn that was waiting while the agent was
    reset is refused with `RuntimeError`: it belongs to a session that is gone.
    """

    def __init__(self, raw: AgentHandle, patience_s: Callable[[], float]) -> None:
        self._raw = raw
        self._patience_s = patience_s
        self._turn = threading.RLock()
        self._resets = 0
        self.is_stuck = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def send(self, messages: list[Message], session_id: str) -> Response:
        """Deliver one turn, as the handle does."""
        resets = self._resets
        self._take_turn("send")
        try:
            if resets != self._resets:
                raise RuntimeError("the agent was reset before this turn could be sent")
            return self._raw.send(messages, session_id)
        finally:
            self._turn.release()

    def reset_state(self) -> None:
        """Wipe the agent's state, as the handle does."""
        self._take_turn("reset_state")
        try:
            self._resets += 1
            self._raw.reset_state()
        finally:
            self._turn.release()

    def teardown(self) -> None:
        """Release the agent, as the handle does."""
        self._take_turn("teardown")
        try:
            self._resets += 1
            self._raw.teardown()
        finally:
            self._turn.release()

    def _take_turn(self, call: str) -> None:
        if not self.is_stuck and self._turn.acquire(blocking=False):
            return
        patience_s = 0.0 if self.is_stuck else self._patience_s()
        if self.is_stuck or not self._turn.acquire(timeout=min(patience_s, threading.TIMEOUT_MAX)):
            self.is_stuck = True
            raise HandleStuckError(
                f"{call} could not be called: an earlier turn of this agent has not ended "
                f"within {patience_s:g} s"
            )


def path_attribute(handle: object, name: str) -> Path | None:
    """Return a path-like attribute of a handle; one that raises or is no path counts as absent."""
    value: Any = optional_attribute(handle, name)
    try:
        text = os.fsdecode(value)
    except Exception:  # noqa: BLE001 - a driver's own path class may raise anything
        return None
    return Path(text) if text else None


def optional_attribute(handle: object, name: str) -> object:
    """Return what a handle offers beyond its three calls; None where it is absent or raises."""
    try:
        return getattr(handle, name, None)
    except Exception:  # noqa: BLE001 - a driver's property may raise anything
        return None


def consumes_full_history(handle: object) -> bool:
    """Whether every message the handle is given reaches the model; without a word, it does."""
    return optional_attribute(handle, "_windtunnel_consumes_full_history") is not False


def surface_reporter(handle: object) -> Callable[[], Any] | None:
    """Return the handle's `describe_surface`, None where it has none."""
    method = optional_attribute(handle, "describe_surface")
    return method if callable(method) else None
