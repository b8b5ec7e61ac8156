"""Holding a runtime while it is flown, and telling who is waited for meanwhile.

For runtimes that jobs cannot share; the others load no queue.
"""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Any, Protocol

from wt_git.clock import with_fraction
from wt_git.records.events import LockAcquired, LockWaiting
from wt_git.sweep import queue
from wt_git.sweep.lock_holder import Holder, Waiting, describe_waiting

if TYPE_CHECKING:
    import threading
    from contextlib import AbstractContextManager
    from pathlib import Path

    from wt_git.clock import Clock
    from wt_git.records.events import Event
    from wt_git.sweep.request import Flight


class Teller(Protocol):
    """Who is told that a runtime is waited for: a sweep's progress, or somebody without events."""

    def say(self, text: str) -> None:
        """Receive a sentence for people."""
        ...

    def emit(self, kind: type[Event], /, **fields: Any) -> None:
        """Receive an event of a sweep."""
        ...


def in_turn(
    flight: Flight,
    sweep_id: str,
    progress: Teller,
    *,
    priority: int,
    folder: Path,
    clock: Clock,
    stop: threading.Event,
) -> AbstractContextManager[None]:
    """Return what holds the runtime while it is entered, through the lock files in `folder`.

    Those of a smaller `priority` go first. Entering it raises `BusyError` where waiting was
    forbidden, `WaitStopped` once `stop` is set.
    """
    request, key = flight.request, flight.runtime.lock_key

    def waiting(seen: Waiting) -> None:
        progress.say(describe_waiting(seen))
        holder = seen.holder.as_record() if seen.holder else None
        progress.emit(LockWaiting, lock=seen.key, holder=holder)

    def acquired(waited_s: float) -> None:
        progress.say(f"runtime '{key}' acquired after {waited_s:.1f}s")
        progress.emit(LockAcquired, lock=key, waited_s=round(waited_s, 3))

    return queue.hold(
        key,
        Holder(
            pid=os.getpid(),
            host=socket.gethostname(),
            since=with_fraction(clock.now()),
            command=request.command,
            label=request.label,
            sweep_id=sweep_id,
            runs_dir=str(request.runs_dir),
        ),
        folder=folder,
        priority=priority,
        wait=request.wait,
        stop=stop,
        on_waiting=waiting,
        on_acquired=acquired,
    )
