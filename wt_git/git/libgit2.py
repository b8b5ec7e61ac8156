"""Opening a repository with libgit2, with a working directory or without one, and reading objects.

libgit2 would read on for ever in an object file that ends too early, as a power cut can leave it. So
each object with a file of its own is checked first. Objects in packs, and those of another repository
that this one borrows from, are not checked.
"""

from __future__ import annotations

import os
import zlib
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.errors import GitError

if TYPE_CHECKING:
    import pygit2

_NOT_OURS = "is not owned by"
_PARTIAL_CLONE = "extensions.partialclone"


def open_repository(folder: Path, *, from_environment: bool = False) -> pygit2.Repository | None:
    """Return the repository that `folder` is in, opened by libgit2; None when there is none.

    Any linked worktree, subfolder or bare repository will do. `from_environment` obeys GIT_DIR and
    its companions, as a `pre-receive` hook must to see the objects that came with the push. Raises
    `GitError`, code `git-ownership` for a repository of somebody else's and `notes-unavailable` for
    one that libgit2 cannot read: another hash, another way to keep refs.
    """
    import pygit2  # noqa: PLC0415 - costs more than a command that has nothing to do

    try:
        return _opened(folder, from_environment=from_environment)
    except (pygit2.GitError, ValueError) as error:  # InvalidError is a ValueError
        if _PARTIAL_CLONE in str(error).lower():
            # Only old versions of git write it, and every object that is there can be read.
            pygit2.settings.set_extensions(["partialclone"])
            return _opened(folder, from_environment=from_environment)
        raise _cannot_open(folder, error) from error


def common_folder(repository: pygit2.Repository) -> Path:
    """Return the git directory that all worktrees of `repository` share."""
    return common_folder_of(repository.path)


@lru_cache(maxsize=8)
def common_folder_of(git_dir: str) -> Path:
    """Return the same for the repository with this git directory."""
    own = Path(git_dir)
    try:
        shared = (own / "commondir").read_bytes()
    except FileNotFoundError:
        return own
    return Path(os.path.normpath(own / os.fsdecode(shared.removesuffix(b"\n"))))


def _opened(folder: Path, *, from_environment: bool) -> pygit2.Repository | None:
    import pygit2  # noqa: PLC0415
    from pygit2.enums import RepositoryOpenFlag  # noqa: PLC0415

    if from_environment:
        return pygit2.Repository(os.fspath(folder), RepositoryOpenFlag.FROM_ENV)
    found = pygit2.discover_repository(os.fspath(folder))
    return pygit2.Repository(found) if found else None


def _cannot_open(folder: Path, error: Exception) -> GitError:
    if _NOT_OURS in str(error):
        return GitError(
            f"git does not trust the repository at '{folder}', which belongs to another user",
            hints=(f"git config --global --add safe.directory '{folder}'",),
            code="git-ownership",
        )
    return GitError(
        f"notes cannot be kept in the repository at '{folder}': libgit2 does not read it "
        f"({error}); experiments run and are recorded in the runs directory as ever",
        code="notes-unavailable",
    )


_PIECE = 1 << 16


def read_object(repository: pygit2.Repository, object_id: str) -> tuple[int, bytes]:
    """Return the kind, by libgit2's number, and the bytes of an object.

    Raises `KeyError` when it is not there or cut short, `ValueError` or libgit2's own error when it
    is broken otherwise.
    """
    if is_cut_short(repository, object_id):
        raise KeyError(object_id)
    kind, raw = repository.read(object_id)
    return int(kind), raw


def is_cut_short(repository: pygit2.Repository, object_id: str) -> bool:
    """Say whether the object has a file of its own, and not all of it is there.

    False for an object that has none, and for one that is damaged otherwise: libgit2 says so itself.
    """
    folder = common_folder_of(repository.path)
    try:
        descriptor = os.open(f"{folder}/objects/{object_id[:2]}/{object_id[2:]}", os.O_RDONLY)
    except OSError:
        return False
    inflate = zlib.decompressobj()
    try:
        with open(descriptor, "rb", buffering=0) as stream:  # noqa: PTH123 - a descriptor
            while not inflate.eof:
                piece = stream.read(_PIECE)
                if not piece:
                    return True
                inflate.decompress(piece)
    except (OSError, zlib.error):
        return False
    return False
