"""Holding the runtime of a sweep while it runs, and telling who is waited for meanwhile.

For runtimes that jobs cannot share; the others load no queue.
"""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

from wt_git.clock import with_fraction
from wt_git.ladder.tiers import queue_priority
from wt_git.records.events import LockAcquired, LockWaiting
from wt_git.sweep import queue
from wt_git.sweep.lock_holder import Holder, Waiting, describe_waiting

if TYPE_CHECKING:
    import threading
    from contextlib import AbstractContextManager
    from pathlib import Path

    from wt_git.clock import Clock
    from wt_git.sweep.progress import Progress
    from wt_git.sweep.request import Prepared


def in_turn(
    prepared: Prepared,
    sweep_id: str,
    progress: Progress,
    *,
    folder: Path,
    clock: Clock,
    stop: threading.Event,
) -> AbstractContextManager[None]:
    """Return what holds the runtime while it is entered, through the lock files in `folder`.

    Entering it raises `BusyError` where waiting was forbidden, `WaitStopped` once `stop` is set.
    """
    request, key = prepared.request, prepared.runtime.lock_key

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
        priority=queue_priority(prepared.tier),
        wait=request.wait,
        stop=stop,
        on_waiting=waiting,
        on_acquired=acquired,
    )
