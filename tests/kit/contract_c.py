"""A Contract C endpoint over a raw socket, so that it can break every promise of HTTP.

    with scripted_endpoint(answer({...}), silence()) as endpoint:
        ... endpoint.url, endpoint.requests ...

One step answers one request; the last step answers all that follow.
"""

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from wt_git.runtimes.http_inject.server import create_app

GOOD_ANSWER = {"wt_inject": 1, "reply": "it is 4", "tool_calls": []}
GOOD_RESET = {"wt_inject": 1}


@dataclass
class Request:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def payload(self):
        return json.loads(self.body)


@dataclass
class Endpoint:
    url: str
    speaks_tls: bool = False
    requests: list[Request] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)


Step = Callable[[socket.socket, Endpoint], None]


def response(body: bytes, status: int = 200, headers: str = "") -> bytes:
    """The bytes of a whole HTTP response."""
    head = f"HTTP/1.1 {status} Whatever\r\nContent-Length: {len(body)}\r\n{headers}\r\n"
    return head.encode() + body


def raw(data: bytes) -> Step:
    """Send exactly these bytes and close."""
    return lambda connection, _: connection.sendall(data)


def answer(payload, status: int = 200, headers: str = "") -> Step:
    """Answer well-formed HTTP with `payload` as JSON, or as it is when it is bytes."""
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return raw(response(body, status, headers))


def hang_up() -> Step:
    """Close without a byte of answer."""
    return lambda *_: None


def silence() -> Step:
    """Take the request and never answer."""
    return lambda _, endpoint: endpoint.closing.wait()


def trickle(data: bytes, *, at_once: int = 0, every_s: float = 0.02) -> Step:
    """Send the first `at_once` bytes, then the rest one byte at a time."""

    def step(connection, endpoint):
        connection.sendall(data[:at_once])
        for position in range(at_once, len(data)):
            if endpoint.closing.wait(every_s):
                return
            connection.sendall(data[position : position + 1])

    return step


CERTIFICATE = Path(__file__).parent / "loopback_certificate.pem"
"""For 127.0.0.1 and agents.invalid, with its key; good for nothing but these tests."""


def tls(step: Step) -> Step:
    """Serve TLS on the connection as it stands, read a request in it, and go on with `step`."""

    def serve(connection, endpoint):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        with context.wrap_socket(connection, server_side=True) as secured:
            _answer(secured, endpoint, step)

    return serve


def tunnel(step: Step) -> Step:
    """Grant a proxy's CONNECT and play the TLS server behind it."""

    def serve(connection, endpoint):
        connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        tls(step)(connection, endpoint)

    return serve


@contextmanager
def scripted_endpoint(*steps: Step, speaks_tls: bool = False) -> Iterator[Endpoint]:
    """Serve `steps` on an ephemeral port of the loopback interface."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        scheme = "https" if speaks_tls else "http"
        endpoint = Endpoint(f"{scheme}://127.0.0.1:{listener.getsockname()[1]}", speaks_tls)
        script = list(steps)
        server = threading.Thread(target=_serve, args=(listener, endpoint, script))
        server.start()
        try:
            yield endpoint
        finally:
            endpoint.closing.set()
            # Closing does not wake a blocked accept; a connection does.
            with suppress(OSError):
                socket.create_connection(listener.getsockname()).close()
            server.join()


def _serve(listener: socket.socket, endpoint: Endpoint, script: list[Step]) -> None:
    flights = []
    while True:
        connection, _ = listener.accept()
        if endpoint.closing.is_set():
            connection.close()
            break
        step = script.pop(0) if len(script) > 1 else script[0]
        target = _answer_in_tls if endpoint.speaks_tls else _answer
        flight = threading.Thread(target=target, args=(connection, endpoint, step))
        flight.start()
        flights.append(flight)
    for flight in flights:
        flight.join()


def _answer(connection: socket.socket, endpoint: Endpoint, step: Step) -> None:
    # The client may be gone already, or speak TLS: that is what some tests are about.
    with connection, suppress(OSError, ValueError):
        endpoint.requests.append(_read_request(connection))
        step(connection, endpoint)


def _answer_in_tls(connection: socket.socket, endpoint: Endpoint, step: Step) -> None:
    with connection, suppress(OSError):
        tls(step)(connection, endpoint)


def _read_request(connection: socket.socket) -> Request:
    with connection.makefile("rb") as stream:
        method, target, _ = stream.readline().decode().split(" ")
        headers = {}
        while line := stream.readline().strip():
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        body = stream.read(int(headers.get("content-length", 0)))
    return Request(method, target, headers, body)


@contextmanager
def served_agent(inject, reset=lambda: None, *, surface=None) -> Iterator[str]:
    """Serve an agent with the server helper, in this process; yield its base URL."""
    with served_app(create_app(inject, reset, surface=surface)) as url:
        yield url


@contextmanager
def served_app(app) -> Iterator[str]:
    """Serve an ASGI application on an ephemeral port; yield its base URL."""
    from wt_git.mcp.addresses import listen  # noqa: PLC0415 - only these tests need them
    from wt_git.mcp.serving import ThreadServer  # noqa: PLC0415

    listener = listen("127.0.0.1", 0)
    server = ThreadServer(app, listener)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.stop()
