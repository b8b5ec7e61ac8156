"""Git's configuration of a repository: read as a whole, and single values read or written."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wt_git.git.process import ask, failure, run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pygit2

_TRUE = frozenset({"true", "yes", "on"})


class GitConfig(msgspec.Struct, frozen=True):
    """`values` maps a name, section and key in lower case, to the value that holds.

    A key without `=` has the value `true`. `digest` differs whenever anything in it does.
    """

    values: Mapping[str, str]
    digest: str = ""

    def get(self, name: str) -> str | None:
        """Return the value of `name`; None when it is not set."""
        return self.values.get(name)

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a boolean as git reads it: any number but 0 is true, and so is no value."""
        value = self.values.get(name)
        if value is None:
            return default
        word = value.strip().lower()
        return word in _TRUE or (word.lstrip("+-").isdigit() and int(word) != 0)

    def subsections(self, section: str, key: str) -> dict[str, str]:
        """Return the value of every `section.<anything>.key`, by what stands in the middle."""
        start, end = f"{section}.", f".{key}"
        return {
            name[len(start) : -len(end)]: value
            for name, value in self.values.items()
            if name.startswith(start) and name.endswith(end) and len(name) > len(start) + len(end)
        }


def read_config(folder: Path) -> GitConfig:
    """Return the configuration that holds in `folder`. Raises `GitError`."""
    return parse_config(run(("config", "--list", "-z", "--includes"), cwd=folder))


def parse_config(listing: bytes) -> GitConfig:
    """Return the configuration that `git config --list -z` printed; the last value of many holds.

    The digest does not depend on which file says it, but on order, since order decides.
    """
    values: dict[str, str] = {}
    for item in listing.split(b"\0"):
        if item:
            name, separator, value = os.fsdecode(item).partition("\n")
            values[name] = value if separator else "true"
    return GitConfig(values, hashlib.sha256(listing).hexdigest())


# What `git config --get` ends with when nothing is set.
_UNSET = 1


class ConfigOrigin(NamedTuple):
    """A value and who says it: `scope` is system, global, local, worktree or command."""

    value: str
    scope: str
    file: str


def config_values(folder: Path, name: str, *, local: bool = False) -> list[str]:
    """Return every value of `name` that holds in `folder`; only the repository's own if `local`."""
    answer = _get_config(folder, *(["--local"] if local else []), "-z", "--get-all", name)
    return [os.fsdecode(one) for one in answer.split(b"\0")[:-1]]


def config_origin(folder: Path, name: str) -> ConfigOrigin | None:
    """Return the value of `name`, a path, that holds in `folder`, with `~` expanded."""
    found = _get_config(folder, "--show-scope", "--show-origin", "-z", "--type=path", "--get", name)
    if not found:
        return None
    scope, file, value = (os.fsdecode(one) for one in found.split(b"\0")[:3])
    return ConfigOrigin(value, scope, file.removeprefix("file:"))


def open_config_value(repository: pygit2.Repository, name: str) -> str | None:
    """Return the value of `name` that holds in a repository that is open anyway; None if unset."""
    try:
        return repository.config[name]
    except (KeyError, UnicodeDecodeError):
        return None


def set_config_value(folder: Path, name: str, value: str) -> None:
    """Set `name` in the repository's own configuration, in place of any other value there."""
    run(("config", "--local", "--replace-all", name, value), cwd=folder)


def add_config_value(folder: Path, name: str, value: str) -> None:
    """Add a value of `name` to the repository's own configuration."""
    run(("config", "--local", "--add", name, value), cwd=folder)


def _get_config(folder: Path, *args: str) -> bytes:
    answer = ask(("config", *args), cwd=folder)
    if answer.status not in {0, _UNSET}:
        raise failure(("config", *args), folder, answer)
    return answer.out if answer.status == 0 else b""
