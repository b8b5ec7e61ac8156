"""Entry points of installed packages; nothing is loaded until it is asked for."""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.metadata import EntryPoint


def installed(group: str) -> list[EntryPoint]:
    """Return the entry points of `group`, one for each (name, value), in a stable order."""
    if not _may_be_named(group):
        return []
    # Costs more to import than a bare interpreter takes to start, so only when it is needed.
    from importlib.metadata import entry_points  # noqa: PLC0415

    unique = {(point.name, point.value): point for point in entry_points(group=group)}
    return [unique[key] for key in sorted(unique)]


def _may_be_named(group: str) -> bool:
    """Say whether any installed package may name `group`: False only where that is certain."""
    if any(hasattr(one, "find_distributions") and one is not PathFinder for one in sys.meta_path):
        return True  # packages may be anywhere
    return any(_is_named_in(place, group.encode()) for place in sys.path)


def _is_named_in(place: str, group: bytes) -> bool:
    if os.path.isfile(place):  # noqa: PTH113 - a few thousand names, and a Path for each costs most
        return True  # an archive
    return any(group in text for text in _declarations(place or "."))


def _declarations(place: str) -> Iterator[bytes]:
    """Yield what the packages in a folder declare as their entry points."""
    try:
        names = os.listdir(place)  # noqa: PTH208
    except OSError:
        return
    for name in names:
        if name.lower().endswith((".dist-info", ".egg-info")) or name.lower() == "egg-info":
            try:
                with open(f"{place}/{name}/entry_points.txt", "rb") as stream:  # noqa: PTH123
                    yield stream.read()
            except OSError:
                continue
