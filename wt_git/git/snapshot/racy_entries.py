"""Index entries whose time stamps could hide an edit: their time stamps are cleared.

Git compares times by the second. An entry that was checked in the same second in which the file last
changed does not show a later edit in that second which restores the old time. In the repository's own
index the older stamp, or the time of the index file, still shows such an edit. Where git renewed the
stamps of a copy, these entries lose theirs, so that git reads the content again.
"""

from __future__ import annotations

import hashlib
import os
import struct
from typing import TYPE_CHECKING, NamedTuple

from wt_git.git.snapshot.index_file import HEADER, STAT_BYTES, entry_positions

if TYPE_CHECKING:
    from pathlib import Path

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
