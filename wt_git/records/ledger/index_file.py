"""Opens, makes and updates the index file of a ledger, under the lock of those who append rows."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from typing import TYPE_CHECKING

from wt_git import files
from wt_git.records import layout
from wt_git.records.ledger.index import Index, identity

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

_SAFE_IN_URI = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
_PATIENCE_S = 0.2


def open_private(*, large: bool) -> Index:
    """Return an empty index that nobody else sees and that goes when it is closed."""
    import sqlite3  # noqa: PLC0415 - for commands that ask a ledger

    # With an empty name SQLite keeps what does not fit its cache in a file without a name.
    name = "" if large else ":memory:"
    connection = sqlite3.connect(name, isolation_level=None, check_same_thread=False)
    return _careless(connection, "OFF")


def open_file(path: Path, *, mode: str) -> Index:
    """Open the index at `path`: `ro` to ask it, `rw` to add to it, `new` to make it."""
    import sqlite3  # noqa: PLC0415 - for commands that ask a ledger

    quoted = "".join(
        chr(byte) if byte in _SAFE_IN_URI else f"%{byte:02x}"
        for byte in os.fsencode(path.absolute())
    )
    connection = sqlite3.connect(
        f"file:{quoted}?mode={'ro' if mode == 'ro' else 'rw'}",
        uri=True,
        isolation_level=None,
        timeout=_PATIENCE_S,
        check_same_thread=False,
    )
    return _careless(connection, "OFF" if mode == "new" else "MEMORY")


def _careless(connection: sqlite3.Connection, journal: str) -> Index:
    """Neither synced nor journalled on disk: what was not written to its end does not count."""
    try:
        for pragma in (f"journal_mode = {journal}", "synchronous = OFF", "trusted_schema = OFF"):
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return Index(connection)


_TICKS = 8
_TICK_S = 0.005
_LOCK_TRIES = 300
_LOCK_PAUSE_S = 0.01
_COMPANIONS = ("-journal", "-wal", "-shm")


def append_row(runs_dir: Path, line: str) -> None:
    """Append a row to the ledger, wait until it is on disk, and bring the index forward.

    Raises `OSError` when the ledger cannot be written. What goes wrong with the index only means
    that it is made again later.
    """
    with files.locked_for_append(runs_dir / layout.LEDGER) as descriptor:
        index = usable_index(runs_dir, descriptor, to_write=True)
        try:
            start = files.append_to(descriptor, line)
            stamped = _stamp(descriptor) if index is not None else None
            os.fsync(descriptor)
            if index is not None and stamped is not None:
                _bring_forward(runs_dir, index, (start, line), stamped)
        finally:
            if index is not None:
                index.close()


def usable_index(runs_dir: Path, descriptor: int, *, to_write: bool = False) -> Index | None:
    """Return the index if it is about the open ledger as it is now, with a transaction begun."""
    path = runs_dir / layout.LEDGER_INDEX
    try:
        if not stat.S_ISREG(path.lstat().st_mode):  # opening a pipe would wait for its other end
            return None
    except OSError:
        return None
    index = None
    try:
        index = open_file(path, mode="rw" if to_write else "ro")
        index.begin(to_write=to_write)
        if index.is_ours():
            ledger = os.fstat(descriptor)
            about = index.is_about(identity(ledger))
            # Asked last: from the first question on nobody else can write.
            if about and path.lstat().st_mtime_ns == ledger.st_mtime_ns:
                return index
    except Exception:  # noqa: BLE001, S110 - a file that can be made again, whatever is wrong with it
        pass
    if index is not None:
        index.close()
    return None


def make_index(runs_dir: Path, descriptor: int, *, anew: bool) -> bool:
    """Make the index of the open ledger again; say whether there is a usable one now.

    The ledger stays locked until `descriptor` is closed. Another process may have made the index in
    the meantime, which is enough unless it has to be `anew`. False where it cannot be kept: in a
    folder that is read-only, on a file system without locks.
    """
    try:
        if not _locked(descriptor):
            return False
        if not anew and (made := usable_index(runs_dir, descriptor)) is not None:
            made.close()
            return True
        return _made(runs_dir, descriptor)
    except Exception:  # noqa: BLE001 - then the ledger is read without one
        return False


def _locked(descriptor: int) -> bool:
    for _ in range(_LOCK_TRIES):
        if files.try_lock(descriptor):
            return True
        time.sleep(_LOCK_PAUSE_S)
    return False


def _made(runs_dir: Path, descriptor: int) -> bool:
    new = runs_dir / layout.LEDGER_INDEX_IN_THE_MAKING
    before = _settled(new, descriptor)
    if before is None:
        new.unlink(missing_ok=True)
        return False
    index = open_file(new, mode="new")
    try:
        index.build(descriptor)
        index.set_identity(identity(before))
        index.end()
    finally:
        index.close()
    if identity(os.fstat(descriptor)) != identity(before):
        new.unlink(missing_ok=True)
        return False
    path = runs_dir / layout.LEDGER_INDEX
    for companion in _COMPANIONS:  # of another program; SQLite would take them for ours
        path.with_name(path.name + companion).unlink(missing_ok=True)
    _mark(new, before)
    new.replace(path)
    return True


def _settled(new: Path, descriptor: int) -> os.stat_result | None:
    """Return the state of the ledger once every later change will show in its times.

    The clock of a file system advances in ticks, and two changes within one look alike. A file
    that is written now tells what time it is there.
    """
    for _ in range(_TICKS):
        files.write_whole(new, b"")
        ledger = os.fstat(descriptor)
        if new.stat().st_ctime_ns > ledger.st_ctime_ns:
            return ledger
        time.sleep(_TICK_S)
    return None


def _stamp(descriptor: int) -> os.stat_result | None:
    """Give the ledger a time that no later change can have: a moment ago. None if that fails.

    Without it, a change by others within the same tick of the clock could not be told from ours.
    """
    with contextlib.suppress(OSError):  # only the owner of a file may
        written = os.fstat(descriptor)
        os.utime(descriptor, ns=(written.st_atime_ns, written.st_mtime_ns - 1))
        stamped = os.fstat(descriptor)
        if stamped.st_mtime_ns < written.st_mtime_ns and stamped.st_size == written.st_size:
            return stamped
    return None


def _mark(path: Path, ledger: os.stat_result) -> None:
    """Make the index count: it was written to its end, for this state of the ledger."""
    os.utime(path, ns=(ledger.st_mtime_ns, ledger.st_mtime_ns))


def _bring_forward(
    runs_dir: Path, index: Index, appended: tuple[int, str], ledger: os.stat_result
) -> None:
    start, line = appended
    with contextlib.suppress(Exception):
        index.add(start, line.encode("utf-8", "surrogatepass") + b"\n")
        index.set_identity(identity(ledger))
        index.end()
        _mark(runs_dir / layout.LEDGER_INDEX, ledger)
