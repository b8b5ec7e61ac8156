"""The process: signals, and standard streams that are missing, closed, or of a narrow encoding.

In a sweep the first signal ends it after the runs in flight, the second at once. In other commands
either one ends the command, which leaves nothing half done. A sweep costs time and money, and its
evidence is in files, so a reader of its messages that goes away does not end it.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, TextIO

from wt_git.errors import EXIT_INTERRUPTED, EXIT_TERMINATED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_ENDING = "ending after the runs in flight; once more ends it now, without them"
_CODES = {signal.SIGINT: EXIT_INTERRUPTED, signal.SIGTERM: EXIT_TERMINATED}


class Terminated(KeyboardInterrupt):
    """A SIGTERM that unwinds as Ctrl-C does; `exit_code` is the process's."""

    exit_code = EXIT_TERMINATED


@contextlib.contextmanager
def unwinding() -> Iterator[None]:
    """Let a SIGTERM raise `Terminated` in the block, so that temporary files are removed."""

    def handle(_number: int, _frame: FrameType | None) -> None:
        raise Terminated

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGTERM, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


@contextlib.contextmanager
def graceful(interrupt: Callable[[int], None], *, command: str = "run") -> Iterator[None]:
    """Call `interrupt` with the exit code on the first SIGINT or SIGTERM, and end on the second.

    The second ends the process without unwinding: every record that was made is already on disk,
    and a run in flight that hangs must not be able to prevent it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    seen, begin = False, f"\nwt {command}"

    def handle(number: int, _frame: FrameType | None) -> None:
        nonlocal seen
        code = _CODES[signal.Signals(number)]
        if seen:
            # print() could deadlock on a buffer lock that the interrupted code holds.
            os.write(2, f"{begin}: ended at once; finished runs and rows are on disk\n".encode())
            os._exit(code)
        seen = True
        os.write(2, f"{begin}: {_ENDING}\n".encode())
        interrupt(code)

    previous = {number: signal.signal(number, handle) for number in _CODES}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


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
