"""What commands take from their surroundings: environment, working directory, git."""

from __future__ import annotations

import os
from pathlib import Path

from wt_git.errors import GitError
from wt_git.git.repository import head_short_id
from wt_git.sweep.run_lock import lock_folder as place


def lock_folder() -> Path:
    """Return the machine-wide folder of run locks."""
    return place.lock_folder(os.environ)  # noqa: TID251 - the edge where it is read


def git_sha() -> str | None:
    """Return the short id of `HEAD` here; None where git cannot say, which stops no sweep."""
    try:
        return head_short_id(Path.cwd())
    except GitError:
        return None
