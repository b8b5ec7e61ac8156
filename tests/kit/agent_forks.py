"""Processes of the example agent, forked from one that has imported all that an agent needs.

Each is a process with a pid, pipes and a session of its own, as `child.Child` starts them; only the
second that Python takes to import an HTTP server and an MCP client is spent once.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import select
import signal
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

AGENT = Path(__file__).resolve().parents[2] / "docs" / "examples" / "agent"


@contextlib.contextmanager
def forked_agents() -> Iterator[None]:
    """In the block, `subprocess.Popen` forks an agent where it was to start one."""
    start = subprocess.Popen

    class ForkOrStart(start):
        def __new__(cls, command: Any, *_more: Any, **_options: Any) -> Any:
            if isinstance(command, list) and command[:2] == [sys.executable, str(AGENT)]:
                return ForkedAgent(*command[2:])
            return super().__new__(cls)

    subprocess.Popen = ForkOrStart
    try:
        yield
    finally:
        subprocess.Popen = start


class ForkedAgent:
    """An agent process that was forked elsewhere; it has what `child.Child` uses of a `Popen`."""

    def __init__(self, *options: str) -> None:
        read_in, self._write_in = os.pipe()
        self._read_out, write_out = os.pipe()
        asked = {"options": options, "environ": dict(os.environ), "folder": str(Path.cwd())}
        control = _parent()
        socket.send_fds(control, [json.dumps(asked).encode()], [read_in, write_out, 2])
        self.pid = int(control.recv(32))
        os.close(read_in)
        os.close(write_out)
        self.stdin = os.fdopen(self._write_in, "w")
        self.stdout = os.fdopen(self._read_out)
        self._handle: int | None = None
        with contextlib.suppress(ProcessLookupError):
            self._handle = os.pidfd_open(self.pid)

    def kill(self) -> None:
        """End the process if it still runs."""
        if self._handle is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def wait(self) -> None:
        """Wait for its end; safe to repeat."""
        if self._handle is not None:
            select.select([self._handle], [], [])
            os.close(self._handle)
            self._handle = None


@cache
def _parent() -> socket.socket:
    """Start the process that forks; it ends when this one does, as its end of the socket closes."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    subprocess.Popen(
        [sys.executable, __file__, str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    ).returncode = 0  # nobody waits for it
    theirs.close()
    return ours


def _fork_on_demand(control: socket.socket) -> None:
    sys.path.insert(0, str(AGENT))
    spec = importlib.util.spec_from_file_location("agent_main", AGENT / "__main__.py")
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel forgets children that ended
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1 << 20, 3)
        if not message:
            return
        pid = os.fork()
        if pid == 0:
            control.close()
            os._exit(_become_agent(program.main, json.loads(message), descriptors))
        for descriptor in descriptors:
            os.close(descriptor)
        control.send(str(pid).encode())


def _become_agent(main, asked, descriptors: list[int]) -> int:
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environ"])
    sys.argv = [str(AGENT), *asked["options"]]
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115
    try:
        return main()
    except SystemExit as ended:
        return ended.code


if __name__ == "__main__":
    _fork_on_demand(socket.socket(fileno=int(sys.argv[1])))
