"""The driver's side of Contract C: the endpoint's address, and three requests to it.

docs/writing-a-runtime.md, "What the driver makes of an answer". Each request is one POST on a fresh
connection, and every failure becomes an `EndpointError`. Nothing is retried, redirected or kept alive.

One deadline covers the exchange, from the first packet to the last byte. The standard library's client
reads through a socket whose every operation gets only the rest of the deadline. Only the look-up of a
host name keeps the limit of the system's resolver. docs/architecture.md, "The HTTP transport", has the
reason for not using httpx.
"""

from __future__ import annotations

import base64
import http.client
import io
import ipaddress
import json
import socket
import ssl
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from wt_git.api.failure_classes import classify_status
from wt_git.errors import exception_text
from wt_git.runtimes.http_inject.protocol import (
    INJECT_ROUTE,
    RESET_ROUTE,
    SURFACE_ROUTE,
    ContractError,
    GarbledBodyError,
    TurnAnswer,
    check_version,
    decode,
    envelope,
    parse_answer,
    parse_surface,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import WriteableBuffer

DEFAULT_BASE_URL = "http://127.0.0.1:8647"
URL_VARIABLE = "WT_INJECT_URL"

_DEFAULT_PORTS = {"http": 80, "https": 443}

MAX_BODY_BYTES = 64 * 1024 * 1024
_CHUNK_BYTES = 64 * 1024
# More than this and settimeout would not take it.
_LONGEST_WAIT_S = 86_400.0
GRACE_TIMEOUT_S = 5.0
"""How much longer than the agent's deadline a request may take, in seconds."""

# An error page can be megabytes, and this text ends in a trace and on a terminal.
_SHOWN_CHARACTERS = 2_000


class Proxy(NamedTuple):
    """An HTTP proxy, and the value of its `Proxy-Authorization` header where it needs one."""

    host: str
    port: int
    authorization: str | None


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A checked base URL; routes are appended to `url`, or to `path` on the wire."""

    url: str
    is_tls: bool
    host: str
    port: int
    path: str
    proxy: Proxy | None = None


def base_url(argument: str | None, variable: str | None) -> str:
    """Return the first that is not empty of `argument`, `WT_INJECT_URL` and the default."""
    return argument or variable or DEFAULT_BASE_URL


def parse_endpoint(url: str) -> Endpoint:
    """Return the endpoint at `url`, found directly or through the proxy of the environment.

    Raises `RuntimeError` naming `WT_INJECT_URL` unless it is an http or https URL with a host to
    which a route can be appended. The message does not repeat a password.
    """
    bare = url.rstrip("/")
    if not bare.isascii() or not bare.isprintable() or " " in bare:
        raise _refusal(bare, "must be ASCII without blanks (encode what is not)")
    try:
        parts = urlsplit(bare)
        port = parts.port
    except ValueError as error:
        raise _refusal(bare, f"is no URL: {error}") from error
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise _refusal(bare, f"must be http or https with a host, such as {DEFAULT_BASE_URL}")
    if "@" in parts.netloc:
        raise _refusal(bare, "must not hold a user name or password: Contract C has no log-in")
    if parts.query or parts.fragment or port == 0:
        raise _refusal(bare, "must end with its host, port or path: the routes are appended to it")
    return Endpoint(
        url=bare,
        is_tls=parts.scheme == "https",
        host=parts.hostname,
        port=port or _DEFAULT_PORTS[parts.scheme],
        path=parts.path,
        proxy=None if is_loopback(parts.hostname) else _environment_proxy(parts),
    )


def is_loopback(host: str) -> bool:
    """Say whether `host` is this machine, which is never reached through a proxy."""
    name = host.lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.is_loopback or mapped.is_unspecified)


def _environment_proxy(parts: SplitResult) -> Proxy | None:
    """Return the proxy that the usual variables (`HTTPS_PROXY`, `NO_PROXY`, ...) name."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - costs 20 ms, rarely used

    proxies = getproxies()
    url = proxies.get(parts.scheme) or proxies.get("all")
    if not url or proxy_bypass(parts.netloc):
        return None
    try:
        proxy = urlsplit(url if "://" in url else f"http://{url}")
        port = proxy.port or _DEFAULT_PORTS["http"]
    except ValueError:
        proxy, port = urlsplit(""), 0
    if proxy.scheme != "http" or not proxy.hostname:
        raise RuntimeError(
            f"http_inject cannot use the {parts.scheme} proxy of the environment: it must be an "
            f"http:// URL, got {_without_password(url)!r}; NO_PROXY={parts.hostname} avoids it"
        )
    authorization = None
    if proxy.username is not None:
        secret = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
        authorization = "Basic " + base64.b64encode(secret.encode()).decode("ascii")
    return Proxy(proxy.hostname, port, authorization)


def _refusal(url: str, rule: str) -> RuntimeError:
    return RuntimeError(
        f"the http_inject endpoint {_without_password(url)!r} {rule}; "
        f"set {URL_VARIABLE}, or the base_url argument"
    )


def _without_password(url: str) -> str:
    """Return `url` without the part before its last `@`, which may be a secret."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        scheme, rest = "", url
    secret, at, visible = rest.rpartition("@")
    return f"{scheme}{separator}{'…@' if at else secret}{visible}"


class EndpointError(RuntimeError):
    """The endpoint was not reached, was too slow, or broke Contract C: the run is INVALID.

    `failure_class` is None where the cause of the exception decides (docs/failure-classes.md).
    """

    def __init__(self, text: str, failure_class: str | None = None) -> None:
        super().__init__(text)
        self.failure_class = failure_class


class HttpAnswer(NamedTuple):
    """The status and the body of an answer, and the target of a redirect."""

    status: int
    body: bytes
    location: str | None


class Deadline:
    """A moment, from now on."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def remaining_s(self) -> float:
        """Return the seconds left; raises `TimeoutError` when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        return min(left, _LONGEST_WAIT_S)


def post(endpoint: Endpoint, route: str, body: bytes, *, timeout_s: float) -> HttpAnswer:
    """Send `body` to a route of `endpoint` and return the answer within `timeout_s`.

    Raises `TimeoutError`, another `OSError`, or `http.client.HTTPException`; the last also for a
    body that ends early or is longer than `MAX_BODY_BYTES`.
    """
    deadline = Deadline(timeout_s)
    connection = http.client.HTTPConnection(endpoint.host, endpoint.port)
    connection.default_port = 443 if endpoint.is_tls else 80  # shapes the Host header
    with _connect(endpoint, deadline) as opened:
        timed: Any = _TimedSocket(opened, deadline)
        connection.sock = timed
        connection.request("POST", _target(endpoint, route), body, _headers(endpoint))
        response = connection.getresponse()
        return HttpAnswer(response.status, _read_body(response), response.getheader("Location"))


def _target(endpoint: Endpoint, route: str) -> str:
    """Return the request target: a plain-text proxy gets the whole URL."""
    through_proxy = endpoint.proxy is not None and not endpoint.is_tls
    return (endpoint.url if through_proxy else endpoint.path) + route


def _headers(endpoint: Endpoint) -> dict[str, str]:
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Connection": "close",
    }
    if endpoint.proxy is not None and endpoint.proxy.authorization and not endpoint.is_tls:
        headers["Proxy-Authorization"] = endpoint.proxy.authorization
    return headers


def _read_body(response: http.client.HTTPResponse) -> bytes:
    body = bytearray()
    while chunk := response.read(_CHUNK_BYTES):
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            raise http.client.HTTPException(f"the body is longer than {MAX_BODY_BYTES} bytes")
    if response.length:
        raise http.client.IncompleteRead(bytes(body), response.length)
    ends_by_closing = response.length is None and not response.chunked
    if not body and ends_by_closing and response.status == http.client.OK:
        # The library accepts a head that was cut off as a complete one.
        raise http.client.HTTPException("the connection closed before a body came")
    return bytes(body)


def _connect(endpoint: Endpoint, deadline: Deadline) -> socket.socket:
    """Return a connection to the endpoint, in TLS where its URL says so."""
    hop = endpoint.proxy or endpoint
    plain = _dial(hop.host, hop.port, deadline)
    try:
        if not endpoint.is_tls:
            return plain
        if endpoint.proxy is not None:
            _open_tunnel(plain, endpoint, endpoint.proxy, deadline)
        plain.settimeout(deadline.remaining_s())
        context = ssl.create_default_context()
        return context.wrap_socket(plain, server_hostname=endpoint.host)
    except BaseException:
        plain.close()
        raise


def _dial(host: str, port: int, deadline: Deadline) -> socket.socket:
    """Return a connection to the first address of `host` that answers."""
    failure: OSError = OSError(f"{host} has no address")
    for family, kind, protocol, _, address in socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM
    ):
        candidate = socket.socket(family, kind, protocol)
        try:
            candidate.settimeout(deadline.remaining_s())
            candidate.connect(address)
            # The request leaves as two segments; without this the second waits for an ACK.
            candidate.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            candidate.close()
            failure = error
        else:
            return candidate
    raise failure


def _open_tunnel(
    plain: socket.socket, endpoint: Endpoint, proxy: Proxy, deadline: Deadline
) -> None:
    """Ask `proxy` for a tunnel to the endpoint, in which TLS then begins."""
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    lines = [f"CONNECT {host}:{endpoint.port} HTTP/1.1", f"Host: {host}:{endpoint.port}"]
    if proxy.authorization:
        lines.append(f"Proxy-Authorization: {proxy.authorization}")
    timed: Any = _TimedSocket(plain, deadline)
    timed.sendall("\r\n".join([*lines, "", ""]).encode("ascii"))
    response = http.client.HTTPResponse(timed, method="CONNECT")
    response.begin()
    if response.status != http.client.OK:
        raise http.client.HTTPException(
            f"the proxy {proxy.host}:{proxy.port} refused the way through with {response.status}"
        )


class _TimedSocket(io.RawIOBase):
    """The part of a socket that `HTTPConnection` uses, each operation bounded by the deadline."""

    def __init__(self, plain: socket.socket, deadline: Deadline) -> None:
        super().__init__()
        self._plain = plain
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        self._plain.settimeout(self._deadline.remaining_s())
        self._plain.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        self._plain.settimeout(self._deadline.remaining_s())
        return self._plain.recv_into(buffer)

    def close(self) -> None:
        """Leave the socket open: `HTTPConnection` closes its own before the body is read."""


class Client:
    """Asks one endpoint; a request may take `timeout_s`, the agent's deadline, plus `grace_s`."""

    def __init__(
        self, endpoint: Endpoint, *, timeout_s: float, grace_s: float = GRACE_TIMEOUT_S
    ) -> None:
        self._endpoint = endpoint
        self._timeout_s = timeout_s
        self._limit_s = timeout_s + grace_s

    def inject(self, session_id: str, text: str) -> TurnAnswer:
        """Deliver one user turn and return the answer; raises `EndpointError`."""
        body = envelope(session_id=session_id, text=text, timeout_s=self._timeout_s)
        answer: TurnAnswer = self._ask("inject", INJECT_ROUTE, body, parse_answer)
        return answer

    def reset(self) -> None:
        """Have all sessions wiped; raises `EndpointError` unless the endpoint confirms it."""
        self._ask("reset", RESET_ROUTE, envelope(), check_version)

    def surface(self) -> dict[str, list[Any]] | None:
        """Return the lists of the prompt surface, or None from an endpoint that reports none.

        Raises `EndpointError`, which quotes nothing of a payload: a prompt may be secret.
        """
        answer = self._exchange("surface", SURFACE_ROUTE, envelope())
        if answer.status in {http.client.NOT_FOUND, http.client.NOT_IMPLEMENTED}:
            return None
        if answer.status != http.client.OK:
            raise EndpointError(f"http_inject surface: expected HTTP 200, got {answer.status}")
        try:
            return parse_surface(decode(answer.body))
        except ContractError as error:
            raise EndpointError(f"http_inject surface: {error}") from error

    def _ask(
        self, operation: str, route: str, body: dict[str, Any], parse: Callable[..., Any]
    ) -> Any:
        answer = self._exchange(operation, route, body)
        excerpt = answer.body.decode("utf-8", "replace")
        if len(excerpt) > _SHOWN_CHARACTERS:
            excerpt = f"{excerpt[:_SHOWN_CHARACTERS]}… ({len(answer.body)} bytes in all)"
        if answer.status != http.client.OK:
            redirect = (
                f" (redirects are not followed; it points to {answer.location[:200]})"
                if answer.location
                else ""
            )
            raise EndpointError(
                f"http_inject {operation}: expected HTTP 200, got {answer.status}{redirect}: {excerpt}",
                classify_status(answer.status),
            )
        try:
            return parse(decode(answer.body))
        except ContractError as error:
            raise EndpointError(
                f"http_inject {operation}: {error} (HTTP 200, body: {excerpt})",
                "provider" if isinstance(error, GarbledBodyError) else "harness",
            ) from error

    def _exchange(self, operation: str, route: str, payload: dict[str, Any]) -> HttpAnswer:
        body = json.dumps(payload, allow_nan=False).encode("ascii")
        where = f"{self._endpoint.url}{route}"
        try:
            return post(self._endpoint, route, body, timeout_s=self._limit_s)
        except TimeoutError as error:
            raise EndpointError(
                f"http_inject {operation}: transport timeout: no complete answer from {where} "
                f"within {self._limit_s:g} s"
            ) from error
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            cause = (
                "connection refused; is the agent running there?"
                if isinstance(error, ConnectionRefusedError)
                else exception_text(error)[:_SHOWN_CHARACTERS]
            )
            raise EndpointError(
                f"http_inject {operation}: transport error at {where}: {cause}"
            ) from error
