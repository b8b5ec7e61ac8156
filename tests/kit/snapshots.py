"""Taking snapshots in tests: twice, with a look at whether anything was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kit.oracle import repository_bytes, worktree_state

from wt_git.git.repository import Repository, find_repository
from wt_git.git.snapshot.take import Snapshot, take_snapshot

if TYPE_CHECKING:
    from pathlib import Path


def found(path: Path) -> Repository:
    """Return the repository at `path`, which must be there."""
    repository = find_repository(path)
    assert repository is not None
    return repository


def snapshot(path: Path, **options: object) -> Snapshot:
    """Take a snapshot twice, the second time from the first's stat cache: always the same."""
    before = repository_bytes(path)
    files = worktree_state(path)
    taken = take_snapshot(found(path), **options)
    again = take_snapshot(found(path), **options)
    assert repository_bytes(path) == before
    assert worktree_state(path) == files
    assert again == taken
    return taken
