"""What differs in a working directory, as `git status --porcelain=v2` prints it.

One call returns the paths that are staged, edited, deleted, untracked, ignored and unmerged. Git uses
all cores for it, and its rules for racy time stamps, ignore files and sparse checkouts apply.
"""

from __future__ import annotations

import os
from typing import NamedTuple

import msgspec

from wt_git.errors import GitError

# Each is compared with every path that git looks at; more of them are sorted out afterwards.
_MOST_PATHSPECS = 32


class Exclusions(msgspec.Struct, frozen=True):
    """`paths` are files or folders, relative to the top, taken literally.

    `suffixes` are ends of file names such as `.pyc`, anywhere.
    """

    paths: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()

    def cover(self, path: bytes) -> bool:
        """Say whether `path` is excluded, by itself or with a folder that it is in."""
        if self.suffixes and path.endswith(tuple(os.fsencode(one) for one in self.suffixes)):
            return True
        return any(
            path == folder or path.startswith(folder + b"/")
            for folder in map(os.fsencode, self.paths)
        )

    def pathspecs(self) -> tuple[str, ...]:
        """Return what keeps git from even looking into the folders."""
        return tuple(f":(exclude,top,literal){path}" for path in self.paths[:_MOST_PATHSPECS])


NO_EXCLUSIONS = Exclusions()


GITLINK = 0o160000
# `--ignore-submodules=dirty`: what is uncommitted in a submodule never shows in a tree, and looking
# for it here would let a child of git write that submodule's index.
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


class Entry(NamedTuple):
    """What a tree holds under a name: a mode (0o100644, 0o120000, ...) and an object id in hex."""

    mode: int
    id: str


class Changed(msgspec.Struct, frozen=True):
    """A path that differs between HEAD, index and working directory.

    `base` is what HEAD has, `staged` what the index has, None for nothing. `worktree_mode` is 0
    when the file is gone. `edited`: the working directory differs from the index, so that its
    content has to be looked at.
    """

    path: bytes
    base: Entry | None
    staged: Entry | None
    worktree_mode: int
    edited: bool
    unmerged: bool = False


class Status(msgspec.Struct):
    """The whole answer. `commit` is None on a branch without one; paths are from the top.

    `nested` are folders that are repositories of their own and in nobody's index. Of `ignored`, a
    name that ends in `/` stands for a whole folder.
    """

    commit: str | None = None
    changed: list[Changed] = msgspec.field(default_factory=list)
    untracked: list[bytes] = msgspec.field(default_factory=list)
    nested: list[bytes] = msgspec.field(default_factory=list)
    ignored: list[bytes] = msgspec.field(default_factory=list)


def parse_status(output: bytes) -> Status:
    """Read what git printed for `STATUS_ARGS`. Raises `GitError` for what git never prints."""
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
    """`<XY> <sub> <m1> <m2> <m3> <mW> <h1> <h2> <h3> <path>`; stage 2 is what HEAD has."""
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
