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

_TRUE = frozenset({"true", "yes", "on"})
# The exit status of `git config --get` if the name is not set.
_UNSET = 1


class GitConfig(msgspec.Struct, frozen=True):
    """The configuration of a repository, from all files.

    `values` maps a name to its value, with section and key in lower case. A key without `=` has the
    value `true`. `digest` changes with the content.
    """

    values: Mapping[str, str]
    digest: str = ""

    def get(self, name: str) -> str | None:
        """Return the value of `name`; None when it is not set."""
        return self.values.get(name)

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a boolean as git reads it: any number but 0 is true."""
        value = self.values.get(name)
        if value is None:
            return default
        word = value.strip().lower()
        return word in _TRUE or (word.lstrip("+-").isdigit() and int(word) != 0)

    def subsections(self, section: str, key: str) -> dict[str, str]:
        """Return the value of every `section.<name>.key`, by name."""
        start, end = f"{section}.", f".{key}"
        return {
            name[len(start) : -len(end)]: value
            for name, value in self.values.items()
            if name.startswith(start) and name.endswith(end) and len(name) > len(start) + len(end)
        }


def read_config(folder: Path) -> GitConfig:
    """Return the configuration that applies in `folder`. Raises `GitError`."""
    return parse_config(run(("config", "--list", "-z", "--includes"), cwd=folder))


def parse_config(listing: bytes) -> GitConfig:
    """Return the configuration in the output of `git config --list -z`; the last value of a name wins.

    The digest depends on the order of the values, not on their files.
    """
    values: dict[str, str] = {}
    for item in listing.split(b"\0"):
        if item:
            name, separator, value = os.fsdecode(item).partition("\n")
            values[name] = value if separator else "true"
    return GitConfig(values, hashlib.sha256(listing).hexdigest())


class ConfigOrigin(NamedTuple):
    """A value and its source: `scope` is system, global, local, worktree or command."""

    value: str
    scope: str
    file: str


def config_values(folder: Path, name: str, *, local: bool = False) -> list[str]:
    """Return all values of `name` in `folder`, with `local` only those of the repository itself."""
    answer = _get_config(folder, *(["--local"] if local else []), "-z", "--get-all", name)
    return [os.fsdecode(one) for one in answer.split(b"\0")[:-1]]


def config_origin(folder: Path, name: str) -> ConfigOrigin | None:
    """Return the value of the path `name` in `folder`, with `~` expanded."""
    found = _get_config(folder, "--show-scope", "--show-origin", "-z", "--type=path", "--get", name)
    if not found:
        return None
    scope, file, value = (os.fsdecode(one) for one in found.split(b"\0")[:3])
    return ConfigOrigin(value, scope, file.removeprefix("file:"))


def set_config_value(folder: Path, name: str, value: str) -> None:
    """Set `name` in the repository's own configuration and replace all values there."""
    run(("config", "--local", "--replace-all", name, value), cwd=folder)


def add_config_value(folder: Path, name: str, value: str) -> None:
    """Add a value of `name` to the repository's own configuration."""
    run(("config", "--local", "--add", name, value), cwd=folder)


def _get_config(folder: Path, *args: str) -> bytes:
    answer = ask(("config", *args), cwd=folder)
    if answer.status not in {0, _UNSET}:
        raise failure(("config", *args), folder, answer)
    return answer.out if answer.status == 0 else b""
