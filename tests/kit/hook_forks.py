"""Hooks as processes that are forked from one that has imported all that a hook needs.

Git starts a program that stands where Python is in `windtunnel.python`. It hands its arguments,
folder, environment and streams to a process forked for it, and ends with that one's exit code. Only
the tenth of a second that Python takes to import libgit2 and us is spent once; tests/githooks has
hooks that start as they do for users.
"""

from __future__ import annotations

import importlib
import marshal
import os
import pkgutil
import random
import signal
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
_PACKAGES = ("wt_git.githooks", "wt_git.evidence", "wt_git.git", "wt_git.records")
_FOLDERS: list[Path] = []
# It imports next to nothing, for it is started for each hook.
_CLIENT = """\
#!{python} -IS
import _socket, marshal, os, sys
asked = marshal.dumps((sys.argv[1:], os.getcwd(), dict(os.environ)))
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
server.connect({address!r})
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
length = len(asked).to_bytes(8, "big")
server.sendmsg([length], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
server.sendall(asked)
sys.exit((server.recv(1) or b"\\xff")[0])
"""


def keep_in(folder: Path) -> None:
    """Say where the program may stand until the end of the session."""
    _FOLDERS[:] = [folder]


@cache
def hook_python() -> Path:
    """The program for `windtunnel.python`; what forks for it ends when this process does."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("")  # the kernel finds a name that belongs to no file
    listener.listen(64)
    read, _held_open = os.pipe()
    subprocess.Popen(
        [sys.executable, "-P", __file__, str(listener.fileno()), str(read)],
        pass_fds=[listener.fileno(), read],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    ).returncode = 0  # nobody waits for it
    os.close(read)
    program = _FOLDERS[0] / "python-of-hooks"
    program.write_text(_CLIENT.format(python=sys.executable, address=listener.getsockname()))
    program.chmod(0o755)
    listener.close()
    return program


def _serve(listener: socket.socket, until_it_closes: int) -> None:
    for package in map(importlib.import_module, _PACKAGES):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(found.name)
    importlib.import_module("wt_git.cli.commands.hook")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel forgets children that ended
    import select  # noqa: PLC0415 - a hook does not have it for free

    while True:
        ready, _, _ = select.select([listener, until_it_closes], [], [])
        if until_it_closes in ready:
            return
        client, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            os.close(until_it_closes)
            _end_with(client, _become_hook(client))
        client.close()


def _become_hook(client: socket.socket) -> int:
    from kit.sealing import seal_libgit2  # noqa: PLC0415 - once the path is as for tests

    from wt_git.cli import main  # noqa: PLC0415 - it was imported before the fork

    length, streams, _, _ = socket.recv_fds(client, 8, 3)
    asked = client.recv(int.from_bytes(length, "big"), socket.MSG_WAITALL)
    arguments, folder, environment = marshal.loads(asked)
    for standard, descriptor in enumerate(streams):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    random.seed()
    seal_libgit2(Path(environment.get("HOME", "/nowhere")))
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1)  # noqa: SIM115
    assert arguments[:3] == ["-P", "-m", "wt_git"], arguments
    return main(arguments[3:])


def _end_with(client: socket.socket, code: int) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    client.send(bytes([code]))
    os._exit(code)


if __name__ == "__main__":
    sys.path.insert(0, str(TESTS))
    _serve(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]))
