"""The run lock: one sweep at a time for each runtime on this machine, and a fair queue for it.

The lock is a file in the lock folder. Its holder keeps it locked and writes its record into it.
Sweeps that wait hold tickets in a folder beside it; the first live ticket takes the lock, also
while the lock is free. A holder is never interrupted, and the locks of a dead process are free at
once (docs/architecture.md, "The run lock").
"""

from __future__ import annotations

import hashlib
import os
import re
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from wt_git.clock import SystemClock, with_fraction
from wt_git.errors import BusyError
from wt_git.sweep.run_lock.file_locks import (
    is_current,
    open_lockable,
    release,
    report_unusable_folder,
    try_lock,
)
from wt_git.sweep.run_lock.lock_holder import (
    Holder,
    LockWaitState,
    clear_holder,
    current_holder,
    describe_busy,
    read_holder,
    write_holder,
)
from wt_git.sweep.run_lock.lock_wait import Ticket, live_tickets, wait_for_lock

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wt_git.clock import Clock

_NOT_IN_A_KEY = re.compile(r"[^A-Za-z0-9_.-]")
_SYSTEM_CLOCK = SystemClock()


def lock_path(folder: Path, key: str) -> Path:
    """Return the lock file of the runtime `key`; its queue has the same name and `.queue`."""
    safe = _NOT_IN_A_KEY.sub("_", key)[:60] or "runtime"
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
    return folder / f"{safe}-{digest[:10]}.lock"


@contextmanager
def hold(
    key: str,
    holder: Holder,
    *,
    folder: Path,
    priority: int = 1,
    wait: bool = True,
    stop: threading.Event | None = None,
    on_waiting: Callable[[LockWaitState], None] | None = None,
    on_acquired: Callable[[float], None] | None = None,
    clock: Clock = _SYSTEM_CLOCK,
) -> Iterator[None]:
    """Hold the runtime `key` for the length of the block, as `holder`.

    Where it is in use, wait behind those of a smaller `priority` (0 to 9) and those who came
    before. `on_waiting` is called then, and again when the holder changes or the next in line does
    not move; `on_acquired` with the seconds waited, once a wait is over. Raises `BusyError` where
    it is in use and `wait` is false, `WaitStopped` when `stop` was set meanwhile, and `UsageError`
    when the lock folder cannot be used.
    """
    path = lock_path(folder, key)
    queue = path.with_name(f"{path.name}.queue")
    descriptor = _without_waiting(path, queue)
    if descriptor is None and not wait:
        raise _busy(key, path, queue, clock)
    began = clock.monotonic()
    waited = descriptor is None
    if descriptor is None:
        ticket = Ticket(queue, priority=priority, arrived=clock.now(), pid=os.getpid())
        descriptor = wait_for_lock(key, path, ticket, stop=stop, on_waiting=on_waiting, clock=clock)
        holder = replace(holder, since=with_fraction(clock.now()))
    try:
        write_holder(descriptor, holder)
        if waited and on_acquired is not None:
            on_acquired(clock.monotonic() - began)
        yield
    finally:
        clear_holder(descriptor)
        release(descriptor)


def _busy(key: str, path: Path, queue: Path, clock: Clock) -> BusyError:
    with report_unusable_folder(path.parent):
        tickets = live_tickets(queue)
        # With nobody in the queue, asking the lock could make it look taken to a third.
        holder = current_holder(path) if tickets else read_holder(path)
    waiting = LockWaitState(
        key=key,
        holder=holder,
        ahead=len(tickets),
        first_ticket_ahead=tickets[0] if tickets else None,
        held_s=holder.held_s(clock.now()) if holder else None,
    )
    facts = {"runtime": key, "holder": holder.as_record() if holder else None, "queue": tickets}
    return BusyError(describe_busy(waiting), facts=facts)


def _without_waiting(path: Path, queue: Path) -> int | None:
    """Take the lock if it is free and nobody waits for it."""
    with report_unusable_folder(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        if live_tickets(queue):
            return None
        descriptor = open_lockable(path)
        if try_lock(descriptor) and is_current(descriptor, path):
            return descriptor
        release(descriptor)
        return None
