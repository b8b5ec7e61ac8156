"""Ctrl-C and termination.

In a sweep the first signal ends it after the runs in flight, the second at once. In other commands
either one ends the command, which leaves nothing half done.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from typing import TYPE_CHECKING

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
