"""Letting git itself stage the working directory, on a copy of the index and scratch objects.

This is for repositories and files that libgit2 would hash in another way: filter programs, encodings,
other object formats, split and sparse indexes.
"""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING

import msgspec

from wt_git.errors import GitError
from wt_git.git.process import Answer, ask, failure, run
from wt_git.git.snapshot.blobs import file_stamp, first_changed, unsettled
from wt_git.git.trees import Entry, missing_tree

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wt_git.git.repository import Repository
    from wt_git.git.snapshot.scratch import Scratch

_TRIES = 5
# About files and folders of the working directory. With "unable to access" git reports settings and
# attributes, and goes on without them.
_DENIED = re.compile(
    r"(?:^|failed: )(?:warning: |error: )?((?!unable to access).*: Permission denied)$",
    re.MULTILINE,
)


class Staging(msgspec.Struct, frozen=True):
    """Runs git for one snapshot: in a repository, with options, on a scratch index."""

    repository: Repository
    scratch: Scratch
    options: tuple[str, ...]
    timeout_s: float

    def copy(self, name: str) -> Path:
        """Return a temporary copy of the scratch index."""
        target = self.scratch.objects.with_name(name)
        target.unlink(missing_ok=True)
        if self.scratch.index.exists():
            shutil.copy2(self.scratch.index, target)
        return target

    def run(self, args: Sequence[str], index: Path, *, stdin: bytes = b"") -> bytes:
        """Run git on `index` and return its output. Raises `GitError`."""
        answer = self.ask(args, index, stdin=stdin)
        if answer.status != 0:
            raise failure((*self.options, *args), self.repository.top, answer)
        return answer.out

    def ask(
        self, args: Sequence[str], index: Path, *, stdin: bytes = b"", optional_locks: bool = False
    ) -> Answer:
        """Run git as `run` does, and return its exit status also if it failed."""
        real = os.fspath(self.repository.common_dir / "objects")
        return ask(
            (*self.options, *args),
            cwd=self.repository.top,
            timeout_s=self.timeout_s,
            stdin=stdin,
            env={
                "GIT_INDEX_FILE": os.fspath(index),
                "GIT_OBJECT_DIRECTORY": os.fspath(self.scratch.objects),
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(real),
                "GIT_NO_REPLACE_OBJECTS": "1",
                "GIT_OPTIONAL_LOCKS": "1" if optional_locks else "0",
            },
        )


class GitTrees:
    """A `TreeSource` on the git program, for repositories that libgit2 cannot open."""

    def __init__(self, folder: Path, object_format: str) -> None:
        self.object_format = object_format
        self._folder = folder

    def read(self, ids: Sequence[str]) -> dict[str, bytes]:
        """Return the raw bytes of each tree, read by one process."""
        asked = list(dict.fromkeys(ids))
        if not asked:
            return {}
        questions = "".join(f"{tree}\n" for tree in asked).encode("ascii")
        # `refs/replace` could name another tree instead.
        args = ("--no-replace-objects", "cat-file", "--batch")
        answers = run(args, cwd=self._folder, stdin=questions)
        found: dict[str, bytes] = {}
        at = 0
        for tree in asked:
            end = answers.index(b"\n", at)
            header = answers[at:end].split(b" ")
            if header[1:2] != [b"tree"]:
                raise missing_tree(tree)
            size = int(header[2])
            found[tree] = answers[end + 1 : end + 1 + size]
            at = end + 1 + size + 1
        return found


def staged_index(
    staging: Staging, *, present: Sequence[bytes], gone: Sequence[bytes], sparse: bool
) -> Path:
    """Return an index in which the files `present` are staged, and `gone` are removed.

    In a sparse checkout git decides which of them it stages. Raises `GitError` when a filter fails, or
    a file cannot be read or keeps changing.
    """
    top = os.fsencode(staging.repository.top)
    moved = b""
    for _ in range(_TRIES):
        stamps = {path: file_stamp(top + b"/" + path) for path in present}
        index = staging.copy("staged")
        error = _stage(staging, index, present=present, gone=gone, sparse=sparse)
        moved = first_changed(stamps, top) or b""
        if not moved:
            if error is not None:
                raise error
            return index
    raise unsettled(moved)


def _stage(
    staging: Staging, index: Path, *, present: Sequence[bytes], gone: Sequence[bytes], sparse: bool
) -> GitError | None:
    """Stage once and return a failure: a changed file would explain it better."""
    try:
        if sparse:
            _add_sparse(staging, index, [*gone, *present])
            return None
        if gone:
            lines = b"".join(path + b"\0" for path in gone)
            staging.run(("update-index", "-z", "--force-remove", "--stdin"), index, stdin=lines)
        if present:
            lines = b"".join(path + b"\0" for path in present)
            args = ("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
            staging.run(args, index, stdin=lines)
    except GitError as error:
        return denial(error.message) or error
    return None


def denial(said: str) -> GitError | None:
    """Return the error for a file or folder that git may not read; None if there is none."""
    denied = _DENIED.search(said)
    if denied is None:
        return None
    return GitError(
        f"git cannot read all: {denied[1]}", code="git-unreadable", facts={"path": denied[1]}
    )


def _add_sparse(staging: Staging, index: Path, paths: Sequence[bytes]) -> None:
    """Add `paths`. Git skips those outside of the sparse checkout, and then exits with 1."""
    if not paths:
        return
    from_stdin = ("--pathspec-from-file=-", "--pathspec-file-nul")
    args = ("--literal-pathspecs", "add", "--all", *from_stdin)
    answer = staging.ask(args, index, stdin=b"".join(path + b"\0" for path in paths))
    if answer.status != 0 and "sparse-checkout" not in answer.err:
        raise failure((*staging.options, *args), staging.repository.top, answer)


def staged_changes(staging: Staging, index: Path, base: str) -> dict[bytes, Entry | None]:
    """Return the entries of `index` that differ from the tree `base`; None for missing ones."""
    args = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", "--full-index")
    output = staging.run((*args, "--ignore-submodules=none", base, "--"), index)
    parts = output.split(b"\0")
    changes: dict[bytes, Entry | None] = {}
    for head, path in zip(parts[0::2], parts[1::2], strict=False):
        _, mode, _, object_id, _ = head.split(b" ", 4)
        number = int(mode, 8)
        changes[path] = Entry(number, object_id.decode("ascii")) if number else None
    return changes


def hidden_edits(staging: Staging, flagged: Sequence[bytes]) -> list[bytes]:
    """Return the files among `flagged` that differ from the index.

    Git skips files with these flags, so it compares them on a copy without flags.
    """
    if not flagged:
        return []
    lines = b"".join(path + b"\0" for path in flagged)
    index = staging.copy("unflagged")
    for flag in ("--no-assume-unchanged", "--no-skip-worktree"):
        staging.run(("update-index", flag, "-z", "--stdin"), index, stdin=lines)
    # It exits with 1 if files differ.
    staging.ask(("update-index", "-q", "--really-refresh"), index)
    args = ("diff-files", "--name-only", "-z", "--ignore-submodules=dirty")
    differ = set(staging.run(args, index).split(b"\0"))
    return [path for path in flagged if path in differ]


def _quoted(path: str) -> str:
    """Return a folder for a list separated by `:`, in C quotes if it needs them."""
    if ":" not in path and not path.startswith('"'):
        return path
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
