"""A repository's git configuration, read once, all of its files together."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wt_git.git.process import run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_TRUE = frozenset({"true", "yes", "on"})


@dataclass(frozen=True, slots=True)
class GitConfig:
    """`values` maps a name, section and key in lower case, to the value that holds.

    A key without `=` has the value `true`. `digest` differs whenever anything in it does.
    """

    values: Mapping[str, str]
    digest: str = field(default="")

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
