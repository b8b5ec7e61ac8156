"""The queue for a runtime: a folder of tickets, each a file that its owner keeps locked.

A ticket's name is its rank: priority, then arrival, then process. It is live while its lock is
taken. Whoever gets the lock of a ticket deletes it, since its owner must be dead; an owner that
was only slower puts the same name back.
"""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from wt_git.sweep.file_locks import is_current, open_existing, open_lockable, release, try_lock

if TYPE_CHECKING:
    from pathlib import Path

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

        False when somebody else keeps the file locked: then the place is not ours for now.
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
        # Another prober deleted what we had opened; its owner may have put it back.
    return False
