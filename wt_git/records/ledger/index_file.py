"""The file of a ledger's index: its state, its cursor, and appending a row under it.

The file begins with the state of the ledger that the index is about. `append_row` writes only the new
state; the index covers the ledger up to its cursor, and the lines behind it are read. The index
is valid only while it is about the ledger as it is now (docs/ladder.md, "The ledger's index"); after any
other change it is made again.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

import msgspec

from wt_git import files
from wt_git.records import layout
from wt_git.records.ledger.index import ENTRY, VERSION, Content, Index

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC = b"wt ledger index "
STATE_BYTES = 256
_TICKS = 8
_TICK_S = 0.005
_LOCK_TRIES = 300
_LOCK_PAUSE_S = 0.01


def identity(status: os.stat_result) -> str:
    """Return a text that differs once a file was written, replaced or touched."""
    return f"{status.st_dev}:{status.st_ino}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}"


def append_row(runs_dir: Path, line: str) -> None:
    """Append a row to the ledger, wait until it is on disk, and keep the index valid.

    Raises `OSError` when the ledger cannot be written. If the index cannot be kept valid, it is made
    again later.
    """
    path = runs_dir / layout.LEDGER_INDEX
    with files.locked_for_append(runs_dir / layout.LEDGER) as ledger:
        is_valid = _valid_data(path, ledger, STATE_BYTES) is not None
        files.append_to(ledger, line)
        stamped = _stamp(ledger) if is_valid else None
        os.fsync(ledger)
        if stamped is not None:
            with contextlib.suppress(OSError):
                files.write_over(path, _state(stamped))
                _mark(path, stamped)


def read_index(runs_dir: Path, ledger: int) -> Index | None:
    """Return the index if it is about the open ledger as it is now."""
    found = _valid_data(runs_dir / layout.LEDGER_INDEX, ledger)
    if found is None:
        return None
    data, status = found
    try:
        content = msgspec.msgpack.decode(memoryview(data)[STATE_BYTES:], type=Content)
        is_whole = content.version == VERSION and len(content.entries) % ENTRY.size == 0
        if not is_whole or not 0 <= content.end <= status.st_size:
            return None
        index = Index(identity(status), content)
        index.extend(ledger, status.st_size)
    except (OSError, ValueError):  # msgspec's errors are values'
        return None
    return index


def make_index(runs_dir: Path, ledger: int, *, anew: bool) -> Index | None:
    """Return an index of the open ledger that is kept for others; None where it cannot be kept.

    That is in a folder that is read-only, or on a file system without locks. The ledger stays locked
    until its descriptor is closed. Another process may have made the index meanwhile, which is enough
    unless it has to be made `anew`.
    """
    try:
        if not _locked(ledger):
            return None
        if not anew and (made := read_index(runs_dir, ledger)) is not None:
            return made
        path = runs_dir / layout.LEDGER_INDEX
        status = _settled(path, ledger)
        if status is None:
            return None
        index = Index(identity(status))
        index.extend(ledger, status.st_size)
        return index if _write(path, index, ledger, status) else None
    except (OSError, ValueError):
        return None


def write_again(runs_dir: Path, ledger: int, index: Index) -> None:
    """Write an index that was read, and covers more than when it was written."""
    with contextlib.suppress(OSError, ValueError):
        path = runs_dir / layout.LEDGER_INDEX
        if files.try_lock(ledger) and _valid_data(path, ledger, STATE_BYTES) is not None:
            _write(path, index, ledger, os.fstat(ledger))


def _write(path: Path, index: Index, ledger: int, status: os.stat_result) -> bool:
    """Write the file; say whether the ledger is still as it was."""
    if index.end != status.st_size or identity(os.fstat(ledger)) != identity(status):
        return False
    files.write_whole(path, _state(status) + index.packed())
    _mark(path, status)
    return True


def _state(ledger: os.stat_result) -> bytes:
    """Return the beginning of an index of a ledger in this state, written since the machine started.

    It is never synced to the disk, so after another start nothing is known of it.
    """
    boot = b""
    with contextlib.suppress(OSError), open("/proc/sys/kernel/random/boot_id", "rb") as stream:  # noqa: PTH123
        boot = stream.read().strip()
    said = b"%s%d\n%s\n%s\n" % (_MAGIC, VERSION, identity(ledger).encode(), boot)
    return said.ljust(STATE_BYTES)


def _mark(index: Path, ledger: os.stat_result) -> None:
    """Make the index valid: a later write into it changes its time."""
    os.utime(index, ns=(ledger.st_mtime_ns, ledger.st_mtime_ns))


def _valid_data(
    path: Path, ledger: int, most: int | None = None
) -> tuple[bytes, os.stat_result] | None:
    """Return the data of the index, of it `most` bytes, and the state of the ledger that it is about.

    None unless that is the state of the open ledger now.
    """
    try:
        index = files.open_regular(path)
        if index is None:
            return None
        with os.fdopen(index, "rb") as stream:
            data = stream.read(most)
            written = os.fstat(index).st_mtime_ns
        status = os.fstat(ledger)
    except OSError:
        return None
    is_valid = written == status.st_mtime_ns and data[:STATE_BYTES] == _state(status)
    return (data, status) if is_valid else None


def _locked(descriptor: int) -> bool:
    for _ in range(_LOCK_TRIES):
        if files.try_lock(descriptor):
            return True
        time.sleep(_LOCK_PAUSE_S)
    return False


def _settled(path: Path, ledger: int) -> os.stat_result | None:
    """Return the state of the ledger once every later change will show in its times.

    The clock of a file system advances in ticks, and two changes within one look alike. A file
    that is written now shows the present time of the file system.
    """
    for _ in range(_TICKS):
        files.write_whole(path, b"")
        status = os.fstat(ledger)
        if path.stat().st_ctime_ns > status.st_ctime_ns:
            return status
        time.sleep(_TICK_S)
    return None


def _stamp(ledger: int) -> os.stat_result | None:
    """Give the ledger a time that no later change can have: a moment ago. None if that fails.

    Without it, a change by others within the same tick of the clock could not be told from ours.
    """
    with contextlib.suppress(OSError):  # only the owner of a file may
        written = os.fstat(ledger)
        os.utime(ledger, ns=(written.st_atime_ns, written.st_mtime_ns - 1))
        stamped = os.fstat(ledger)
        if stamped.st_mtime_ns < written.st_mtime_ns and stamped.st_size == written.st_size:
            return stamped
    return None
