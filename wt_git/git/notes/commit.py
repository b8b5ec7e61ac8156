"""The committer of a notes commit: the one that git is configured with, else the program itself."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.clock import as_utc
from wt_git.git.process import ask

if TYPE_CHECKING:
    from datetime import datetime

    import pygit2

_IDENTITY = re.compile(rb"(.*) <(.*)> \d+ [+-]\d+")
_NOT_IN_A_NAME = re.compile(r"[<>\x00-\x1f\x7f]")


def signature(repository: pygit2.Repository, now: datetime) -> pygit2.Signature:
    """Return the committer that git would name, at the time `now`.

    Where neither environment nor configuration names one, as on a CI machine, the program names
    itself and the host: servers refuse commits without an address.
    """
    import pygit2  # noqa: PLC0415

    environ = os.environ  # noqa: TID251 - where git looks, too
    # libgit2 does not read configuration that is named by variables; git does, and takes its time.
    elsewhere = any(variable.startswith("GIT_CONFIG") for variable in environ)
    configured = _asked(repository) if elsewhere else _configured(repository)
    named = [_cleaned(environ.get(f"GIT_COMMITTER_{part}", "")) for part in ("NAME", "EMAIL")]
    name, email = (said or set_ for said, set_ in zip(named, configured, strict=True))
    host = _cleaned(socket.gethostname()) or "host"
    return pygit2.Signature(
        name or "Wind Tunnel",
        email or f"wind-tunnel@{host}",
        int(as_utc(now).timestamp()),
        0,
        "utf-8",
    )


def _configured(repository: pygit2.Repository) -> tuple[str, str]:
    settings = repository.config
    return _first(settings, "name"), _first(settings, "email")


def _first(settings: pygit2.Config, part: str) -> str:
    for name in (f"committer.{part}", f"user.{part}"):
        try:
            found = _cleaned(settings[name] or "")
        except (KeyError, UnicodeDecodeError):
            continue
        if found:
            return found
    return ""


def _asked(repository: pygit2.Repository) -> tuple[str, str]:
    """Ask git, which makes up what it was not told only where it may."""
    folder = Path(repository.workdir or repository.path)
    answer = ask(("-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT"), cwd=folder)
    found = _IDENTITY.match(answer.out) if answer.status == 0 else None
    name, email = (found[1], found[2]) if found else (b"", b"")
    return _cleaned(name.decode("utf-8", "replace")), _cleaned(email.decode("utf-8", "replace"))


def _cleaned(text: str) -> str:
    return _NOT_IN_A_NAME.sub("", text.encode("utf-8", "replace").decode()).strip()
