"""Waiting for one's turn at a runtime that is in use."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from wt_git.sweep.file_locks import SleepingLock, release, usable
from wt_git.sweep.lock_holder import Holder, Waiting, current_holder
from wt_git.sweep.tickets import Ticket, live_tickets

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wt_git.clock import Clock

_LOOK_S = 0.1
# A hand-over takes an instant. When the lock is free and the next in line has not taken it for this
# many looks, that process does not run.
_LOOKS_UNTIL_STALLED = 5


class WaitStopped(Exception):  # noqa: N818 - the caller asked for it, so it is no error
    """The wait for a runtime was ended by its `stop` event."""


def wait_for_turn(
    key: str,
    path: Path,
    ticket: Ticket,
    *,
    stop: threading.Event | None,
    on_waiting: Callable[[Waiting], None] | None,
    clock: Clock,
) -> int:
    """Queue for the lock file `path` with `ticket` and return its locked descriptor.

    `on_waiting` hears why it waits. Raises `WaitStopped` once `stop` is set, `UsageError` when the
    lock folder fails. The ticket is gone afterwards, whatever happened.
    """
    turn = _Turn(path, ticket)
    news = _News(key, path, on_waiting, clock)
    stopping = stop or threading.Event()
    try:
        while True:
            ahead = turn.ahead()
            news.tell(ahead)
            if stopping.is_set():
                raise WaitStopped
            descriptor = turn.attempt(ahead, stopping)
            if descriptor is not None:
                return descriptor
    finally:
        turn.end()


class _Turn:
    """One ticket's way to the lock: asleep on the lock while first, looking around otherwise."""

    def __init__(self, path: Path, ticket: Ticket) -> None:
        self._path = path
        self._ticket = ticket
        self._sleeping: SleepingLock | None = None

    def ahead(self) -> list[str] | None:
        """Return the live tickets in front of ours; None while our place is not ours."""
        with usable(self._path.parent):
            if not self._ticket.keep():
                return None
            return live_tickets(self._ticket.queue, before=self._ticket.name)

    def attempt(self, ahead: list[str] | None, stopping: threading.Event) -> int | None:
        """Return the locked descriptor if it became ours before the next look is due."""
        if self._sleeping is None:
            if ahead or ahead is None:
                stopping.wait(_LOOK_S)
                return None
            self._sleeping = SleepingLock(self._path)
        with usable(self._path.parent):
            descriptor = self._sleeping.wait(_LOOK_S)
        if descriptor is None:
            return None
        self._sleeping = None
        ours = False
        try:
            # While we slept in the kernel somebody of a smaller number may have come.
            ours = self.ahead() == []
        finally:
            if not ours:
                release(descriptor)
        return descriptor if ours else None

    def end(self) -> None:
        """Leave the queue and stop sleeping."""
        if self._sleeping is not None:
            self._sleeping.abandon()
        with contextlib.suppress(OSError):
            self._ticket.remove()


class _News:
    """Says why we wait: at first, when the holder changes, and when nobody takes a free lock."""

    def __init__(
        self,
        key: str,
        path: Path,
        on_waiting: Callable[[Waiting], None] | None,
        clock: Clock,
    ) -> None:
        self._key = key
        self._path = path
        self._on_waiting = on_waiting
        self._clock = clock
        self._told = False
        self._shown: Holder | None = None
        self._looks_at_free = 0
        self._stalled: str | None = None

    def tell(self, ahead: list[str] | None) -> None:
        """Call `on_waiting` if there is anything new."""
        if self._on_waiting is None:
            return
        in_front = ahead or []
        with usable(self._path.parent):
            holder = current_holder(self._path)
        if not self._is_new(holder, in_front):
            return
        self._told = True
        self._shown = holder or self._shown
        self._on_waiting(
            Waiting(
                key=self._key,
                holder=holder,
                ahead=len(in_front),
                first_ticket_ahead=in_front[0] if in_front else None,
                held_s=holder.held_s(self._clock.now()) if holder else None,
                stalled=bool(in_front) and self._looks_at_free >= _LOOKS_UNTIL_STALLED,
            )
        )

    def _is_new(self, holder: Holder | None, in_front: list[str]) -> bool:
        if not self._told:
            return True
        if holder is not None:
            self._looks_at_free = 0
            return holder != self._shown
        self._looks_at_free += 1
        if not in_front or self._looks_at_free < _LOOKS_UNTIL_STALLED:
            return False
        newly_stalled = in_front[0] != self._stalled
        self._stalled = in_front[0]
        return newly_stalled
