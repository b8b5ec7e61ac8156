"""Where things are in an index file: entries, and the extensions that follow them.

The format is git's own (`gitformat-index`), versions 2 to 4, with either hash.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = struct.Struct(">4sII")
STAT_BYTES = 40
_EXTENDED, _NAME_MASK = 0x4000, 0x0FFF
_PADDED_VERSIONS = {2, 3}


def entry_positions(raw: bytes, hash_bytes: int) -> Iterator[int]:
    """Yield where each entry begins: its `STAT_BYTES`, then its id, flags and name."""
    _, version, count = HEADER.unpack_from(raw)
    at = HEADER.size
    for _ in range(count):
        yield at
        at = _after(raw, at, STAT_BYTES + hash_bytes + 2, padded=version in _PADDED_VERSIONS)


def _after(raw: bytes, at: int, fixed: int, *, padded: bool) -> int:
    """Return where the entry at `at` ends."""
    name = at + fixed
    flags = int.from_bytes(raw[name - 2 : name], "big")
    if flags & _EXTENDED:
        name += 2
    if padded:
        length = flags & _NAME_MASK
        end = name + length if length < _NAME_MASK else raw.index(0, name)
        return at + ((end - at + 8) & ~7)
    # Version 4: how much of the last name to drop, a number in groups of 7 bits; then the rest.
    while raw[name] & 0x80:
        name += 1
    return raw.index(0, name + 1) + 1


def extension_names(raw: bytes, hash_bytes: int) -> set[bytes]:
    """Return the four letters of each extension in an index file."""
    _, version, count = HEADER.unpack_from(raw)
    at = HEADER.size
    if count:
        *_, last = entry_positions(raw, hash_bytes)
        at = _after(raw, last, STAT_BYTES + hash_bytes + 2, padded=version in _PADDED_VERSIONS)
    names = set()
    while at < len(raw) - hash_bytes:
        names.add(raw[at : at + 4])
        at += 8 + int.from_bytes(raw[at + 4 : at + 8], "big")
    return names
