"""Telling two packs of one name apart, of which one was run and the other is to be (docs/ladder.md).

A scenario is known by its pack and name. Within a sweep pack names are unique; from one sweep to the
next somebody may give the name to an easier copy. Rows say which files their sweep was decided by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.records.fingerprint import OUTSIDE, PACK_SOURCE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.records.gate_rows import GateRow

OF_ANOTHER_PACK = "of-another-pack"
"""Stands in for the fingerprint of a pass that was none of the pack in question; in no file."""


def pack_sources(sources: Mapping[str, Any]) -> set[str]:
    """Return what brought the packs of a sweep: files of the tree, other ones as they were typed."""
    found = set()
    for name, place in sources.items():
        if name.startswith(PACK_SOURCE) and isinstance(place, str):
            typed = name.removeprefix(PACK_SOURCE)
            attribute = typed.rpartition(":")[2]
            found.add(typed if place == OUTSIDE else f"{place}:{attribute}")
    return found


def pack_files(sources: Mapping[str, Any]) -> set[str]:
    """Return the same for people, without the attributes."""
    return {one.rpartition(":")[0] for one in pack_sources(sources)}


def is_of_another_pack(row: GateRow, sources: set[str]) -> bool:
    """Say whether `row` is of a sweep whose packs all came from elsewhere than `sources`.

    A row that names no source, and an installed pack, are taken by their name.
    """
    recorded = pack_sources(row.sources)
    return bool(recorded and sources) and recorded.isdisjoint(sources)
