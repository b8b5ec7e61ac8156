"""A copy of the index to work on, and a temporary folder for objects.

The copy is kept below `.git/windtunnel/` between snapshots: git refreshes the time stamps in it, so a
touched file is hashed once and not at every snapshot. Its name depends on the state of the index that
was copied. A process that finds it locked works on a copy of its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wt_git import files
from wt_git.git.snapshot.blobs import FileStamp  # noqa: TC001 - msgspec reads annotations
from wt_git.git.snapshot.index_file import (
    IndexFacts,
    clear_racy_times,
    read_index,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wt_git.git.repository import Repository

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows: every snapshot works on a copy of its own
    fcntl = None  # type: ignore[assignment]

_CHECKSUM = 32
_LOCK = "lock"


class Memory(msgspec.Struct):
    """Results of earlier snapshots of the same index.

    `attributes` is the digest of all sources of attributes. `head` is a commit and its tree. `excluded`
    has the tree of a commit, the excluded paths, and the files of the tree at and below them. `blobs`
    maps paths to the status and the blob of a file.
    """

    facts: IndexFacts | None = None
    attributes: str | None = None
    head: tuple[str, str] | None = None
    excluded: tuple[str | None, list[bytes], list[bytes]] | None = None
    blobs: dict[bytes, tuple[FileStamp, str]] = msgspec.field(default_factory=dict)


class Scratch(msgspec.Struct):
    """The index and the folder for objects of one snapshot.

    `index` may be missing: then the repository has none yet. `objects` is an empty folder.
    `started_ns` is the start of the snapshot by the clock of the file system. `memory` has the results
    of earlier snapshots of the same index; `keep` stores it for the next ones.
    """

    index: Path
    objects: Path
    origin: Path
    persistent: bool
    started_ns: int
    memory: Memory = msgspec.field(default_factory=Memory)

    def renew(self) -> None:
        """Copy the repository's index again, and clear the memory."""
        self.memory = Memory()
        _copy_index(self.origin, self.index)

    @contextlib.contextmanager
    def renewed_times(self, object_format: str) -> Iterator[None]:
        """Let git renew the time stamps in the copy, except those that are too recent to be safe."""
        try:
            before = read_index(self.index) if self.persistent else None
        except FileNotFoundError:
            before = None
        yield
        if before is None or _mtime_ns_of(self.index) == before.times_ns[1]:
            return
        since_s = self.started_ns // 1_000_000_000
        if not clear_racy_times(before, self.index, since_s=since_s, object_format=object_format):
            _copy_index(self.origin, self.index)

    def keep(self) -> None:
        """Store `memory`; after a failure only the next snapshot is slower."""
        if self.persistent:
            with contextlib.suppress(OSError):
                files.write_whole(_memory_path(self.index), msgspec.msgpack.encode(self.memory))


@contextlib.contextmanager
def open_scratch(repository: Repository, key: str) -> Iterator[Scratch]:
    """Provide a scratch for the block. `key`: other values on which the time stamps depend.

    Raises `OSError` when the index cannot be read or there is no space for a copy.
    """
    origin = repository.index_path
    name = _copy_name(origin, key)
    with tempfile.TemporaryDirectory(prefix="wt-snapshot-", ignore_cleanup_errors=True) as own:
        objects = Path(own) / "objects"
        objects.mkdir()
        with _kept_folder(repository) as kept:
            clock = kept / _LOCK if kept else objects
            work = Scratch(
                (kept or Path(own)) / name,
                objects,
                origin,
                persistent=kept is not None,
                started_ns=clock.stat().st_mtime_ns,
            )
            if kept is not None and _memory_path(work.index).exists():
                work.memory = _remembered(work.index)
            else:
                if kept is not None:
                    _remove_other_copies(kept)
                work.renew()
            yield work


@contextlib.contextmanager
def _kept_folder(repository: Repository) -> Iterator[Path | None]:
    """Provide the kept folder, locked; None when it is in use or cannot be written."""
    which = repository.git_dir.name if repository.linked else "main"
    folder = repository.own_folder / "snapshot" / which
    with contextlib.ExitStack() as stack:
        yield folder if _try_lock_folder(folder, stack) else None


def _try_lock_folder(folder: Path, stack: contextlib.ExitStack) -> bool:
    if fcntl is None:
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = stack.enter_context((folder / _LOCK).open("wb"))
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.utime(lock.fileno())
    except OSError:
        return False
    return True


def _copy_name(index: Path, key: str) -> str:
    """Return a name that changes with the index file and with `key`."""
    digest = hashlib.sha256(key.encode())
    with contextlib.suppress(FileNotFoundError), index.open("rb") as stream:
        status = os.fstat(stream.fileno())
        stream.seek(max(0, status.st_size - _CHECKSUM))
        state = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        digest.update(repr(state).encode() + stream.read())
    return f"index-{digest.hexdigest()[:24]}"


def _mtime_ns_of(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


def _copy_index(origin: Path, target: Path) -> None:
    """Copy the index and keep its time, which git's check for racy edits uses."""
    temporary = target.with_name(f"{target.name}.new")
    try:
        with origin.open("rb") as source, temporary.open("wb") as sink:
            shutil.copyfileobj(source, sink, 1 << 20)
            status = os.fstat(
                source.fileno()
            )  # of the file that was read, in case git replaces it now
        os.utime(temporary, ns=(status.st_atime_ns, status.st_mtime_ns))
    except FileNotFoundError:
        target.unlink(missing_ok=True)
    else:
        temporary.replace(target)


def _remove_other_copies(folder: Path) -> None:
    for path in folder.glob("index-*"):
        with contextlib.suppress(OSError):
            path.unlink()


def _memory_path(index: Path) -> Path:
    return index.with_name(f"{index.name}.msgpack")  # not JSON: names of files need not be UTF-8


def _remembered(index: Path) -> Memory:
    try:
        return msgspec.msgpack.decode(_memory_path(index).read_bytes(), type=Memory)
    except (OSError, msgspec.DecodeError):
        return Memory()
