"""Programs in Python as processes that are forked from one that has imported what they need.

A small program stands where Python or `wt` is looked for. It hands its arguments, folder, environment
and streams to a process forked for it, and ends with that one's exit code. Only the time that Python
takes to import libgit2, the MCP SDK and us is spent once: for the hooks of a repository, where it is
`windtunnel.python`, and for the commands of a page. Elsewhere in the tests both start as for users.
"""

from __future__ import annotations

import contextlib
import importlib
import marshal
import os
import pkgutil
import random
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from functools import cache
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
_HOOKS = ("wt_git.githooks", "wt_git.evidence", "wt_git.git", "wt_git.records")
_PRELOADED = {
    "hooks": (*_HOOKS, "wt_git.cli.commands.hook"),
    "commands": ("wt_git", "windtunnel", "mcp", "mcp.server.mcpserver", "httpx", "uvicorn"),
}
_FOLDERS: list[Path] = []
# It imports next to nothing, for it is started for each process. What it cannot hand on, Python does.
_CLIENT = """\
#!{python} -IS
import _socket, marshal, os, sys
arguments = {first!r} + sys.argv[1:]
kept = arguments[1:] if arguments[:1] == ["-P"] else arguments
if not kept or kept[0].startswith("-") and kept[0] != "-m":
    os.execv({python!r}, [{python!r}, *arguments])
asked = marshal.dumps((arguments, os.getcwd(), dict(os.environ), {program!r}))
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
server.connect({address!r})
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
length = len(asked).to_bytes(8, "big")
server.sendmsg([length], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
server.sendall(asked)
os._exit((server.recv(1) or b"\\xff")[0])
"""


def keep_in(folder: Path) -> None:
    """Say where the programs may stand until the end of the session."""
    _FOLDERS[:] = [folder]


@cache
def forking_programs(purpose: str) -> Path:
    """A folder with `python` and `wt`; what forks for them ends when this process does."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("")  # the kernel finds a name that belongs to no file
    listener.listen(64)
    read, _held_open = os.pipe()
    subprocess.Popen(
        [sys.executable, "-P", __file__, purpose, str(listener.fileno()), str(read)],
        pass_fds=[listener.fileno(), read],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    ).returncode = 0  # nobody waits for it
    os.close(read)
    folder = _FOLDERS[0] / f"programs-for-{purpose}"
    folder.mkdir()
    for name, first in (("python", []), ("wt", ["-m", "wt_git"])):
        text = _CLIENT.format(
            python=sys.executable,
            first=first,
            program=str(folder / "python"),
            address=listener.getsockname(),
        )
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    listener.close()
    return folder


def _serve(purpose: str, listener: socket.socket, until_it_closes: int) -> None:
    for name in _PRELOADED[purpose]:
        package = importlib.import_module(name)
        if name.startswith("wt_git"):
            _import_all_of(package)
    path = sys.path[:]
    sys.path.insert(0, str(TESTS))
    sealing = importlib.import_module("kit.sealing")
    sys.path[:] = path
    signal.signal(signal.SIGCHLD, _wait_for_ended)
    while True:
        ready, _, _ = select.select([listener, until_it_closes], [], [])
        if until_it_closes in ready:
            return
        client, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            os.close(until_it_closes)
            _become(client, sealing.seal_libgit2)
        client.close()


def _wait_for_ended(_number: int, _frame: object) -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _import_all_of(package) -> None:
    for found in pkgutil.walk_packages(getattr(package, "__path__", ()), f"{package.__name__}."):
        if not found.name.endswith("__main__") and "_alias" not in found.name:
            importlib.import_module(found.name)


def _become(client: socket.socket, seal_libgit2) -> None:
    """Be the process that the client was asked for, to its end."""
    length, streams, _, _ = socket.recv_fds(client, 8, 3)
    asked = client.recv(int.from_bytes(length, "big"), socket.MSG_WAITALL)
    arguments, folder, environment, sys.executable = marshal.loads(asked)
    for standard, descriptor in enumerate(streams):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    random.seed()
    seal_libgit2(Path(environment.get("HOME", "/nowhere")))
    sys.stdin, sys.stdout = open(0), open(1, "w")  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1)  # noqa: SIM115
    threading.Thread(target=_end_with_the_client, args=[client], daemon=True).start()
    code = _run(arguments)
    threading._shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    client.send(bytes([code]))
    os._exit(code)


def _end_with_the_client(client: socket.socket) -> None:
    client.recv(1)
    os.kill(os.getpid(), signal.SIGTERM)


def _run(arguments: list[str]) -> int:
    """Do what `python` does with these arguments, and return the exit code."""
    is_safe = arguments[0] == "-P"
    if is_safe:
        del arguments[0]
    is_module = arguments[0] == "-m"
    if is_module:
        sys.path[:0] = [] if is_safe else [str(Path.cwd())]
        del arguments[0]
    if is_module and arguments[0] == "wt_git":
        return importlib.import_module("wt_git.cli").main(arguments[1:])
    sys.argv = arguments
    if not is_module and not Path(arguments[0]).is_dir():
        sys.path.insert(0, str(Path(arguments[0]).resolve().parent))
    try:
        run = runpy.run_module if is_module else runpy.run_path
        run(arguments[0], run_name="__main__")
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
            return 1
        return ended.code or 0
    except BaseException:  # noqa: BLE001 - as Python ends
        traceback.print_exc()
        return 1
    return 0


if __name__ == "__main__":
    _serve(sys.argv[1], socket.socket(fileno=int(sys.argv[2])), int(sys.argv[3]))
