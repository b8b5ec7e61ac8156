"""Endpoint URLs, and the proxies on the way to them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.runtimes.http_inject import DEFAULT_BASE_URL
from wt_git.runtimes.http_inject.client import (
    Proxy,
    base_url,
    is_loopback,
    parse_endpoint,
)

PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch):
    for name in PROXY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.mark.parametrize(
    ("argument", "variable", "expected"),
    [
        ("http://a", "http://b", "http://a"),
        ("", "http://b", "http://b"),
        (None, "http://b", "http://b"),
        (None, "", DEFAULT_BASE_URL),
        (None, None, "http://127.0.0.1:8647"),
    ],
)
def test_the_first_url_that_is_not_empty_wins(argument, variable, expected):
    """The argument goes before the variable, and both before the default."""
    assert base_url(argument, variable) == expected


def test_a_url_is_taken_apart_without_its_trailing_slashes():
    """Routes are appended to what is left, path included."""
    endpoint = parse_endpoint("HTTPS://Agents.example:8443/v1//")
    assert endpoint.url == "HTTPS://Agents.example:8443/v1"
    assert (endpoint.is_tls, endpoint.host, endpoint.port) == (True, "agents.example", 8443)
    assert endpoint.path == "/v1"


@pytest.mark.parametrize(
    ("url", "port"), [("http://h", 80), ("https://h", 443), ("http://[::1]:9", 9)]
)
def test_a_port_that_is_not_given_is_the_schemes(url, port):
    """80 and 443; an IPv6 address has its brackets taken off."""
    assert parse_endpoint(url).port == port


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://h",
        "127.0.0.1:8647",
        "localhost:8647",
        "http://",
        "http:///path",
        "http://:8647",
        "http://h:port",
        "http://h:99999",
        "http://h:0",
        "http://[::1",
        "http://h/a b",
        "http://h/\n",
        "http://höst",
        "http://h?key=1",
        "http://h/#part",
        "nonsense",
        "////",
    ],
)
def test_what_is_no_http_url_with_a_host_is_refused_by_the_variable(url):
    """Nothing but http and https is ever opened, and the message says which setting to mend."""
    with pytest.raises(RuntimeError, match="WT_INJECT_URL"):
        parse_endpoint(url)


@pytest.mark.parametrize(
    "url", ["http://me:hunter2@h:8647", "https://hunter2@h", "http://x:hunter2@"]
)
def test_a_password_is_refused_and_not_repeated(url):
    """Contract C has no log-in, and a secret must not reach messages or lock records."""
    with pytest.raises(RuntimeError) as refusal:
        parse_endpoint(url)
    assert "hunter2" not in str(refusal.value)


@given(st.text())
def test_any_text_is_an_endpoint_or_refused(url):
    """No text makes it raise anything but the refusal."""
    with suppress(RuntimeError):
        assert parse_endpoint(url).host


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST.",
        "agent.localhost",
        "127.0.0.1",
        "127.9.9.9",
        "::1",
        "0.0.0.0",
        "::",
        "::ffff:127.0.0.1",
    ],
)
def test_loopback_hosts_are_never_asked_for_through_a_proxy(host, monkeypatch):
    """Whatever the variables say: the proxy's loopback is another machine."""
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("ALL_PROXY", "http://proxy.example:3128")
    assert is_loopback(host)
    shown = f"[{host}]" if ":" in host else host
    assert parse_endpoint(f"http://{shown}:8647").proxy is None


@pytest.mark.parametrize("host", ["example.org", "10.0.0.1", "localhost.example", "2001:db8::1"])
def test_other_hosts_are_not_loopback(host):
    """A name that merely begins with localhost is somebody else's."""
    assert not is_loopback(host)


def test_another_host_is_asked_for_through_the_proxy_of_its_scheme(monkeypatch):
    """The scheme's variable goes before the one for all; its log-in becomes a header."""
    monkeypatch.setenv("HTTPS_PROXY", "http://me:p%40ss@proxy.example:3128/")
    monkeypatch.setenv("ALL_PROXY", "other.example")
    proxy = parse_endpoint("https://agents.example").proxy
    assert proxy == Proxy("proxy.example", 3128, "Basic bWU6cEBzcw==")
    assert parse_endpoint("http://agents.example").proxy == Proxy("other.example", 80, None)


def test_no_proxy_is_obeyed(monkeypatch):
    """A host that the variable lists is reached directly."""
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("NO_PROXY", "agents.example")
    assert parse_endpoint("http://agents.example").proxy is None


@pytest.mark.parametrize(
    "url", ["socks5://me:hunter2@h:1080", "https://h", "http://", "http://h:x"]
)
def test_a_proxy_that_cannot_be_used_is_said_at_construction(url, monkeypatch):
    """Going around it silently would reach somewhere else than the developer believes."""
    monkeypatch.setenv("HTTP_PROXY", url)
    with pytest.raises(RuntimeError, match="NO_PROXY") as refusal:
        parse_endpoint("http://agents.example")
    assert "hunter2" not in str(refusal.value)
