"""Wiping an agent's SQLite state between runs, keeping its schema and its search index sound."""

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
    """Which database to wipe; `keep_state` turns the reset into nothing."""

    state_db_path: Path
    keep_state: bool = False


def reset_state_db(cfg: StateResetConfig) -> None:
    """Forget every message and session in one transaction; doing it twice changes nothing.

    The schema version stays. Raises `FileNotFoundError` when there is no database, rather than
    creating an empty one, and `sqlite3.OperationalError` when a table is missing.
    """
    if cfg.keep_state:
        return
    path = cfg.state_db_path.absolute()
    if not path.is_file():
        raise FileNotFoundError(f"no state database at {path}")
    # Mode rw closes the gap between the test above and the opening.
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True)) as database, database:
        for statement in _RESET:
            database.execute(statement)
