"""Repositories and objects read with libgit2. Importing this is slow: only needed commands do it.

libgit2 would read on for ever in an object file that ends too early, as a power cut can leave it. So
each object with a file of its own is checked first. Objects in packs, and those of another repository
that this one borrows from, are not checked.
"""

from __future__ import annotations

import os
import zlib
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.errors import GitError
from wt_git.git.trees import missing_tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# No file, and a folder in which nothing is looked for until a host is reached; pygit2 wants one of them.
_NO_CERTIFICATES = {"SSL_CERT_FILE": os.devnull, "SSL_CERT_DIR": os.sep}


@contextmanager
def _without_certificates() -> Iterator[None]:
    """Keep pygit2 from reading the certificates of this machine, which takes longer than starting Python.

    They are needed only to reach a host, and only git itself ever does.
    """
    environ = os.environ  # noqa: TID251 - no setting of ours
    kept = {name: environ[name] for name in _NO_CERTIFICATES if name in environ}
    environ.update(_NO_CERTIFICATES)
    try:
        yield
    finally:
        for name in _NO_CERTIFICATES:
            del environ[name]
        environ.update(kept)


with _without_certificates():
    import pygit2
    from pygit2.enums import ObjectType, RepositoryOpenFlag, SortMode

__all__ = [
    "Libgit2Trees",
    "ObjectType",
    "SortMode",
    "common_folder",
    "common_folder_of",
    "config_value",
    "is_cut_short",
    "open_repository",
    "pygit2",
    "read_object",
    "read_ref",
]

_NOT_OURS = "is not owned by"
_PARTIAL_CLONE = "extensions.partialclone"
_CHUNK_BYTES = 1 << 16


def open_repository(folder: Path, *, from_environment: bool = False) -> pygit2.Repository | None:
    """Return the repository that `folder` is in; None when there is none.

    A linked worktree, a subfolder and a bare repository are all accepted. `from_environment` uses
    GIT_DIR and related variables, as a `pre-receive` hook must to see the pushed objects. Raises
    `GitError`: code `git-ownership` for the repository of another user, `notes-unavailable` for one
    that libgit2 cannot read because of its object format or its ref storage.
    """
    try:
        return _open(folder, from_environment=from_environment)
    except (pygit2.GitError, ValueError) as error:  # InvalidError is a ValueError
        if _PARTIAL_CLONE in str(error).lower():
            # Only old versions of git write it, and the objects that are there can be read.
            pygit2.settings.set_extensions(["partialclone"])
            return _open(folder, from_environment=from_environment)
        raise _cannot_open(folder, error) from error


def _open(folder: Path, *, from_environment: bool) -> pygit2.Repository | None:
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


def common_folder(repository: pygit2.Repository) -> Path:
    """Return the git directory that all worktrees of `repository` share."""
    return common_folder_of(repository.path)


@lru_cache(maxsize=8)
def common_folder_of(git_dir: str) -> Path:
    """Return the shared git directory of the worktree with this git directory."""
    own = Path(git_dir)
    try:
        shared = (own / "commondir").read_bytes()
    except FileNotFoundError:
        return own
    return Path(os.path.normpath(own / os.fsdecode(shared.removesuffix(b"\n"))))


def read_object(repository: pygit2.Repository, object_id: str) -> tuple[ObjectType, bytes]:
    """Return the kind and the bytes of an object.

    Raises `KeyError` when it is missing or cut short, `ValueError` or `pygit2.GitError` when it is
    damaged in another way.
    """
    if is_cut_short(repository, object_id):
        raise KeyError(object_id)
    kind, raw = repository.read(object_id)
    return ObjectType(kind), raw


def is_cut_short(repository: pygit2.Repository, object_id: str) -> bool:
    """Say whether the object has a file of its own that ends too early.

    False for other damage: libgit2 reports that itself.
    """
    folder = common_folder(repository)
    try:
        descriptor = os.open(f"{folder}/objects/{object_id[:2]}/{object_id[2:]}", os.O_RDONLY)
    except OSError:
        return False
    inflate = zlib.decompressobj()
    try:
        with open(descriptor, "rb", buffering=0) as stream:  # noqa: PTH123 - a descriptor
            while not inflate.eof:
                chunk = stream.read(_CHUNK_BYTES)
                if not chunk:
                    return True
                inflate.decompress(chunk)
    except (OSError, zlib.error):
        return False
    return False


def read_ref(repository: pygit2.Repository, name: str) -> str | None:
    """Return the id of the commit that the ref `name` points to; None when there is no such ref.

    Raises `GitError`, code `notes-broken`, when it does not point to a commit that is there.
    """
    problem = "it does not hold an id"  # a power cut can leave its file empty
    try:
        ref = repository.references.get(name)
        if ref is None:
            return None
        problem = f"it is at {ref.target}, which is no commit of this repository"
        return _commit_of(repository, ref)
    except (pygit2.GitError, KeyError, ValueError) as error:
        raise GitError(
            f"the ref {name} is broken: {problem}",
            hints=(f"git update-ref -d {name}", "wt sync", "wt notes rebuild"),
            code="notes-broken",
        ) from error


def config_value(repository: pygit2.Repository, name: str) -> str | None:
    """Return a value of the git configuration of an open repository; None if it is not set."""
    try:
        return repository.config[name]
    except (KeyError, UnicodeDecodeError):
        return None


def _commit_of(repository: pygit2.Repository, ref: pygit2.Reference) -> str:
    if is_cut_short(repository, str(ref.target)):
        raise KeyError(ref.target)
    return str(ref.peel(pygit2.Commit).id)


class Libgit2Trees:
    """A `TreeSource` on a repository that libgit2 opened; a partial clone fetches nothing for it."""

    object_format = "sha1"

    def __init__(self, repository: pygit2.Repository) -> None:
        self._repository = repository

    def read(self, ids: Sequence[str]) -> dict[str, bytes]:
        """Return the raw bytes of each tree. Raises `GitError` when one is missing."""
        return {tree: self._read(tree) for tree in ids}

    def _read(self, tree: str) -> bytes:
        try:
            kind, raw = read_object(self._repository, tree)
        except (KeyError, ValueError) as error:
            raise missing_tree(tree) from error
        if kind != ObjectType.TREE:
            raise GitError(f"this object of the repository is not a tree: {tree}")
        return raw
