"""The address of an agent's endpoint: its URL, parsed and checked, and the proxy in front of it."""

from __future__ import annotations

import base64
import ipaddress
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

DEFAULT_BASE_URL = "http://127.0.0.1:8647"
URL_VARIABLE = "WT_INJECT_URL"

_DEFAULT_PORTS = {"http": 80, "https": 443}


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
