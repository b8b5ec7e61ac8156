"""The target: one name for one backend, however the user spelt its URL.

Evidence and the run lock must see one backend where people see one (docs/writing-a-runtime.md,
"Lock key"). Secrets in the URL are removed: a target is shown, recorded and pushed.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
from urllib.parse import SplitResult, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_THIS_MACHINE = frozenset({"localhost", "::1", "0.0.0.0"})  # noqa: S104 - compared, never bound
_HASHED_QUERY = re.compile(r"sha256-[0-9a-f]{16}")


def target_of(identity: str, runtime_name: str, key: str) -> str:
    """Return the target of a runtime: the identity of its plugin, and the backend that `key` names.

    `identity` depends neither on the spelling on the command line nor on the machine. A key that
    only repeats the runtime's name is left out.
    """
    if key == runtime_name:
        return identity
    return f"{identity}|{normalise_key(runtime_name, key)}"


def normalise_key(runtime_name: str, key: str) -> str:
    """Return the canonical spelling of `key`, the name of a backend.

    A leading `runtime_name:` is removed. In a URL, scheme and host become lower-case, names of this
    machine become 127.0.0.1, user info, default port, trailing slashes and fragment are removed,
    and the query is replaced by a short hash. Anything else is only stripped. A second call changes
    nothing.
    """
    current = key
    # Removing one prefix can uncover another, as in "name: name:http://...".
    while (after := _normalise_once(runtime_name, current)) != current:
        current = after
    return current


def _normalise_once(runtime_name: str, key: str) -> str:
    bare = key.strip()
    rest = bare.removeprefix(f"{runtime_name}:").strip()
    if not rest or rest.startswith("//"):  # the prefix is the whole key, or the scheme of a URL
        rest = bare
    return _normalise_url(rest) or rest


def _normalise_url(text: str) -> str | None:
    """Return the canonical spelling of a URL with scheme and host; None for anything else."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:  # a port that is no number, brackets that hold no address
        return None
    host = _host(parts)
    if not parts.scheme or not host:
        return None
    where = host if port in {None, _DEFAULT_PORTS.get(parts.scheme)} else f"{host}:{port}"
    return f"{parts.scheme}://{where}{_path(parts.path)}{_query(parts.query)}"


def _host(parts: SplitResult) -> str | None:
    name = parts.hostname
    if not name or re.search(r"\s", name):
        return None
    if ":" in name:
        name = _short_address(name)
    if name in _THIS_MACHINE:
        return "127.0.0.1"
    return f"[{name}]" if ":" in name else name


def _short_address(name: str) -> str:
    try:
        return ipaddress.IPv6Address(name).compressed
    except ValueError:
        return name


def _path(path: str) -> str:
    while path != (shorter := path.removesuffix("/").rstrip()):
        path = shorter
    return path


def _query(query: str) -> str:
    """Return a hash in place of `query`, which may hold an access key."""
    if not query:
        return ""
    if _HASHED_QUERY.fullmatch(query):  # by an earlier normalisation
        return f"?{query}"
    digest = hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()
    return f"?sha256-{digest[:16]}"
