"""Hashing files of the working directory with libgit2: path to tree entry.

Only files that differ from the index, or are not in it, are hashed. Each is checked before and after
reading. A file that changes meanwhile is read again; one that keeps changing is an error.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import GitError, os_reason
from wt_git.git.process import run
from wt_git.git.trees import EXECUTABLE, FILE, GITLINK, LINK, Entry, object_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from wt_git.git.git_config import GitConfig

_TRIES = 5
# A file system may store times in steps of up to two seconds: a file that changed this recently could
# change again with the same time.
_SETTLED_NS = 2_000_000_000


class FileStamp(NamedTuple):
    """The status of a file, which an edit changes."""

    mode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class FileToHash(NamedTuple):
    """A path to hash, and its mode if git has reported it, else 0."""

    path: bytes
    mode: int = 0


def file_stamp(full_path: bytes) -> FileStamp | None:
    """Return the status of a file; None when there is none."""
    try:
        found = os.lstat(full_path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise unreadable(full_path, error) from error
    return FileStamp(
        found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino
    )


def unreadable(path: bytes, error: OSError) -> GitError:
    """Return the error for a file or folder that cannot be read."""
    reason = os_reason(error)
    name = os.fsdecode(path)
    return GitError(
        f"'{name}' cannot be read: {reason}",
        code="git-unreadable",
        facts={"path": name, "reason": reason},
    )


def unsettled(path: bytes) -> GitError:
    """Return the error for a file that changed each time it was read."""
    name = os.fsdecode(path)
    return GitError(
        f"'{name}' keeps changing while it is read",
        code="git-unsettled",
        facts={"path": name},
        retryable=True,
    )


def hash_files(
    top: bytes,
    wanted: Iterable[FileToHash],
    *,
    hasher: Callable[[bytes, bytes], str],
    config: GitConfig,
    known: dict[bytes, tuple[FileStamp, str]],
    now_ns: int,
) -> dict[bytes, Entry | None]:
    """Return the tree entry of each of `wanted`; None where the file is gone.

    `hasher(full path, path)` hashes a regular file. `known` has the ids of earlier snapshots by path,
    each with the file's status; it is updated. `now_ns` is the time of the file system.
    """
    found: dict[bytes, Entry | None] = {}
    fresh: dict[bytes, tuple[FileStamp, str]] = {}
    modes_count = config.flag("core.filemode", default=True)
    for path, given_mode in wanted:
        if given_mode == GITLINK:
            found[path] = nested_entry(top, path)
            continue
        full_path = top + b"/" + path
        hashed = _hash_one(full_path, path, hasher, known.get(path))
        if hashed is None:
            found[path] = None
            continue
        seen, blob = hashed
        found[path] = Entry(given_mode or _mode(seen, modes_count=modes_count), blob)
        if max(seen.mtime_ns, seen.ctime_ns) < now_ns - _SETTLED_NS:
            fresh[path] = (seen, blob)
    known.clear()
    known.update(fresh)
    return found


def _hash_one(
    full_path: bytes,
    path: bytes,
    hasher: Callable[[bytes, bytes], str],
    known: tuple[FileStamp, str] | None,
) -> tuple[FileStamp, str] | None:
    for _ in range(_TRIES):
        before = file_stamp(full_path)
        if before is None:
            return None
        if known is not None and known[0] == before:
            return known
        try:
            blob = _hash_now(full_path, path, before, hasher)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise unreadable(full_path, error) from error
        if file_stamp(full_path) == before:
            return before, blob
    raise unsettled(path)


def _hash_now(
    full_path: bytes, path: bytes, seen: FileStamp, hasher: Callable[[bytes, bytes], str]
) -> str:
    if stat.S_ISLNK(seen.mode):
        return object_id("blob", os.readlink(full_path), "sha1")  # noqa: PTH115 - bytes
    if not stat.S_ISREG(seen.mode):
        raise GitError(f"'{os.fsdecode(path)}' is neither a file nor a link: git cannot add it")
    return hasher(full_path, path)


def _mode(seen: FileStamp, *, modes_count: bool) -> int:
    if stat.S_ISLNK(seen.mode):
        return LINK
    return EXECUTABLE if modes_count and seen.mode & stat.S_IXUSR else FILE


def nested_entry(top: bytes, path: bytes) -> Entry | None:
    """Return the entry of a nested repository, its checked-out commit; None if it has none."""
    commit = nested_commit(top + b"/" + path)
    return Entry(GITLINK, commit) if commit else None


def nested_commit(folder: bytes) -> str | None:
    """Return the checked-out commit of the repository whose top is `folder`, if any."""
    if not os.path.lexists(folder + b"/.git"):
        return None
    # With `--verify`, a branch without a commit would be an error.
    output = run(("rev-parse", "--revs-only", "HEAD"), cwd=Path(os.fsdecode(folder)))
    return output.decode("ascii").strip() or None


def first_changed(stamps: Mapping[bytes, FileStamp | None], top: bytes) -> bytes | None:
    """Return the first path whose status is not that in `stamps`; None when all are unchanged."""
    for path, seen in stamps.items():
        if file_stamp(top + b"/" + path) != seen:
            return path
    return None
