"""Opening the index of a ledger: the file beside it, or one that nobody else sees."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from wt_git.records.ledger_index import Index

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
