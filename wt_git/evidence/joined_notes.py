"""Notes of several origins read together, where one may not take back what another says.

Within one notes ref, what was pruned anywhere is gone everywhere. A fork must not have that power: it
could prune the failures that stand in its way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class NotesSource(Protocol):
    """What coverage reads notes from; `wt_git.git.note_view.NotesView` is one."""

    def __bool__(self) -> bool:
        """Whether there are any notes."""
        ...

    def sweeps(self, tree_id: str, /) -> Mapping[str, tuple[bytes, ...]]:
        """Return the lines of each sweep's note under a tree, by sweep id."""
        ...

    def record_keys(self) -> Iterator[str]:
        """Yield every tree that has such notes."""
        ...


class JoinedNotes:
    """All that `sources` say, each for itself."""

    def __init__(self, *sources: NotesSource) -> None:
        self._sources = sources

    def __bool__(self) -> bool:
        """Whether any of them has notes."""
        return any(self._sources)

    def sweeps(self, tree_id: str, /) -> dict[str, tuple[bytes, ...]]:
        """Return the lines of each sweep's note under a tree, those of all sources together."""
        lines: dict[str, set[bytes]] = {}
        for source in self._sources:
            for sweep_id, found in source.sweeps(tree_id).items():
                lines.setdefault(sweep_id, set()).update(found)
        return {sweep_id: tuple(sorted(found)) for sweep_id, found in lines.items()}

    def record_keys(self) -> Iterator[str]:
        """Yield every tree that any of them has notes under, each once."""
        yield from sorted({key for source in self._sources for key in source.record_keys()})
