"""The index file: its entries and extensions, and entries whose time stamps could hide an edit."""

from __future__ import annotations

import hashlib
import os
import struct
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

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
        at = _entry_end(raw, at, STAT_BYTES + hash_bytes + 2, padded=version in _PADDED_VERSIONS)


def _entry_end(raw: bytes, at: int, fixed: int, *, padded: bool) -> int:
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
        at = _entry_end(raw, last, STAT_BYTES + hash_bytes + 2, padded=version in _PADDED_VERSIONS)
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


_TIME_BYTES = 16
_SECOND = 1_000_000_000


class IndexFile(NamedTuple):
    """The bytes of an index and the whole second at which it was written."""

    raw: bytes
    written_s: int
    times_ns: tuple[int, int]


def read_index(path: Path) -> IndexFile:
    """Read an index file. Raises `OSError`."""
    status = path.stat()
    times = (status.st_atime_ns, status.st_mtime_ns)
    return IndexFile(path.read_bytes(), status.st_mtime_ns // _SECOND, times)


def clear_racy_times(before: IndexFile, path: Path, *, since_s: int, object_format: str) -> bool:
    """Clear the times of the entries in the index at `path` that could hide an edit.

    `before` is the index that git read; at `path` is the one it wrote. Only entries whose file changed
    its status at `since_s` (seconds since the epoch) or later are checked: their times are cleared
    when they differ from those in `before`, or when `before` was too young for a safe comparison. The
    file is replaced and keeps its own time. False when the two do not have the same entries.
    """
    after = read_index(path)
    moments = {
        struct.pack(">I", moment & 0xFFFFFFFF) for moment in range(since_s, after.written_s + 2)
    }
    # This fast search, which may find too much, almost always avoids reading all entries.
    if not any(moment in after.raw for moment in moments):
        return True
    if before.raw[: HEADER.size] != after.raw[: HEADER.size]:
        return False
    hash_bytes = hashlib.new(object_format).digest_size
    recent = [
        now
        for was, now in zip(
            entry_positions(before.raw, hash_bytes),
            entry_positions(after.raw, hash_bytes),
            strict=True,
        )
        if after.raw[now : now + 4] in moments and not _settled(before, was, after.raw, now)
    ]
    if recent:
        _replace(path, _without_times(after.raw, recent, object_format), after.times_ns)
    return True


def _settled(before: IndexFile, was: int, raw: bytes, now: int) -> bool:
    """Say whether an entry is unchanged, and older than the index in which it was."""
    modified_s = int.from_bytes(raw[now + 8 : now + 12], "big")
    same = before.raw[was : was + STAT_BYTES] == raw[now : now + STAT_BYTES]
    return same and modified_s < before.written_s


def _without_times(raw: bytes, entries: list[int], object_format: str) -> bytes:
    changed = bytearray(raw)
    for at in entries:
        changed[at : at + _TIME_BYTES] = bytes(_TIME_BYTES)
    digest = hashlib.new(object_format)
    if any(changed[-digest.digest_size :]):  # it is empty with index.skipHash
        digest.update(changed[: -digest.digest_size])
        changed[-digest.digest_size :] = digest.digest()
    return bytes(changed)


def _replace(path: Path, raw: bytes, times_ns: tuple[int, int]) -> None:
    temporary = path.with_name(f"{path.name}.times")
    temporary.write_bytes(raw)
    os.utime(temporary, ns=times_ns)
    temporary.replace(path)
