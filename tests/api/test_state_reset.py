"""Wiping an agent's state between runs, on real databases."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from wt_git.api.state_reset import StateResetConfig, reset_state_db

SCHEMA = """
    CREATE TABLE messages(id INTEGER PRIMARY KEY, content TEXT);
    CREATE TABLE sessions(id INTEGER PRIMARY KEY);
    CREATE TABLE state_meta(key TEXT PRIMARY KEY, value TEXT);
    CREATE TABLE schema_version(version INTEGER);
    CREATE VIRTUAL TABLE messages_fts USING fts5(content, content=messages, content_rowid=id);
    CREATE VIRTUAL TABLE messages_fts_trigram
        USING fts5(content, content=messages, content_rowid=id, tokenize=trigram);
    INSERT INTO messages VALUES (1, 'hello there');
    INSERT INTO messages_fts(rowid, content) VALUES (1, 'hello there');
    INSERT INTO messages_fts_trigram(rowid, content) VALUES (1, 'hello there');
    INSERT INTO sessions VALUES (1), (2);
    INSERT INTO state_meta VALUES ('db_initialized', 'yes'), ('last_user', 'ann');
    INSERT INTO schema_version VALUES (7);
"""


@pytest.fixture
def database(tmp_path):
    """A state database with one conversation in it; the name needs quoting in a URI."""
    path = tmp_path / "state 50%?#.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA)
    return path


def ask(path, query):
    """All rows of a query."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def contents(path):
    """Everything that a reset touches or must not touch, and what each index still finds."""
    return {
        "messages": ask(path, "SELECT count(*) FROM messages"),
        "sessions": ask(path, "SELECT count(*) FROM sessions"),
        "meta": ask(path, "SELECT * FROM state_meta ORDER BY key"),
        "version": ask(path, "SELECT * FROM schema_version"),
        "words": ask(path, "SELECT rowid FROM messages_fts WHERE messages_fts MATCH 'hello'"),
        "parts": ask(
            path,
            "SELECT rowid FROM messages_fts_trigram WHERE messages_fts_trigram MATCH 'ello'",
        ),
    }


WIPED = {
    "messages": [(0,)],
    "sessions": [(0,)],
    "meta": [("db_initialized", "yes")],
    "version": [(7,)],
    "words": [],
    "parts": [],
}


def test_a_reset_forgets_conversations_and_keeps_the_schema(database):
    """Messages, sessions and their indexes are gone; versions and initialisation stay."""
    assert contents(database)["words"] == contents(database)["parts"] == [(1,)]
    reset_state_db(StateResetConfig(database))
    assert contents(database) == WIPED


def test_a_second_reset_changes_nothing(database):
    """It may be done before every run."""
    for _ in range(2):
        reset_state_db(StateResetConfig(database))
    assert contents(database) == WIPED


def test_state_may_be_kept(tmp_path, database):
    """Then nothing happens, not even when there is no database."""
    before = database.read_bytes()
    reset_state_db(StateResetConfig(database, keep_state=True))
    assert database.read_bytes() == before
    reset_state_db(StateResetConfig(tmp_path / "none.db", keep_state=True))


def test_a_missing_database_is_refused_and_not_created(tmp_path):
    """An empty database would look like a clean agent."""
    path = tmp_path / "none.db"
    with pytest.raises(FileNotFoundError, match=r"none\.db"):
        reset_state_db(StateResetConfig(path))
    assert not path.exists()


@pytest.mark.parametrize(
    "table", ["messages", "sessions", "state_meta", "messages_fts", "messages_fts_trigram"]
)
def test_a_missing_table_undoes_the_reset(database, table):
    """A reset is done as a whole or not at all, and says which table is missing."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute(f"DROP TABLE {table}")
    with pytest.raises(sqlite3.OperationalError, match=table):
        reset_state_db(StateResetConfig(database))
    kept = "state_meta" if table == "sessions" else "sessions"
    assert ask(database, f"SELECT count(*) FROM {kept}") == [(2,)]


def test_a_relative_path_is_fine(database, monkeypatch):
    """It is meant from the working directory."""
    monkeypatch.chdir(database.parent)
    reset_state_db(StateResetConfig(type(database)(database.name)))
    assert contents(database) == WIPED
