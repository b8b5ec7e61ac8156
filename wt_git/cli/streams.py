"""Standard streams that are missing, closed, or of a narrow encoding do not change the work.

A sweep costs time and money, and its evidence is in files: the reader of its messages may go away.
"""

from __future__ import annotations

import os
import select
import sys
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

_LAST_STANDARD = 2


def make_usable() -> None:
    """Open the standard streams that are missing, and escape characters their encoding lacks.

    A missing descriptor would be given to the next file that is opened, and a warning would then
    be written into a ledger.
    """
    if sys.stdin is None or sys.stdout is None or sys.stderr is None:
        _open_missing()
    for stream in _texts(sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[attr-defined]


def discard_output(stream: TextIO) -> None:
    """Discard further output to `stream`, which has no reader any more."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError, AttributeError):
        return
    # Python flushes at the end, and would fail there with an exit code of its own.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def sleep_while_read(stream: TextIO, seconds: float) -> None:
    """Sleep. Raises `BrokenPipeError` as soon as `stream` has no reader any more.

    A command that prints rarely would otherwise notice with its next line, hours later.
    """
    try:
        watched = select.poll()
        watched.register(stream.fileno(), 0)  # errors are always reported
    except (OSError, ValueError, AttributeError):  # no descriptor, no such call on this system
        time.sleep(seconds)
        return
    events = watched.poll(seconds * 1000)
    if any(mask & (select.POLLERR | select.POLLHUP) for _, mask in events):
        raise BrokenPipeError
    if events:  # a descriptor that cannot be polled
        time.sleep(seconds)


def _texts(*streams: TextIO) -> Iterator[TextIO]:
    return (stream for stream in streams if hasattr(stream, "reconfigure"))


def _open_missing() -> None:
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _LAST_STANDARD:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
