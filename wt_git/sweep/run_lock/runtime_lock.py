"""The run lock: one sweep at a time for each runtime on this machine, with a fair queue.

docs/architecture.md, "The run lock", states the rules.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from wt_git.clock import SystemClock, with_fraction
from wt_git.errors import BusyError, WaitStopped
from wt_git.sweep.run_lock.file_locks import (
    SleepingLock,
    is_current,
    open_existing,
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wt_git.clock import Clock

_NAME = re.compile(r"[0-9]-[0-9]{20}-[0-9]+\.ticket")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ATTEMPTS = 100


class Ticket:
    """A place in the queue of folder `queue`, from `keep` until `remove`."""

    def __init__(self, queue: Path, *, priority: int, arrived: datetime, pid: int) -> None:
        if not 0 <= priority <= 9:  # noqa: PLR2004 - one digit, so that names sort as numbers do
            raise ValueError(f"priority must be 0 to 9, not {priority}")
        arrival_ns = (arrived - _EPOCH) // timedelta(microseconds=1) * 1000
        self.name = f"{priority}-{arrival_ns:020d}-{pid}.ticket"
        self.queue = queue
        self._path = queue / self.name
        self._descriptor: int | None = None

    def keep(self) -> bool:
        """Make sure that the ticket exists and is locked by us. Raises `OSError`.

        False while another process keeps the file locked.
        """
        self.queue.mkdir(exist_ok=True)
        for _ in range(_ATTEMPTS):
            if self._descriptor is not None:
                if is_current(self._descriptor, self._path):
                    return True
                self._close()
            self._descriptor = open_lockable(self._path)
            if not try_lock(self._descriptor):
                self._close()
                time.sleep(0.001)  # a prober holds it only until it has deleted it
        return False

    def remove(self) -> None:
        """Leave the queue. Raises `OSError`."""
        if self._descriptor is not None:
            if is_current(self._descriptor, self._path):
                self._path.unlink(missing_ok=True)
            self._close()

    def _close(self) -> None:
        if self._descriptor is not None:
            release(self._descriptor)
            self._descriptor = None


def live_tickets(queue: Path, *, before: str | None = None) -> list[str]:
    """Return the names of the live tickets in order, up to and without `before`.

    Dead ones that are met on the way are deleted. A queue that does not exist is empty. Raises
    `OSError`.
    """
    try:
        names = sorted(entry.name for entry in queue.iterdir() if _NAME.fullmatch(entry.name))
    except FileNotFoundError:
        return []
    return [name for name in names if (before is None or name < before) and _is_live(queue / name)]


def _is_live(path: Path) -> bool:
    while (descriptor := open_existing(path)) is not None:
        try:
            if not try_lock(descriptor):
                return True
            if is_current(descriptor, path):
                path.unlink(missing_ok=True)
                return False
        finally:
            release(descriptor)
        # Another process deleted the file meanwhile; its owner may have written it again.
    return False


_LOOK_S = 0.1
# A hand-over takes an instant. When the lock is free and the next in line has not taken it for this
# many looks, that process does not run.
_LOOKS_UNTIL_STALLED = 5


def wait_for_lock(
    key: str,
    path: Path,
    ticket: Ticket,
    *,
    stop: threading.Event | None,
    on_waiting: Callable[[LockWaitState], None] | None,
    clock: Clock,
) -> int:
    """Queue for the lock file `path` with `ticket` and return its locked descriptor.

    `on_waiting` hears why it waits. Raises `WaitStopped` once `stop` is set, `UsageError` when the
    lock folder fails. The ticket is gone afterwards in every case.
    """
    turn = _Wait(path, ticket)
    news = _Announcer(key, path, on_waiting, clock)
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


class _Wait:
    """One ticket's way to the lock: asleep on the lock while first, looking around otherwise."""

    def __init__(self, path: Path, ticket: Ticket) -> None:
        self._path = path
        self._ticket = ticket
        self._sleeping: SleepingLock | None = None

    def ahead(self) -> list[str] | None:
        """Return the live tickets in front of ours; None while our place is not ours."""
        with report_unusable_folder(self._path.parent):
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
        with report_unusable_folder(self._path.parent):
            descriptor = self._sleeping.wait(_LOOK_S)
        if descriptor is None:
            return None
        self._sleeping = None
        ours = False
        try:
            # A ticket of a smaller number may have come during the sleep.
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


class _Announcer:
    """Says why we wait: at first, when the holder changes, and when a free lock is not taken."""

    def __init__(
        self,
        key: str,
        path: Path,
        on_waiting: Callable[[LockWaitState], None] | None,
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
        with report_unusable_folder(self._path.parent):
            holder = current_holder(self._path)
        if not self._is_new(holder, in_front):
            return
        self._told = True
        self._shown = holder or self._shown
        self._on_waiting(
            LockWaitState(
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
        holder = holder._replace(since=with_fraction(clock.now()))
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
        # With an empty queue, testing the lock could make it look taken to a third process.
        holder = current_holder(path) if tickets else read_holder(path)
    waiting = LockWaitState(
        key=key,
        holder=holder,
        ahead=len(tickets),
        first_ticket_ahead=tickets[0] if tickets else None,
        held_s=holder.held_s(clock.now()) if holder else None,
    )
    facts = {"runtime": key, "holder": holder._asdict() if holder else None, "queue": tickets}
    return BusyError(describe_busy(waiting), facts=facts)


def _without_waiting(path: Path, queue: Path) -> int | None:
    """Take the lock if it is free and the queue is empty."""
    with report_unusable_folder(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        if live_tickets(queue):
            return None
        descriptor = open_lockable(path)
        if try_lock(descriptor) and is_current(descriptor, path):
            return descriptor
        release(descriptor)
        return None
