"""The process that holds a runtime: its record in the lock file, and the sentences about it."""

from __future__ import annotations

import contextlib
import json
import os
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from wt_git.sweep.run_lock.file_locks import open_existing, release, try_lock
from wt_git.text import duration, one_line

if TYPE_CHECKING:
    from pathlib import Path

_MOST_BYTES = 65536


class Holder(NamedTuple):
    """The process that holds a runtime; `since` is UTC, `command` as typed.

    After a wait, `since` is the end of the wait.
    """

    pid: int
    host: str
    since: str
    command: str
    label: str
    sweep_id: str
    runs_dir: str

    def held_s(self, now: datetime) -> float | None:
        """Return for how many seconds it has held the runtime; None where that cannot be said."""
        try:
            seconds = (now - datetime.fromisoformat(self.since)).total_seconds()
        except (ValueError, TypeError):  # no time, or one without a zone
            return None
        return seconds if seconds >= 0 else None


class LockWaitState(NamedTuple):
    """Why a sweep waits for runtime `key`, and its place in the queue.

    `holder` is None when the holder left no readable record, or when the runtime is free and
    the next in line has not taken it; `stalled` says that this has lasted. The holder has had it
    for `held_s` seconds, None where that is unknown. `ahead` sweeps are waiting in front;
    `first_ticket_ahead` is the file name of the first one's ticket.
    """

    key: str
    holder: Holder | None
    ahead: int
    first_ticket_ahead: str | None
    held_s: float | None = None
    stalled: bool = False


def describe_waiting(waiting: LockWaitState) -> str:
    """Return the line that tells a person for whom the sweep waits, how long already, and where."""
    line = _in_use(waiting.key, waiting.holder, waiting.held_s)
    first = waiting.first_ticket_ahead
    if first is None:
        line += "; next in the queue"
    elif waiting.stalled:
        line += (
            f"; place {waiting.ahead + 1} in the queue: {_owner(first)} is first and does not take "
            "the runtime although it could, perhaps it is stopped"
        )
    else:
        line += f"; place {waiting.ahead + 1} in the queue, first {_owner(first)}"
    return line + "; waiting for it to finish (--no-wait gives up instead)"


def describe_busy(waiting: LockWaitState) -> str:
    """Return the line for a caller that declines to wait: who holds the runtime, and who waits."""
    line = _in_use(waiting.key, waiting.holder, waiting.held_s)
    if waiting.first_ticket_ahead is not None:
        line += f"; {waiting.ahead} in the queue, first {_owner(waiting.first_ticket_ahead)}"
    return line + "; not waiting (--no-wait)"


def _in_use(key: str, holder: Holder | None, held_s: float | None) -> str:
    line = f"runtime '{one_line(key)}' is in use, "
    if holder is None:
        return line + "held by another process"
    span = "" if held_s is None else f" (for {duration(held_s)})"
    return line + (
        f"held by pid {holder.pid} on {one_line(holder.host)} since {one_line(holder.since)}{span}, "
        f"running `{one_line(holder.command)}`"
    )


def _owner(ticket: str) -> str:
    """Return who keeps a ticket; its name ends with the process."""
    return f"pid {ticket.removesuffix('.ticket').rpartition('-')[2]} ({ticket})"


def write_holder(descriptor: int, holder: Holder) -> None:
    """Write the record into the lock file. Nothing depends on it, so a failure is passed over."""
    text = json.dumps(holder._asdict()) + "\n"
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, text.encode("ascii"), 0)


def clear_holder(descriptor: int) -> None:
    """Empty the lock file before it is let go."""
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)


def read_holder(path: Path) -> Holder | None:
    """Return the record in the lock file at `path`; None when there is none that makes sense."""
    try:
        with path.open("rb") as stream:
            record = json.loads(stream.read(_MOST_BYTES))
        holder = Holder(**{name: record[name] for name in Holder._fields})
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    words = [value for name, value in holder._asdict().items() if name != "pid"]
    sensible = type(holder.pid) is int and all(isinstance(word, str) for word in words)
    return holder if sensible else None


def current_holder(path: Path) -> Holder | None:
    """Return the record of the process that holds the lock file now; None when it is free.

    A killed holder leaves its record behind, so the lock itself is asked, for an instant. Only for
    callers with a ticket in the queue: a newcomer looks at the tickets first and does not notice.
    Raises `OSError`.
    """
    descriptor = open_existing(path)
    if descriptor is None:
        return None
    try:
        if try_lock(descriptor, shared=True):
            return None
    finally:
        release(descriptor)
    return read_holder(path)
