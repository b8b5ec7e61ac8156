"""One backend has one name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.evidence.targets import normalise_key

LOCAL = "http://127.0.0.1:8647"


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("http_inject:http://127.0.0.1:8647", LOCAL),
        ("http_inject:http://localhost:8647", LOCAL),
        ("HTTP://LocalHost:8647/", LOCAL),
        ("http://0.0.0.0:8647//", LOCAL),
        ("http://[::1]:8647", LOCAL),
        ("http://[0:0:0:0:0:0:0:1]:8647", LOCAL),
        ("  http://127.0.0.1:8647 \n", LOCAL),
        ("http://user:secret@127.0.0.1:8647", LOCAL),
        ("http://127.0.0.1:8647#part", LOCAL),
        ("http://127.0.0.1:08647?", LOCAL),
        ("http_inject: http_inject:http://localhost:8647", LOCAL),
        ("http://Example.test:80/", "http://example.test"),
        ("https://example.test:443/a/", "https://example.test/a"),
        ("https://example.test:80", "https://example.test:80"),
        ("ws://example.test:80", "ws://example.test"),
        ("wss://example.test:443", "wss://example.test"),
        ("wss://example.test:80", "wss://example.test:80"),
        ("http://example.test:0", "http://example.test:0"),
        ("http://example.test/A/b", "http://example.test/A/b"),
        ("http://[FE80::0001]:99/x", "http://[fe80::1]:99/x"),
        ("http://[fe80::1%eth0]/", "http://[fe80::1%eth0]"),
        ("my_runtime", "my_runtime"),
        (" my lab bench ", "my lab bench"),
        ("http_inject:", "http_inject:"),
        ("localhost:8647", "localhost:8647"),
        ("http://example.test:port/", "http://example.test:port/"),
        ("http://example.test:99999/", "http://example.test:99999/"),
        ("http://[broken/", "http://[broken/"),
        ("unix:///run/agent.sock", "unix:///run/agent.sock"),
    ],
)
def test_every_spelling_of_a_backend_becomes_one(key, expected):
    """Case, default ports, names of this machine, slashes and credentials make no second target."""
    assert normalise_key("http_inject", key) == expected


def test_a_query_is_told_apart_but_not_shown():
    """Two queries are two backends; an access key in one is never written down."""
    one, two = (normalise_key("x", f"http://host/?key={word}") for word in ("hunter2", "other"))
    assert one != two
    assert "hunter2" not in one
    assert one.startswith("http://host?sha256-")


def test_a_runtime_called_like_a_scheme_keeps_its_url():
    """The name is dropped from the front of a key only where it is not the scheme itself."""
    assert normalise_key("http", "http://Host/") == "http://host"
    assert normalise_key("http", "http:http://Host/") == "http://host"


_words = """http HTTP https ws : // / ? # @ [ ] ::1 localhost 0.0.0.0 Host :80 :443 :99 a:b % . name
name: http_inject: sha256-0123456789abcdef \u212a \u0130""".split()  # noqa: SIM905 - thirty quoted words hide the list
_pieces = st.sampled_from([*_words, " ", "\t", "\n", "\x1f", "\u2028"])
_keys = st.one_of(st.text(), st.lists(_pieces, max_size=12).map("".join))
_names = st.one_of(st.sampled_from(["name", "http", "http_inject", "", "http://host"]), st.text())


@given(name=_names, key=_keys)
def test_normalising_twice_is_normalising_once(name, key):
    """The normalised key is its own normal form, whatever went in."""
    once = normalise_key(name, key)
    assert normalise_key(name, once) == once


@given(
    host=st.from_regex(r"[a-z][a-z0-9]{0,10}(\.[a-z]{2,5})?", fullmatch=True),
    port=st.none() | st.integers(1, 65535),
    user=st.none() | st.from_regex(r"[a-z]{1,8}(:[a-z]{1,8})?", fullmatch=True),
    slashes=st.integers(0, 3),
    upper=st.booleans(),
)
def test_a_decorated_url_has_the_target_of_the_plain_one(host, port, user, slashes, upper):
    """Credentials, letter case, trailing slashes and a fragment never change the target."""
    end = "" if port is None else f":{port}"
    plain = f"http://{host}{end}"
    shown = host.upper() if upper else host
    decorated = f"http://{user + '@' if user else ''}{shown}{end}{'/' * slashes}#frag"
    assert normalise_key("r", f"r:{decorated}") == normalise_key("r", plain)
