"""A tool server in a process of its own: started, waited for, read, and ended.

The bench side starts the process and reads its log over the evidence routes. The process's own side
takes the listening socket, an inherited descriptor whose number is in the environment, and the token.
The token comes as one line on standard input only, since other users can read the environment and the
command line of a process. Standard input then stays open while the bench lives; its end ends the
process, even when the bench was killed.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import secrets
import socket
import subprocess  # noqa: TID251 - tool servers are started here
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final

from wt_git.mcp.addresses import connectable, listen

if TYPE_CHECKING:
    from collections.abc import Mapping

LISTENER_VARIABLE: Final = "WT_MCP_LISTENER"

_REQUEST_LIMIT_S = 5.0
_STOP_LIMIT_S = 5.0
_POLL_S = 0.01
_TAIL_BYTES = 2000
_STDIN: Final = 0


@dataclass(frozen=True, slots=True)
class EvidenceClient:
    """Reads one server's evidence with its token. Unreadable evidence raises; it is never empty."""

    host: str
    port: int
    token: str

    def get(self, path: str, *, limit_s: float = _REQUEST_LIMIT_S) -> list[Any]:
        """Return the list at `path`; raises `RuntimeError` or `OSError` when there is none to read."""
        answer = self._request("GET", path, None, limit_s)
        if not isinstance(answer, list):
            raise RuntimeError(
                f"tool server at {self.host}:{self.port} answered GET {path} with"
                f" {type(answer).__name__}, not a list"
            )
        return answer

    def post(self, path: str, body: object = None) -> None:
        """Send `body`; raises `ValueError` when the server refuses it, else as `get`."""
        self._request("POST", path, json.dumps(body), _REQUEST_LIMIT_S)

    def _request(self, method: str, path: str, body: str | None, limit_s: float) -> Any:
        # Not httpx: it loads slowly, and would send a request for this machine to a proxy.
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection = http.client.HTTPConnection(self.host, self.port, timeout=limit_s)
        with contextlib.closing(connection):
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            text = response.read().decode("utf-8", "replace")
        if response.status == http.client.BAD_REQUEST:
            raise ValueError(text)
        if response.status != http.client.OK:
            raise RuntimeError(
                f"tool server at {self.host}:{self.port} answered {method} {path} with status"
                f" {response.status}: {text[:200]}"
            )
        return json.loads(text)


@dataclass(frozen=True, slots=True)
class InheritedListener:
    """A listening socket, the host it was asked to listen on, and the token of its evidence."""

    listener: socket.socket
    host: str
    token: str


def claim_inherited() -> InheritedListener | None:
    """Take over the socket and the token of the bench, once; None where no bench started us."""
    descriptor = os.environ.pop(LISTENER_VARIABLE, None)  # noqa: TID251 - this process's own start
    if descriptor is None:
        return None
    listener = socket.socket(fileno=int(descriptor))
    listener.set_inheritable(False)
    token = _first_line()
    threading.Thread(target=_exit_with_the_bench, name="end with the bench", daemon=True).start()
    return InheritedListener(listener, str(listener.getsockname()[0]), token)


def _first_line() -> str:
    """Return the first line of standard input, read without buffering what follows."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(_STDIN, 1)
        if not byte:
            os._exit(0)  # the bench is gone already
        line += byte
    return line.decode().strip()


def _exit_with_the_bench() -> None:
    while os.read(_STDIN, 4096):
        pass
    os._exit(0)


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """A running tool server: the process, its address and token, and its output."""

    process: subprocess.Popen[bytes]
    host: str
    port: int
    token: str
    output: IO[bytes]

    def stop(self) -> None:
        """End the process and take it off the process table; may be called twice."""
        process = self.process
        # The end of its standard input ends it too, in case it ignores the signal.
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(_STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        self.output.close()

    def last_words(self) -> str:
        """Return the end of the process's output, for a message about its failure."""
        size = os.fstat(self.output.fileno()).st_size
        tail = os.pread(self.output.fileno(), _TAIL_BYTES, max(0, size - _TAIL_BYTES))
        return tail.decode("utf-8", "replace") or "none"


def start_child(
    module: str, *, host: str, port: int, environment: Mapping[str, str], limit_s: float
) -> ChildProcess:
    """Start `module` and return once its tools answer; raises `RuntimeError`, leaving nothing behind.

    `environment` is added to this process's own. The child leads a session of its own, so that
    Ctrl-C in a terminal reaches the bench alone, which then ends its runs in good order.
    """
    try:
        listener = listen(host, port)
    except OSError as error:
        raise RuntimeError(f"the tool server cannot listen on {host}:{port}: {error}") from error
    with listener:
        bound_port = int(listener.getsockname()[1])
        process, output = _spawn(module, listener.fileno(), host, bound_port, environment)
    child = ChildProcess(process, host, bound_port, secrets.token_urlsafe(24), output)
    try:
        _send_token(child)
        _wait_until_ready(child, module, limit_s)
    except BaseException:
        child.stop()
        raise
    return child


def _spawn(
    module: str, listener: int, host: str, port: int, environment: Mapping[str, str]
) -> tuple[subprocess.Popen[bytes], IO[bytes]]:
    output = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
    try:
        process = subprocess.Popen(  # noqa: S603 - this interpreter, a module the pack names
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            pass_fds=(listener,),
            start_new_session=True,
            env={
                **os.environ,  # noqa: TID251 - a child process inherits it
                "MOCK_MCP_HOST": host,
                "MOCK_MCP_PORT": str(port),
                **environment,
                LISTENER_VARIABLE: str(listener),
            },
        )
    except BaseException:
        output.close()
        raise
    return process, output


def _send_token(child: ChildProcess) -> None:
    """Write the token to the child's standard input, which then stays open while the bench lives."""
    assert child.process.stdin is not None
    with contextlib.suppress(OSError):  # the child has ended; the wait that follows reports it
        child.process.stdin.write(f"{child.token}\n".encode())
        child.process.stdin.flush()


def _wait_until_ready(child: ChildProcess, module: str, limit_s: float) -> None:
    """Return when the child itself answers: no other process knows the token."""
    evidence = EvidenceClient(connectable(child.host), child.port, child.token)
    deadline = time.monotonic() + limit_s
    while True:
        if child.process.poll() is not None:
            raise RuntimeError(
                f"tool server module {module!r} exited immediately with status"
                f" {child.process.returncode}; its last words: {child.last_words()}"
            )
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise RuntimeError(
                f"tool server module {module!r} was not ready within {limit_s:g} s (does it call"
                f" run() on its LoggingFastMCP?); its last words: {child.last_words()}"
            )
        # The socket listened before the child began, so one request waits in its queue.
        with contextlib.suppress(OSError, http.client.HTTPException, RuntimeError):
            evidence.get("/tools", limit_s=min(remaining, 0.5))
            return
        time.sleep(_POLL_S)
