"""Where a path stands: in which repository, and whether git tracks it."""

from __future__ import annotations

import os
from pathlib import Path

from wt_git.git.process import Answer, ask, failure

# A bare repository, or the inside of `.git`: there is no work tree, hence nothing to track.
_NO_WORK_TREE = "must be run in a work tree"


def top_level(path: Path) -> Path | None:
    """Return the top folder of the work tree that `path` is in; None outside of one.

    `path` need not exist. Raises `GitError` when there is a repository that git cannot read.
    """
    answer = _ask_at(existing_folder(path), "rev-parse", "--show-toplevel")
    return Path(os.fsdecode(answer.out.removesuffix(b"\n"))) if answer else None


def is_tracked(path: Path) -> bool:
    """Say whether git tracks the file `path`, or any file in the folder `path`.

    False outside a repository. `path` need not exist. Raises `GitError` when there is a repository
    that git cannot read.
    """
    if path.is_dir() and not path.is_symlink():
        folder, name = path, "."
    else:
        folder = existing_folder(path.parent)
        name = os.path.relpath(path.absolute(), folder.absolute())
    answer = _ask_at(folder, "--literal-pathspecs", "ls-files", "-z", "--", name)
    return bool(answer and answer.out)


def tracked_below(folder: Path) -> list[str]:
    """Return the files that git tracks below `folder`, relative to it; empty outside a repository.

    `folder` need not exist. Raises `GitError` when there is a repository that git cannot read.
    """
    near = existing_folder(folder)
    below = os.path.relpath(folder.absolute(), near.absolute())
    answer = _ask_at(near, "--literal-pathspecs", "ls-files", "-z", "--", below)
    names = answer.out.split(b"\0")[:-1] if answer else []
    return [os.path.relpath(os.fsdecode(name), below) for name in names]


def in_repository(path: Path) -> bool:
    """Say whether there is a `.git` in `path` or in a folder above it; git is not asked."""
    folder = existing_folder(path).resolve()
    return any(os.path.lexists(above / ".git") for above in (folder, *folder.parents))


def existing_folder(path: Path) -> Path:
    """Return `path` if it is a folder, else the nearest folder above it."""
    return next(folder for folder in (path, *path.absolute().parents) if folder.is_dir())


def _ask_at(folder: Path, *args: str) -> Answer | None:
    """Ask git in `folder`; None where there is no work tree. Raises `GitError` for a failure."""
    if not in_repository(folder):
        return None
    answer = ask(args, cwd=folder)
    if answer.status == 0:
        return answer
    if _NO_WORK_TREE in answer.err:
        return None
    raise failure(args, folder, answer)
