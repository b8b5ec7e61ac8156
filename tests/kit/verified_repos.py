"""Repositories with notes on their trees, written directly, without running a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kit.evidence_rows import line, row, sweep
from kit.repo import Repo, git, new_repo

from wt_git.git.notes.store import Notes, open_notes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILES = {
    "agent.py": "print('hi')\n",
    "packs/orders.py": "PACK = 1\n",
    "docs/a.md": "a\n",
}


def agent_repo(path: Path, files: Mapping[str, str] | None = None) -> Repo:
    """A repository with an agent, a pack and a page, committed."""
    return new_repo(path, {**FILES, **(files or {})})


def tree_of(repo: Repo, revision: str = "HEAD") -> str:
    return repo.git("rev-parse", f"{revision}^{{tree}}")


def notes_of(repo: Repo) -> Notes:
    notes = open_notes(repo.path)
    assert notes is not None
    return notes


def file_notes(repo: Repo, tree: str, *records: Mapping[str, Any]) -> None:
    """File records under a tree, each in the note of its sweep, as one notes commit."""
    with notes_of(repo).transaction("made by a test") as tx:
        for one in records:
            tx.add(tree, one["sweep_id"], [line(one)])


def cover(repo: Repo, revision: str = "HEAD", sweep_id: str = "aaaaaaaaaaaa") -> None:
    """Put a focused pass on the tree of a commit."""
    tree = tree_of(repo, revision)
    file_notes(repo, tree, row(tree, sweep=sweep_id), sweep(sweep_id))


def clone(of: Path, path: Path, *options: str) -> Repo:
    """Clone by a URL, so that options such as `--depth` are obeyed."""
    git(of.parent, "clone", "--quiet", *options, f"file://{of}", str(path))
    return Repo(path)
