"""What a tool server process is given by the bench that started it, from the process's own side.

The listening socket comes as an inherited descriptor, whose number stands in the environment. The
token comes as one line on standard input and nowhere else: the environment and the command line of
a process can be read by others. Standard input then stays open for as long as the bench lives; its
end is the end of this process, even when the bench was killed without a chance to say so.
"""

from __future__ import annotations

import os
import socket
import threading
from dataclasses import dataclass
from typing import Final

LISTENER_VARIABLE: Final = "WT_MCP_LISTENER"
_STDIN: Final = 0


@dataclass(frozen=True, slots=True)
class Inherited:
    """A listening socket, the host it was asked to listen on, and the token of its evidence."""

    listener: socket.socket
    host: str
    token: str


def claim() -> Inherited | None:
    """Take over what the bench handed down, once; None in a process that somebody else started."""
    descriptor = os.environ.pop(LISTENER_VARIABLE, None)  # noqa: TID251 - this process's own start
    if descriptor is None:
        return None
    listener = socket.socket(fileno=int(descriptor))
    listener.set_inheritable(False)
    token = _first_line()
    threading.Thread(target=_end_with_the_bench, name="end with the bench", daemon=True).start()
    return Inherited(listener, str(listener.getsockname()[0]), token)


def _first_line() -> str:
    """Return the first line of standard input, read without buffering what follows."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(_STDIN, 1)
        if not byte:
            os._exit(0)  # the bench is gone already
        line += byte
    return line.decode().strip()


def _end_with_the_bench() -> None:
    while os.read(_STDIN, 4096):
        pass
    os._exit(0)
