"""The shell scripts that git runs, as they are shipped, and as they stand in a repository.

They are files of the project's folder `hooks`. A wheel carries them beside this module; an editable
installation leaves them where they are.
"""

from __future__ import annotations

import re
from pathlib import Path

from wt_git.errors import StorageError

_BESIDE = Path(__file__).with_name("shims")
_IN_THE_PROJECT = Path(__file__).parents[2] / "hooks"
_IDENTITY = re.compile(r"# wind-tunnel git hook: (?P<name>[a-z-]+)\b")
_FIRST_LINES = 4
# Repositories share some hook folders, and only those that `wt init` set up are ours.
_GUARD = (
    "git config windtunnel.python >/dev/null ||"
    ' { [ ! -x "$0.chained" ] || exec "$0.chained" "$@"; exit 0; }'
)


def shim(name: str, *, shared: bool = False) -> str:
    """Return the script for the hook `name`.

    In a `shared` folder it passes over repositories that were never set up. Raises `StorageError`
    where the installation lacks it.
    """
    for folder in (_BESIDE, _IN_THE_PROJECT):
        try:
            text = (folder / name).read_text("utf-8")
        except FileNotFoundError:
            continue
        return _guarded(text) if shared else text
    raise StorageError(
        f"this installation of wt lacks the script for {name}: it is neither in '{_BESIDE}' nor in "
        f"'{_IN_THE_PROJECT}'",
        hints=("pip install --force-reinstall wt-git",),
    )


def _guarded(text: str) -> str:
    """Put the guard below the comments at the top."""
    lines = text.split("\n")
    at = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    return "\n".join([*lines[:at], _GUARD, *lines[at:]])


def hook_in(path: Path) -> str | None:
    """Return which hook of ours the file `path` is, in whatever version; None when it is not one."""
    try:
        head = path.read_bytes()[:1000].decode("utf-8", "replace")
    except OSError:
        return None
    for line in head.split("\n")[:_FIRST_LINES]:
        if found := _IDENTITY.match(line):
            return found["name"]
    return None
