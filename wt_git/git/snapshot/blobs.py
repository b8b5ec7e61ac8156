"""Hashing files of the working directory with libgit2: path to tree entry.

Only files that differ from the index, or are not in it, are hashed. Each is checked before and after
reading. A file that changes meanwhile is read again; one that keeps changing is an error.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import GitError
from wt_git.git.process import run
from wt_git.git.snapshot.status import GITLINK, Entry
from wt_git.git.trees import object_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, MutableMapping

    from wt_git.git.git_config import GitConfig

FILE, EXECUTABLE, LINK = 0o100644, 0o100755, 0o120000
_TRIES = 5
# A file system may keep times in steps of up to two seconds: what changed this recently could change
# again without a trace.
_SETTLED_NS = 2_000_000_000


class FileStamp(NamedTuple):
    """What tells a file from the same file after an edit."""

    mode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class FileToHash(NamedTuple):
    """A path to hash; `mode` is git's for it where git has said so already, else 0."""

    path: bytes
    mode: int = 0


def file_stamp(full_path: bytes) -> FileStamp | None:
    """Return how the file looks now; None when there is none."""
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
    """Return the error for a file or folder that this user may not read."""
    said = error.strerror or str(error)
    name = os.fsdecode(path)
    return GitError(
        f"'{name}' cannot be read: {said}",
        code="git-unreadable",
        facts={"path": name, "reason": said},
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
    known: MutableMapping[str, list[object]],
    now_ns: int,
) -> dict[bytes, Entry | None]:
    """Return what a tree would hold at each of `wanted`; None where there is no file any more.

    `hasher(full path, path)` hashes a regular file. `known` holds ids found earlier, by path, with
    the look that the file had; it is brought up to date. `now_ns` is the file system's clock.
    """
    found: dict[bytes, Entry | None] = {}
    fresh: dict[str, list[object]] = {}
    modes_count = config.flag("core.filemode", default=True)
    for path, given_mode in wanted:
        if given_mode == GITLINK:
            found[path] = nested_entry(top, path)
            continue
        key = os.fsdecode(path)
        full_path = os.path.join(top, path)  # noqa: PTH118 - bytes
        hashed = _hash_one(full_path, path, hasher, known.get(key))
        if hashed is None:
            found[path] = None
            continue
        seen, blob = hashed
        found[path] = Entry(given_mode or _mode(seen, modes_count=modes_count), blob)
        if max(seen.mtime_ns, seen.ctime_ns) < now_ns - _SETTLED_NS:
            fresh[key] = [*seen, blob]
    known.clear()
    known.update(fresh)
    return found


def _hash_one(
    full_path: bytes,
    path: bytes,
    hasher: Callable[[bytes, bytes], str],
    known: list[object] | None,
) -> tuple[FileStamp, str] | None:
    for _ in range(_TRIES):
        before = file_stamp(full_path)
        if before is None:
            return None
        if known is not None and known[:-1] == [*before]:
            return before, str(known[-1])
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
    """Return the entry of a repository in the working directory: its checked-out commit.

    None when it has no commit, or is no repository.
    """
    commit = nested_commit(os.path.join(top, path))  # noqa: PTH118 - bytes
    return Entry(GITLINK, commit) if commit else None


def nested_commit(folder: bytes) -> str | None:
    """Return the commit that the repository at exactly `folder` has checked out, if any."""
    if not os.path.lexists(os.path.join(folder, b".git")):  # noqa: PTH118 - bytes
        return None
    # Without `--verify`, a branch without a commit is not an error but the word HEAD.
    said = run(("rev-parse", "--revs-only", "HEAD"), cwd=Path(os.fsdecode(folder)))
    return said.decode("ascii").strip() or None


def first_changed(looks: Mapping[bytes, FileStamp | None], top: bytes) -> bytes | None:
    """Return a path that no longer looks as in `looks`; None when all do."""
    for path, seen in looks.items():
        if file_stamp(os.path.join(top, path)) != seen:  # noqa: PTH118 - bytes
            return path
    return None
