"""Addresses of a tool server: where it listens, its URL, and the host names that it accepts."""

from __future__ import annotations

import contextlib
import ipaddress
import socket
from typing import Final

WILDCARD_HOSTS: Final = frozenset({"", "0.0.0.0", "::"})  # noqa: S104 - recognised, not bound
MCP_PATH: Final = "/mcp"
# A container reaches a server on the host's loopback under this name.
_LOOPBACK_NAMES: Final = ("127.0.0.1", "localhost", "[::1]", "host.docker.internal")


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that already listens on `host`, on any free port when `port` is 0.

    It is bound once and passed on, so no other process can take the port in between, and a client
    that comes before the server is ready waits instead of being refused. Raises `OSError`.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named, since asyncio turns off Nagle's delay (40 ms a call) only for a socket that says TCP.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(128)
    except BaseException:
        bound.close()
        raise
    return bound


def connectable(host: str) -> str:
    """Return a host that a client can connect to: a wildcard address is no destination."""
    if host in WILDCARD_HOSTS:
        return "::1" if host == "::" else "127.0.0.1"
    return host


def http_url(host: str, port: int, path: str) -> str:
    """Return the URL of `path` on a host, an IPv6 address in its brackets."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{path}"


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine's own loopback, by name or address."""
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


def accepted_host_headers(host: str | None) -> list[str] | None:
    """Return the `Host` headers to accept when serving on `host`, or None to accept any.

    On loopback the check keeps web pages from reaching the server by DNS rebinding. On other
    addresses the names of this machine are unknown, and a refused name would be a refused agent.
    """
    if host is None or not is_loopback(host):
        return None
    return [f"{name}:*" for name in _LOOPBACK_NAMES]
