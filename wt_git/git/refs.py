"""Moving a ref from an expected value, by one writer at a time, safe when a writer is killed.

There are two locks. Our lock file lets our writers wait for each other; the kernel releases it when
its holder dies. The lock file beside the ref is git's: libgit2 creates it, and a killed writer leaves
it behind. So a writer first stores the new id in our lock file. The next writer that finds an id
there knows that the lock beside the ref is a leftover of ours, and removes it. A lock that git left
is not removed: the error names the file.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import re
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wt_git.errors import GitError
from wt_git.git.libgit2 import common_folder, pygit2, read_ref

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_OWN_FOLDER = "windtunnel"
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_.-]")
# libgit2: the lock exists already, or was created by another process at this moment.
_LOCKED = re.compile(r"failed to lock file|failed to create locked file.*exists", re.IGNORECASE)
_STALE_AFTER_S = 0.5
_ID_LENGTH = 40


class RefWriter:
    """The right to move the ref `name`, held by one process of ours at a time."""

    def __init__(self, repository: pygit2.Repository, name: str, descriptor: int) -> None:
        self._repository = repository
        self._name = name
        self._descriptor = descriptor
        self._abandoned = self._read()

    def swap(self, *, old: str | None, new: str, deadline: float) -> bool:
        """Move the ref from `old` (None: no such ref) to the commit `new`; False if it is not at `old`.

        Waits for a lock of git until `deadline`, in seconds of `time.monotonic`. Raises `GitError`,
        code `ref-locked`, if git then still holds it.
        """
        if self._abandoned:
            self._remove_stale_lock()
        self._write(new)
        try:
            while (done := self._try_swap(old, new)) is None:
                if time.monotonic() > deadline:
                    raise self._locked_by_git()
                time.sleep(random.uniform(0.002, 0.02))  # noqa: S311 - so that two writers do not retry in step
        finally:
            self._write("")
        return done

    def _try_swap(self, old: str | None, new: str) -> bool | None:
        """Return whether the ref was moved; None when its lock is taken."""
        try:
            with self._repository.transaction() as transaction:
                transaction.lock_ref(self._name)
                if read_ref(self._repository, self._name) != old:
                    return False
                transaction.set_target(self._name, pygit2.Oid(hex=new))
        except (pygit2.GitError, OSError, ValueError) as error:
            if _LOCKED.search(str(error)):
                return None
            raise GitError(
                f"the ref {self._name} cannot be written: {error}", code="ref-unwritable"
            ) from error
        return True

    def _git_lock(self) -> Path:
        return common_folder(self._repository) / f"{self._name}.lock"

    def _locked_by_git(self) -> GitError:
        path = self._git_lock()
        return GitError(
            f"the ref {self._name} is locked by '{path}'; if no git command is running in this "
            "repository, one was killed and left the file behind",
            hints=(f"rm '{path}'",),
            code="ref-locked",
            facts={"ref": self._name, "lock": str(path)},
            retryable=True,
        )

    def _remove_stale_lock(self) -> None:
        """Remove git's lock if a writer of ours left it when it was killed.

        Then the lock is empty or holds the id that this writer was about to write. An empty lock may
        also belong to a running git, which soon changes it: so it must stay unchanged for a while.
        """
        path, expected = self._git_lock(), self._abandoned.encode()
        with contextlib.suppress(FileNotFoundError):
            before = path.lstat()
            time.sleep(_STALE_AFTER_S)
            after = path.lstat()
            same = os.path.samestat(before, after) and before.st_mtime_ns == after.st_mtime_ns
            if same and expected.startswith(path.read_bytes().strip()):
                path.unlink()
        self._abandoned = ""

    def _read(self) -> str:
        return os.pread(self._descriptor, _ID_LENGTH, 0).decode("ascii", "replace")

    def _write(self, text: str) -> None:
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text.encode("ascii"), 0)


@contextmanager
def ref_writer(repository: pygit2.Repository, name: str, *, deadline: float) -> Iterator[RefWriter]:
    """Hold the right to move the ref `name` during the block.

    Waits for other writers until `deadline`, in seconds of `time.monotonic`. Raises `GitError`: code
    `ref-locked` if one of them still holds it then, `ref-unwritable` if the repository cannot be
    written to.
    """
    # Not `filelock`: the lock file also stores the id, and must outlive its holder.
    folder = common_folder(repository) / _OWN_FOLDER
    path = folder / f"{_NOT_IN_A_NAME.sub('_', name)}.lock"
    try:
        folder.mkdir(exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise GitError(f"'{path}' cannot be written: {error}", code="ref-unwritable") from error
    try:
        while not _try_lock(descriptor):
            if time.monotonic() > deadline:
                raise GitError(
                    f"another process of wt is still writing the ref {name} and holds '{path}'",
                    code="ref-locked",
                )
            time.sleep(random.uniform(0.001, 0.01))  # noqa: S311
        yield RefWriter(repository, name, descriptor)
    finally:
        with contextlib.suppress(OSError):  # a process forked meanwhile would keep it otherwise
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)  # the file stays, since waiting writers have it open


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks: `swap` still compares before it writes
    return True
