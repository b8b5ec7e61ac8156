"""Deleting an agent's SQLite state between runs; schema and search index stay intact."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_RESET = (
    "DELETE FROM messages",
    "DELETE FROM sessions",
    "DELETE FROM state_meta WHERE key <> 'db_initialized'",
    "INSERT INTO messages_fts(messages_fts) VALUES ('rebuild')",
    "INSERT INTO messages_fts_trigram(messages_fts_trigram) VALUES ('rebuild')",
)


@dataclass
class StateResetConfig:
    """The database to reset; with `keep_state` it is not changed."""

    state_db_path: Path
    keep_state: bool = False


def reset_state_db(cfg: StateResetConfig) -> None:
    """Delete every message and session in one transaction; the schema version stays.

    Raises `FileNotFoundError` when there is no database, and `sqlite3.OperationalError` when a table
    is missing.
    """
    if cfg.keep_state:
        return
    path = cfg.state_db_path.absolute()
    if not path.is_file():
        raise FileNotFoundError(f"no state database at {path}")
    # Mode rw: a file deleted since the check above is not created again.
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True)) as database, database:
        for statement in _RESET:
            database.execute(statement)
