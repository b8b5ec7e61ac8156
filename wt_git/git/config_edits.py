"""Reading and writing single values of a repository's own configuration, through git."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from wt_git.git.process import ask, failure, run

if TYPE_CHECKING:
    from pathlib import Path

    import pygit2

# What `git config --get` ends with when nothing is set.
_UNSET = 1


class Origin(NamedTuple):
    """A value and who says it: `scope` is system, global, local, worktree or command."""

    value: str
    scope: str
    file: str


def values(folder: Path, name: str, *, local: bool = False) -> list[str]:
    """Return every value of `name` that holds in `folder`; only the repository's own if `local`."""
    answer = _asked(folder, *(["--local"] if local else []), "-z", "--get-all", name)
    return [os.fsdecode(one) for one in answer.split(b"\0")[:-1]]


def origin(folder: Path, name: str) -> Origin | None:
    """Return the value of `name`, a path, that holds in `folder`, with `~` expanded."""
    found = _asked(folder, "--show-scope", "--show-origin", "-z", "--type=path", "--get", name)
    if not found:
        return None
    scope, file, value = (os.fsdecode(one) for one in found.split(b"\0")[:3])
    return Origin(value, scope, file.removeprefix("file:"))


def setting(repository: pygit2.Repository, name: str) -> str | None:
    """Return the value of `name` that holds in a repository that is open anyway; None if unset."""
    try:
        return repository.config[name]
    except (KeyError, UnicodeDecodeError):
        return None


def put(folder: Path, name: str, value: str) -> None:
    """Set `name` in the repository's own configuration, in place of any other value there."""
    run(("config", "--local", "--replace-all", name, value), cwd=folder)


def add(folder: Path, name: str, value: str) -> None:
    """Add a value of `name` to the repository's own configuration."""
    run(("config", "--local", "--add", name, value), cwd=folder)


def _asked(folder: Path, *args: str) -> bytes:
    answer = ask(("config", *args), cwd=folder)
    if answer.status not in {0, _UNSET}:
        raise failure(("config", *args), folder, answer)
    return answer.out if answer.status == 0 else b""
