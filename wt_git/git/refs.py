"""Moving a ref: only from where it was seen, one writer at a time, whoever is killed meanwhile.

Two locks. A file of ours, which the kernel frees when its holder dies, lets our writers wait for
one another. The lock file beside the ref is git's: libgit2 takes it, and a writer killed with it in
hand leaves it behind. So before it is taken our lock file is told what will be written; whoever
finds that note later knows whose lock it was, and removes it. A lock that git itself left is not
ours to remove: the error names the file.
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
from wt_git.git.libgit2 import common_folder, is_cut_short

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pygit2

WAIT_S = 10.0
"""How long a writer waits for another, by default."""

_OWN_FOLDER = "windtunnel"
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_.-]")
# libgit2 says the first when the lock is there, the second when it came while it looked.
_LOCKED = re.compile(r"failed to lock file|failed to create locked file.*exists", re.IGNORECASE)
_STALE_AFTER_S = 0.5
_ID_LENGTH = 40


def read_ref(repository: pygit2.Repository, name: str) -> str | None:
    """Return the id of the commit that the ref `name` is at; None when there is no such ref.

    Raises `GitError`, code `notes-broken`, when it is at no commit that is there.
    """
    import pygit2  # noqa: PLC0415

    what = "it is at what is no id"  # a power cut can leave its file empty
    try:
        ref = repository.references.get(name)
        if ref is None:
            return None
        what = f"it is at {ref.target}, which is no commit of this repository"
        return _commit_at(repository, ref)
    except (pygit2.GitError, KeyError, ValueError) as error:
        raise GitError(
            f"the ref {name} is broken: {what}",
            hints=(f"git update-ref -d {name}", "wt sync", "wt notes rebuild"),
            code="notes-broken",
        ) from error


def _commit_at(repository: pygit2.Repository, ref: pygit2.Reference) -> str:
    import pygit2  # noqa: PLC0415

    if is_cut_short(repository, str(ref.target)):
        raise KeyError(ref.target)
    return str(ref.peel(pygit2.Commit).id)


class RefWriter:
    """The right to move the ref `name`, held by one process of ours at a time."""

    def __init__(self, repository: pygit2.Repository, name: str, descriptor: int) -> None:
        self._repository = repository
        self._name = name
        self._descriptor = descriptor
        self._abandoned = self._read()

    def swap(self, *, old: str | None, new: str, deadline: float) -> bool:
        """Move the ref from `old` (None: not there) to the commit `new`; False if it is elsewhere.

        Git may move it too, and may hold its lock: that is waited for until `deadline`, in seconds
        of `time.monotonic`. Raises `GitError`, code `ref-locked`, when it then still does.
        """
        if self._abandoned:
            self._remove_stale_lock()
        self._write(new)
        try:
            while (done := self._try_swap(old, new)) is None:
                if time.monotonic() > deadline:
                    raise self._locked_by_git()
                time.sleep(random.uniform(0.002, 0.02))  # noqa: S311 - so that two do not keep step
        finally:
            self._write("")
        return done

    def _try_swap(self, old: str | None, new: str) -> bool | None:
        """Return whether the ref was moved; None when its lock is taken."""
        import pygit2  # noqa: PLC0415

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
            f"the ref {self._name} is locked by '{path}'; if no git is at work in this repository, "
            "one was killed and left the file behind",
            hints=(f"rm '{path}'",),
            code="ref-locked",
            facts={"ref": self._name, "lock": str(path)},
            retryable=True,
        )

    def _remove_stale_lock(self) -> None:
        """Remove git's lock if the writer of ours that died in a swap is who left it.

        It is empty, or holds what that writer was about to write. One that is empty may also belong
        to a git at work this very moment, which lets go of it at once: so it must have stood still.
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
    """Hold the right to move the ref `name` for the length of the block.

    Waits for others until `deadline`, in seconds of `time.monotonic`. Raises `GitError`, code
    `ref-locked` when one of ours still holds it then, `ref-unwritable` when the repository cannot be
    written to.
    """
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
                    f"another process of ours is still writing the ref {name}, with '{path}' in hand",
                    code="ref-locked",
                )
            time.sleep(random.uniform(0.001, 0.01))  # noqa: S311
        yield RefWriter(repository, name, descriptor)
    finally:
        with contextlib.suppress(OSError):  # closing would leave it with a process forked meanwhile
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)  # the file stays: whoever waits has it open


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks: the comparison in `swap` still loses nothing
    return True
