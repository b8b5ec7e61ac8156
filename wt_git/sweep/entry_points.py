"""Entry points of installed packages; nothing is loaded until it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def installed(group: str) -> list[EntryPoint]:
    """Return the entry points of `group`, one for each (name, value), in a stable order."""
    # Costs more to import than a bare interpreter takes to start, so only when it is needed.
    from importlib.metadata import entry_points  # noqa: PLC0415

    unique = {(point.name, point.value): point for point in entry_points(group=group)}
    return [unique[key] for key in sorted(unique)]
