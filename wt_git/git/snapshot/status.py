"""What differs in a working directory, as `git status --porcelain=v2` prints it.

One call returns the paths that are staged, edited, deleted, untracked, ignored and unmerged. Git uses
all cores for it, and its rules for racy time stamps, ignore files and sparse checkouts apply.
"""

from __future__ import annotations

import os

import msgspec

from wt_git.errors import GitError
from wt_git.git.trees import Entry

# Git compares every path with each of these; the others are applied to its output.
_MOST_PATHSPECS = 32


class Exclusions(msgspec.Struct, frozen=True):
    """Paths that are not part of a snapshot's tree, tracked or not.

    `paths` are literal files or folders, relative to the top. `suffixes` are ends of file names, such
    as `.pyc`, in any folder.
    """

    paths: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()

    def covers(self, path: bytes) -> bool:
        """Say whether `path`, or a folder that it is in, is excluded."""
        if self.suffixes and path.endswith(tuple(os.fsencode(one) for one in self.suffixes)):
            return True
        return any(
            path == folder or path.startswith(folder + b"/")
            for folder in map(os.fsencode, self.paths)
        )

    def pathspecs(self) -> tuple[str, ...]:
        """Return the pathspecs with which git skips the folders."""
        return tuple(f":(exclude,top,literal){path}" for path in self.paths[:_MOST_PATHSPECS])


NO_EXCLUSIONS = Exclusions()


# `--ignore-submodules=dirty`: uncommitted edits of a submodule are not part of a tree, and to look for
# them a child process of git would write the index of the submodule.
STATUS_ARGS = (
    "status",
    "--porcelain=v2",
    "-z",
    "--branch",
    "--untracked-files=all",
    "--ignored=matching",
    "--no-renames",
    "--ignore-submodules=dirty",
)


class Changed(msgspec.Struct, frozen=True):
    """A path that differs between HEAD, index and working directory.

    `base` is the entry in HEAD, `staged` that in the index, None for no entry. `worktree_mode` is 0
    when the file is gone. `edited`: the working directory differs from the index, so its content must
    be hashed.
    """

    path: bytes
    base: Entry | None
    staged: Entry | None
    worktree_mode: int
    edited: bool
    unmerged: bool = False


class Status(msgspec.Struct):
    """The output of `git status`. Paths are relative to the top.

    `commit` is None on a branch without a commit. `nested` are untracked folders that are
    repositories. In `ignored`, a name that ends in `/` is a whole folder.
    """

    commit: str | None = None
    changed: list[Changed] = msgspec.field(default_factory=list)
    untracked: list[bytes] = msgspec.field(default_factory=list)
    nested: list[bytes] = msgspec.field(default_factory=list)
    ignored: list[bytes] = msgspec.field(default_factory=list)


def parse_status(output: bytes) -> Status:
    """Return the output of `STATUS_ARGS` as a value. Raises `GitError` for unknown lines."""
    status = Status()
    for item in output.split(b"\0"):
        kind, _, rest = item.partition(b" ")
        match kind:
            case b"1":
                status.changed.append(_ordinary(rest))
            case b"u":
                status.changed.append(_unmerged(rest))
            case b"?":
                into = status.nested if rest.endswith(b"/") else status.untracked
                into.append(rest.removesuffix(b"/"))
            case b"!":
                status.ignored.append(rest)
            case b"#":
                _header(rest, status)
            case b"":
                pass
            case _:
                raise GitError(f"git status printed a line of an unknown kind: {item[:80]!r}")
    return status


def _header(rest: bytes, status: Status) -> None:
    name, _, value = rest.partition(b" ")
    if name == b"branch.oid" and value != b"(initial)":
        status.commit = value.decode("ascii")


def _ordinary(rest: bytes) -> Changed:
    """`<XY> <sub> <mH> <mI> <mW> <hH> <hI> <path>`."""
    states, _, *modes, base_id, staged_id, path = rest.split(b" ", 7)
    base_mode, staged_mode, worktree_mode = (int(mode, 8) for mode in modes)
    return Changed(
        path=path,
        base=_entry(base_mode, base_id),
        staged=_entry(staged_mode, staged_id),
        worktree_mode=worktree_mode,
        edited=states[1:] != b".",
    )


def _unmerged(rest: bytes) -> Changed:
    """`<XY> <sub> <m1> <m2> <m3> <mW> <h1> <h2> <h3> <path>`; stage 2 is that of HEAD."""
    fields = rest.split(b" ", 9)
    ours = _entry(int(fields[3], 8), fields[7])
    return Changed(
        path=fields[9],
        base=ours,
        staged=ours,
        worktree_mode=int(fields[5], 8),
        edited=True,
        unmerged=True,
    )


def _entry(mode: int, object_id: bytes) -> Entry | None:
    return Entry(mode, object_id.decode("ascii")) if mode else None
