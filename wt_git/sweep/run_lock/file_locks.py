"""Locks on files that the kernel releases when their process dies, however it dies.

The run lock needs the kernel's own queue: a process sleeps in `flock` until the lock is free, so a
hand-over takes no poll, and the record of the holder stays in the locked file. `filelock` polls, and
importing it takes five times as long as starting Python. POSIX only, like the package.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.errors import UsageError, os_reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# No links: other users may be able to write to the folder, and a locked file is written to.
_FLAGS = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
_open_descriptors: set[int] = set()


@contextmanager
def report_unusable_folder(folder: Path) -> Iterator[None]:
    """Turn an `OSError` of the block into the `UsageError` that says `folder` cannot hold locks."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"the lock folder '{folder}' cannot be used: {error}; "
            "set WT_LOCK_DIR to a folder on this machine that you can write to",
            code="lock-folder-unusable",
            facts={
                "folder": str(folder),
                "reason": os_reason(error),
                "variable": "WT_LOCK_DIR",
            },
        ) from error


def open_lockable(path: Path) -> int:
    """Open `path` for locking, creating it if needed. Raises `OSError`, also for a link."""
    descriptor = os.open(path, _FLAGS | os.O_CREAT, 0o644)
    _open_descriptors.add(descriptor)
    return descriptor


def open_existing(path: Path) -> int | None:
    """Open `path` for locking; None when it does not exist. Raises `OSError`, also for a link."""
    try:
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        return None
    _open_descriptors.add(descriptor)
    return descriptor


def try_lock(descriptor: int, *, shared: bool = False) -> bool:
    """Take the lock if it is free; return whether it was. Raises `OSError`."""
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_current(descriptor: int, path: Path) -> bool:
    """Say whether `path` still names the open file, not a successor or nothing."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def release(descriptor: int) -> None:
    """Unlock and close."""
    # Closing alone would leave the lock with a process that was forked while the file was open.
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    _open_descriptors.discard(descriptor)
    os.close(descriptor)


class SleepingLock:
    """A thread asleep in the kernel until the lock on `path` is its own.

    `flock` cannot be told to give up, so the caller waits here instead and may turn away: the
    thread then lets go of the lock as soon as it gets it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._guard = threading.Lock()
        self._ended = threading.Event()
        self._abandoned = False
        self._descriptor: int | None = None
        self._error: OSError | None = None
        threading.Thread(target=self._sleep, name="run-lock", daemon=True).start()

    def wait(self, timeout_s: float) -> int | None:
        """Return the locked descriptor, or None when `timeout_s` passed. Raises `OSError`.

        The caller then owns the descriptor.
        """
        if not self._ended.wait(timeout_s):
            return None
        if self._error is not None:
            raise self._error
        descriptor, self._descriptor = self._descriptor, None
        return descriptor

    def abandon(self) -> None:
        """Release the lock now, or as soon as the thread gets it."""
        with self._guard:
            self._abandoned = True
            if self._descriptor is not None and self._ended.is_set():
                release(self._descriptor)
                self._descriptor = None

    def _sleep(self) -> None:
        descriptor: int | None = None
        try:
            descriptor = _lock_current(self._path)
        except OSError as error:
            self._error = error
        with self._guard:
            if self._abandoned and descriptor is not None:
                release(descriptor)
            else:
                self._descriptor = descriptor
            self._ended.set()


def _lock_current(path: Path) -> int:
    """Lock `path`, waiting as long as it takes, and return its descriptor."""
    while True:
        descriptor = open_lockable(path)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if is_current(descriptor, path):
            return descriptor
        release(descriptor)  # the folder was cleaned up during the wait


def _forget_in_child() -> None:
    """Close every lock file in a process that was just forked from this one.

    A fixture that a plugin forks would otherwise keep the lock when its parent is killed.
    """
    for descriptor in _open_descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)
    _open_descriptors.clear()


os.register_at_fork(after_in_child=_forget_in_child)


_NOT_IN_A_USER = re.compile(r"[^A-Za-z0-9_-]")
_USER_VARIABLES = ("LOGNAME", "USER", "LNAME", "USERNAME")


def lock_folder(environ: Mapping[str, str]) -> Path:
    """Return the folder of lock files: `WT_LOCK_DIR`, else the user's own among temporary ones."""
    chosen = environ.get("WT_LOCK_DIR")
    if chosen:
        return Path(chosen)
    user = _NOT_IN_A_USER.sub("_", _user_name(environ))
    return Path(tempfile.gettempdir()) / f"windtunnel-locks-{user}"


def _user_name(environ: Mapping[str, str]) -> str:
    for variable in _USER_VARIABLES:
        if environ.get(variable):
            return environ[variable]
    import pwd  # noqa: PLC0415 - only where no variable says it

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # an account number without an account, as in containers
        return "user"
