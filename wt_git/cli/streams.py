"""Standard streams that are missing, break, or cannot say everything must not change what is done.

A sweep costs time and money, and its evidence is in files: whoever reads the talk may go away.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

_LAST_STANDARD = 2


def make_usable() -> None:
    """Open the standard streams that the process was started without, and let them say anything.

    A descriptor that is missing would be given to the next file that is opened, and a warning
    would then land in somebody's ledger. What an encoding lacks is written as an escape.
    """
    if sys.stdin is None or sys.stdout is None or sys.stderr is None:
        _open_missing()
    for stream in _texts(sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[attr-defined]


def discard_output(stream: TextIO) -> None:
    """Send what is still written to `stream`, whose reader is gone, nowhere."""
    try:
        descriptor = stream.fileno()
    except (OSError, ValueError, AttributeError):
        return
    # Python would fail once more, with an exit code of its own, when it flushes at the end.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def sleep_while_read(stream: TextIO, seconds: float) -> None:
    """Let `seconds` pass; raises `BrokenPipeError` as soon as whoever reads `stream` is gone.

    A command that prints now and then would otherwise notice with its next line, hours later.
    """
    import select  # noqa: PLC0415 - for those who wait
    import time  # noqa: PLC0415

    try:
        watched = select.poll()
        watched.register(stream.fileno(), 0)  # what is asked for; errors are always told
    except (OSError, ValueError, AttributeError):  # no descriptor, no such call on this system
        time.sleep(seconds)
        return
    told = watched.poll(seconds * 1000)
    if any(what & (select.POLLERR | select.POLLHUP) for _, what in told):
        raise BrokenPipeError
    if told:  # something that cannot be asked
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
