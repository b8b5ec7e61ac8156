"""An index file: the positions of its entries, its extensions, and facts such as flags and submodules.

The format is git's (`gitformat-index`), versions 2 to 4, with SHA-1 or SHA-256. The facts depend on
the file alone, so they are read once for each state of it.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HEADER = struct.Struct(">4sII")
STAT_BYTES = 40
_EXTENDED, _NAME_MASK = 0x4000, 0x0FFF
_PADDED_VERSIONS = {2, 3}


def entry_positions(raw: bytes, hash_bytes: int) -> Iterator[int]:
    """Yield the position of each entry: `STAT_BYTES` of status, then id, flags and name."""
    _, version, count = HEADER.unpack_from(raw)
    at = HEADER.size
    for _ in range(count):
        yield at
        at = _after(raw, at, STAT_BYTES + hash_bytes + 2, padded=version in _PADDED_VERSIONS)


def _after(raw: bytes, at: int, fixed: int, *, padded: bool) -> int:
    """Return the end of the entry at `at`."""
    name = at + fixed
    flags = int.from_bytes(raw[name - 2 : name], "big")
    if flags & _EXTENDED:
        name += 2
    if padded:
        length = flags & _NAME_MASK
        end = name + length if length < _NAME_MASK else raw.index(0, name)
        return at + ((end - at + 8) & ~7)
    # Version 4: the number of bytes to drop from the last name, in groups of 7 bits, then the rest.
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


# `git ls-files -v -s -z`: `<tag> <mode> <id> <stage>\t<path>\0`, lower-case tags for
# assume-unchanged, S for skip-worktree.
LISTING_ARGS = ("ls-files", "-v", "-s", "-z")
_MARKS = (b"\0S ", b"\0s ", b"\0h ", b" 120000 ", b" 160000 ", b".gitattributes\0")
_SHARED = b"link"
_SPARSE = b"sdir"


class IndexFacts(msgspec.Struct, frozen=True):
    """The paths in an index that have flags or are links, and how the index is stored.

    `attributes` are the tracked `.gitattributes` files; `suffixed` are the paths with one of the
    requested suffixes.
    """

    split: bool = False
    sparse: bool = False
    assumed: tuple[bytes, ...] = ()
    skipped: tuple[bytes, ...] = ()
    gitlinks: tuple[bytes, ...] = ()
    links: tuple[bytes, ...] = ()
    attributes: tuple[bytes, ...] = ()
    suffixed: tuple[bytes, ...] = ()


def read_facts(
    listing: bytes, raw: bytes, suffixes: Sequence[str], *, hash_bytes: int
) -> IndexFacts:
    """Return the facts of an index: `listing` is the output of `LISTING_ARGS`, `raw` the file."""
    found = storage_extensions(raw, hash_bytes)
    kinds: dict[str, list[bytes]] = {}
    ends = tuple(suffix.encode("utf-8") for suffix in suffixes)
    # Most indexes have none of these: a few fast searches find that out, without reading entries.
    marks = (*_MARKS, *(end + b"\0" for end in ends))
    if any(mark in b"\0" + listing for mark in marks):
        for item in listing.split(b"\0")[:-1]:
            head, _, path = item.partition(b"\t")
            for kind in _kinds(head):
                kinds.setdefault(kind, []).append(path)
            if path.rpartition(b"/")[2] == b".gitattributes":
                kinds.setdefault("attributes", []).append(path)
            if ends and path.endswith(ends):
                kinds.setdefault("suffixed", []).append(path)
    return IndexFacts(
        split=_SHARED in found,
        sparse=_SPARSE in found,
        **{kind: tuple(paths) for kind, paths in kinds.items()},
    )


def _kinds(head: bytes) -> list[str]:
    tag, mode = head[:1], head[2:8]
    kinds = []
    if tag in b"Ss":
        kinds.append("skipped")
    elif tag.islower():
        kinds.append("assumed")
    if mode == b"160000":
        kinds.append("gitlinks")
    elif mode == b"120000":
        kinds.append("links")
    return kinds


def storage_extensions(raw: bytes, hash_bytes: int) -> set[bytes]:
    """Return the extensions among `link` (split index) and `sdir` (sparse) that an index file has."""
    # This fast search, which may find the name of a file, almost always avoids reading all entries.
    if _SHARED not in raw and _SPARSE not in raw:
        return set()
    return extension_names(raw, hash_bytes) & {_SHARED, _SPARSE}
