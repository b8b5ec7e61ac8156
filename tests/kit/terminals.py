"""Shells on a terminal of their own, in which tests type."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import sys
import termios
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

_PATIENCE_S = 40.0
_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-9;?>]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][AB012]|[=>])"
)

SET_UP = {
    "bash": 'PS1="%"; eval "$(wt completion bash)"',
    "zsh": 'PS1="%%"; autoload -Uz compinit && compinit -D -u; eval "$(wt completion zsh)"',
    "fish": "function fish_prompt; printf %%; end; wt completion fish | source",
}
_START = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
STUB = """\
#!/bin/sh
# Answers completions as wt does, and shows any other call word by word.
case $1 in
    completion | __complete) exec '{python}' -m wt_git "$@" ;;
esac
for word in "$@"; do printf '<%s>' "$word"; done
echo '<end>'
"""


def put_wt_on_path(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Write a `wt` into `folder` that shows how it is called, and put it on the test's PATH."""
    folder.mkdir(exist_ok=True)
    stub = folder / "wt"
    stub.write_text(STUB.format(python=sys.executable))
    stub.chmod(0o755)
    patch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


class Terminal:
    """A shell that a test types into; what it printed is in `seen`, without colours and the like."""

    def __init__(self, process: int, descriptor: int) -> None:
        self._process = process
        self._descriptor = descriptor
        self._raw = b""

    @property
    def seen(self) -> str:
        """Everything that the shell printed since the last `type`."""
        return _ESCAPES.sub(b"", self._raw).decode("utf-8", "replace")

    def type(self, text: str) -> None:
        """Press these keys, forgetting what was printed before."""
        self._raw = b""
        os.write(self._descriptor, text.encode())

    def expect(self, text: str) -> None:
        """Wait until `text` was printed."""
        until = time.monotonic() + _PATIENCE_S
        while text not in self.seen:
            left = until - time.monotonic()
            assert left > 0, f"{text!r} was never printed, but:\n{self.seen}"
            if select.select([self._descriptor], [], [], left)[0]:
                try:
                    self._raw += os.read(self._descriptor, 65536)
                except OSError as error:
                    raise AssertionError(f"the shell ended after:\n{self.seen}") from error

    def close(self) -> None:
        """End the shell."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)
        os.waitpid(self._process, 0)
        os.close(self._descriptor)


@contextlib.contextmanager
def shell(name: str) -> Iterator[Terminal]:
    """Start `name` where completion of wt is set up; the caller has checked that it is installed."""
    path = shutil.which(name)
    assert path is not None
    process, descriptor = pty.fork()
    if process == 0:  # the child
        os.execve(path, _START[name], {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"})
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    terminal = Terminal(process, descriptor)
    try:
        terminal.type(f"{SET_UP[name]}; echo set-'up'\r")
        terminal.expect("set-up")
        yield terminal
    finally:
        terminal.close()
