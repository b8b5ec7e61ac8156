"""Notes for tests: keys, lines, and what git itself makes of a notes ref."""

from __future__ import annotations

import hashlib
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pygit2
from hypothesis import strategies as st
from kit.repo import git

from wt_git.git.notes.store import NOTES_REF, Notes, open_notes
from wt_git.git.notes.tree import write_tree
from wt_git.git.trees import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

FOLDER, FILE = 0o040000, 0o100644
AUTHOR = pygit2.Signature("Test Author", "author@example.test", 1, 0)


def key(of: object) -> str:
    """An object id that no object has."""
    return hashlib.sha1(repr(of).encode()).hexdigest()


def sweep_id(of: object) -> str:
    return key(of)[:12]


def text_line(of: object, told: str = "focused PASS", second: int = 0) -> str:
    return f"2026-01-02T03:04:{second:02}Z {sweep_id(of)} {told}"


def bare_notes(folder: Path) -> Notes:
    """The notes of a new bare repository at `folder`."""
    git(folder.parent, "init", "--quiet", "--bare", folder.name)
    return opened(folder)


def opened(folder: Path, ref: str = NOTES_REF) -> Notes:
    notes = open_notes(folder, ref=ref)
    assert notes is not None
    return notes


def commit_tree(repository: pygit2.Repository, tree: str, ref: str = NOTES_REF) -> str:
    """Make `tree` what `ref` is at, by a commit without a parent."""
    commit = repository.create_commit(None, AUTHOR, AUTHOR, "made by a test\n", tree, [])
    repository.references.create(ref, commit, force=True)
    return str(commit)


def blob(repository: pygit2.Repository, content: bytes) -> Entry:
    return Entry(FILE, str(repository.create_blob(content)))


def tree_of(repository: pygit2.Repository, files: Mapping[str, bytes]) -> str:
    """Write a tree with these files, by path, and return its id."""
    return write_tree(
        repository, {path: blob(repository, content) for path, content in files.items()}
    ).id


def content_of(repository: pygit2.Repository, tree: str) -> dict[str, bytes]:
    """Every file of a tree, by path."""
    found: dict[str, bytes] = {}
    for item in repository[tree]:
        if isinstance(item, pygit2.Tree):
            inner = content_of(repository, str(item.id))
            found |= {f"{item.name}/{path}": data for path, data in inner.items()}
        else:
            found[item.name] = item.data
    return found


def shown_by_git(folder: Path, commits: Iterable[str]) -> dict[str, list[str]]:
    """The lines that `git log` shows as the notes of each commit."""
    done = subprocess.run(
        ["git", "log", "--stdin", "--no-walk=unsorted", "--format=%H%n%N%x00"],
        check=True,
        cwd=folder,
        input="".join(f"{commit}\n" for commit in commits),
        capture_output=True,
        text=True,
        env=git_environment({"GIT_NOTES_DISPLAY_REF": NOTES_REF}),
    )
    assert "warning" not in done.stderr
    shown = {}
    for record in done.stdout.split("\0"):
        commit, *lines = record.strip("\n").split("\n")
        if commit:
            shown[commit] = [line for line in lines if line]
    return shown


def git_environment(more: Mapping[str, str]) -> dict[str, str]:
    return {**os.environ, **more}


# Few keys and lines, so that two drawn trees have some in common.
KEYS = [f"{fan}{'0' * 36}{n:02x}" for fan in ("00", "0a", "ff") for n in range(3)]
SWEEPS = [f"{n:012x}" for n in range(3)]
RECORD_LINES = [b'{"a":1}', b'{"b":2}', b'{"c":"\xc3\xbc"}', b"\xff not utf-8"]
TEXT_LINES = [
    b"2026-01-02T03:04:05Z 000000000000 focused PASS",
    b"2026-01-02T03:04:06Z 000000000000 focused FAIL",
    b"2026-01-02T03:04:05Z 000000000001 \x1b[31mred\xff",
    b"somebody's own words",
]


def subsets(of: list[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.sampled_from(of), unique=True, max_size=len(of))


def spelt(key: str, spelling: int) -> str:
    """One of the paths that git reads the key from."""
    return {0: key, 1: f"{key[:2]}/{key[2:]}", 2: f"{key[:2]}/{key[2:4]}/{key[4:]}"}[spelling]
