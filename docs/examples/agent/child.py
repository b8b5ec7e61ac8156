"""Starting the agent as a process of its own, and ending with whoever started it."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
from pathlib import Path

AGENT = Path(__file__).parent


class Child:
    """An agent process; `url` is where it listens.

    It lives in a session of its own, so that a Ctrl-C in the terminal does not take it away under a
    run in flight. Its standard input is a pipe that only we hold: when we end, in whatever way, it
    reads the end of that pipe and ends too.
    """

    def __init__(self, *options: str, timeout_s: float = 30.0) -> None:
        """Start the agent on a free port; raises `RuntimeError` unless it is ready in time."""
        self.process = subprocess.Popen(
            [sys.executable, str(AGENT), "--port", "0", "--with-parent", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            self.url = self._wait_for_url(timeout_s)
        except BaseException:
            self.stop()
            raise

    def _wait_for_url(self, timeout_s: float) -> str:
        output = self.process.stdout
        assert output is not None
        if not select.select([output], [], [], timeout_s)[0]:
            raise RuntimeError(f"the agent was not ready in {timeout_s:g} s")
        line = output.readline().strip()
        if not line.startswith("ready: "):
            raise RuntimeError(f"the agent did not start: {line or 'it said nothing'}")
        return line.removeprefix("ready: ")

    def stop(self) -> None:
        """End the process; safe to repeat, and when it is already gone."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


def end_with_parent() -> None:
    """End this process when its standard input does; for the child's side of `Child`."""

    def watch() -> None:
        sys.stdin.buffer.read()
        os._exit(0)

    threading.Thread(target=watch, daemon=True).start()
