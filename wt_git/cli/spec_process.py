"""Running sweeps one after another as processes of their own, and passing signals on to them.

In one process, code that was loaded for an earlier sweep would fly under the fingerprint of files
that somebody has edited since.
"""

from __future__ import annotations

import signal
import subprocess  # noqa: TID251 - what is started is this very program
import sys
import threading
from typing import TYPE_CHECKING, Self

from wt_git.errors import EXIT_INTERRUPTED, EXIT_TERMINATED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType, TracebackType

_KILLED = 128
"""What a shell adds to the number of the signal that ended a process."""
_CODES = {
    signal.SIGINT: EXIT_INTERRUPTED,
    signal.SIGTERM: EXIT_TERMINATED,
    signal.SIGHUP: _KILLED + signal.SIGHUP,
}


class Sweeps:
    """Runs sweeps; while it is entered, signals go to the one in flight and none starts after.

    `code` is the exit code that the first signal stands for, None without one.
    """

    def __init__(self) -> None:
        self.code: int | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._not_passed_on: list[signal.Signals] = []
        self._previous: dict[signal.Signals, object] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _CODES:
                # What was to be ignored, by nohup for one, stays so.
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._previous[number] = signal.signal(number, self._handle)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]

    def run(self, words: Sequence[str]) -> int:
        """Run `wt run` with these words to its end and return its exit code. Raises `OSError`."""
        self._process = subprocess.Popen(  # noqa: S603 - this program, and words of `wt run`
            [sys.executable, "-P", "-m", "wt_git", "run", *words],
            stdin=subprocess.DEVNULL,
            # Ctrl-C in a terminal reaches whole groups, and a signal that comes twice ends a sweep
            # without its runs in flight: so this one hears it from us alone.
            process_group=0,
        )
        self._pass_on()
        code = self._process.wait()
        self._process = None
        return code if code >= 0 else _KILLED - code

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        came = signal.Signals(number)
        if self.code is None:
            self.code = _CODES[came]
        self._not_passed_on.append(came)
        self._pass_on()

    def _pass_on(self) -> None:
        while self._process is not None and self._not_passed_on:
            came = self._not_passed_on.pop()
            # `wt run` ends well on these two; a hang-up would cut it off.
            self._process.send_signal(signal.SIGTERM if came is signal.SIGHUP else came)
