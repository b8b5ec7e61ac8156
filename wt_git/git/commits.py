"""Commits of a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import GitError
from wt_git.git.paths import existing_folder, in_repository
from wt_git.git.process import ask, failure, run

if TYPE_CHECKING:
    from pathlib import Path

_HEAD = ("rev-parse", "--verify", "--quiet", "--short", "HEAD")


def head_short_id(path: Path) -> str | None:
    """Return the abbreviated id of HEAD of the repository that `path` is in.

    None outside a repository and before the first commit. Raises `GitError` when there is a
    repository that git cannot read, or HEAD names a branch that is broken.
    """
    if not in_repository(path):
        return None
    folder = existing_folder(path)
    answer = ask(_HEAD, cwd=folder)
    if answer.status == 0:
        return answer.out.decode("ascii").strip()
    if answer.err:
        raise failure(_HEAD, folder, answer)
    _check_unborn(folder)
    return None


def _check_unborn(folder: Path) -> None:
    """Tell a branch without a commit from one whose ref is damaged: git answers both alike."""
    branch = run(("symbolic-ref", "HEAD"), cwd=folder).decode("utf-8", "replace").strip()
    listing = ("for-each-ref", "--count=1", branch)
    answer = ask(listing, cwd=folder)
    if answer.status != 0 or answer.err:
        raise GitError(f"HEAD of the repository at '{folder}' cannot be read: {answer.err}")
