"""The tree that `git commit` is about to make, asked from within its `pre-commit` hook."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.git.process import run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.git.git_folders import GitFolders


def staged_tree(folders: GitFolders, environ: Mapping[str, str]) -> str:
    """Return the id of the tree that the index holds, written to the object store.

    `environ` says which index: `git commit -a` and `git commit -- PATH` work on one of their own,
    and git names it in GIT_INDEX_FILE. Git itself writes the same objects a moment later. The index
    is copied, so that neither it nor its lock is touched. Raises `GitError` and `OSError`.
    """
    named = environ.get("GIT_INDEX_FILE", "")
    index = folders.home / named if named else folders.git_dir / "index"
    with tempfile.TemporaryDirectory(prefix="wt-staged-") as scratch:
        copy = Path(scratch) / "index"
        with contextlib.suppress(FileNotFoundError):  # nothing was ever staged: an empty index
            shutil.copy2(index, copy)
        here = {
            "GIT_DIR": os.fspath(folders.git_dir),
            "GIT_WORK_TREE": os.fspath(folders.home),
            "GIT_INDEX_FILE": os.fspath(copy),
        }
        # Objects of a partial clone need not be there to be named.
        written = run(("write-tree", "--missing-ok"), cwd=folders.home, env=here)
    return written.decode("ascii").strip()
