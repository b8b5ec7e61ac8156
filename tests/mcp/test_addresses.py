from __future__ import annotations

import socket
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.mcp.addresses import accepted_host_headers, connectable, http_url, is_loopback, listen


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("0.0.0.0", "127.0.0.1"),
        ("", "127.0.0.1"),
        ("::", "::1"),
        ("127.0.0.1", "127.0.0.1"),
        ("mocks.example", "mocks.example"),
    ],
)
def test_a_wildcard_is_advertised_as_an_address_one_can_connect_to(host, expected):
    """An address to listen on is not always one to connect to."""
    assert connectable(host) == expected


@given(
    st.from_regex(r"[a-z][a-z0-9.-]{0,20}[a-z0-9]", fullmatch=True) | st.ip_addresses().map(str),
    st.integers(1, 65535),
    st.sampled_from(["/mcp", "/calls", "/calls/reset"]),
)
def test_urls_are_made_of_their_parts(host, port, path):
    """Whatever a host is called, `calls` or `mcp` too, it comes back out of the URL."""
    parts = urlsplit(http_url(host, port, path))
    assert (parts.hostname, parts.port, parts.path) == (host, port, path)


def test_a_port_is_bound_once():
    """What was asked for as any free port is taken from the moment it is known."""
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        assert port > 0
        with pytest.raises(OSError, match="in use"):
            listen("127.0.0.1", port)


def test_a_client_that_comes_early_waits():
    """A connection made before anybody accepts is not refused."""
    with (
        listen("127.0.0.1", 0) as listener,
        socket.create_connection(listener.getsockname(), timeout=10),
    ):
        listener.accept()[0].close()


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("10.0.0.1", False),
        ("localhost.example", False),
    ],
)
def test_loopback_is_recognised(host, local):
    """Only this machine's own addresses count, not names that look like one."""
    assert is_loopback(host) is local


def test_only_on_loopback_is_a_host_name_checked():
    """A server on loopback is also reached from containers; elsewhere any name may lead to it."""
    assert "host.docker.internal:*" in accepted_host_headers("127.0.0.1")
    assert accepted_host_headers("0.0.0.0") is None
    assert accepted_host_headers(None) is None
