"""Who a commit of ours is by: whom git would say, else the program itself."""

from __future__ import annotations

import os
import re
import socket
from typing import TYPE_CHECKING

from wt_git.clock import as_utc

if TYPE_CHECKING:
    from datetime import datetime

    import pygit2

_NOT_IN_A_NAME = re.compile(r"[<>\x00-\x1f\x7f]")


def signature(repository: pygit2.Repository, now: datetime) -> pygit2.Signature:
    """Return the committer that git would name, at the time `now`.

    Where neither environment nor configuration names one, as on a CI machine, the program names
    itself and the host: servers refuse commits without an address.
    """
    import pygit2  # noqa: PLC0415

    name = _said(repository, "name") or "Wind Tunnel"
    email = _said(repository, "email") or f"wind-tunnel@{_cleaned(socket.gethostname()) or 'host'}"
    return pygit2.Signature(name, email, int(as_utc(now).timestamp()), 0, "utf-8")


def _said(repository: pygit2.Repository, part: str) -> str:
    variable = os.environ.get(f"GIT_COMMITTER_{part.upper()}", "")  # noqa: TID251 - as git does
    configured = [_setting(repository, f"{role}.{part}") for role in ("committer", "user")]
    return next((text for text in map(_cleaned, (variable, *configured)) if text), "")


def _setting(repository: pygit2.Repository, name: str) -> str:
    try:
        return repository.config[name] or ""
    except (KeyError, UnicodeDecodeError):
        return ""


def _cleaned(text: str) -> str:
    return _NOT_IN_A_NAME.sub("", text.encode("utf-8", "replace").decode()).strip()
