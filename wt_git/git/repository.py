"""Which repository a folder is in, and what kind of answer that is.

No repository, a bare one and the inside of `.git` have no working directory: the answer is None. A
repository that git refuses to read, because it is broken or belongs to somebody else, is an error
that says so: it must never pass for "no repository" (docs/architecture.md).
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

from wt_git.errors import GitError
from wt_git.git.paths import existing_folder, in_repository
from wt_git.git.process import Answer, ask, failure, run

_NO_WORK_TREE = "must be run in a work tree"
_DUBIOUS = "detected dubious ownership"
_QUESTIONS = ("--show-toplevel", "--git-dir", "--git-common-dir", "--show-object-format")
_ASK = ("rev-parse", "--path-format=absolute")


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository with a working directory.

    `top` is the top folder of the working directory. `git_dir` holds its index and HEAD;
    `common_dir` holds objects, refs and configuration, and is another folder than `git_dir` in a
    linked worktree. `object_format` names the hash that ids are made with: `sha1` or `sha256`.
    """

    top: Path
    git_dir: Path
    common_dir: Path
    object_format: str

    @property
    def linked(self) -> bool:
        """Whether this is a linked worktree (`git worktree add`)."""
        return self.git_dir != self.common_dir

    def working_directories(self) -> list[Path]:
        """Return the tops of all its working directories, as far as git wrote them down."""
        tops = [self.top, self.common_dir.parent]
        for folder in sorted(self.common_dir.glob("worktrees/*/gitdir")):
            with contextlib.suppress(OSError, ValueError):
                tops.append((folder.parent / folder.read_text("utf-8").strip()).resolve().parent)
        return list(dict.fromkeys(tops))

    @property
    def index_path(self) -> Path:
        """Where this working directory's index is, whether or not it exists yet."""
        return self.git_dir / "index"

    @property
    def own_folder(self) -> Path:
        """The one folder below the git directory that is ours to write, shared by all worktrees."""
        return self.common_dir / "windtunnel"


def discover(folder: Path) -> Repository | None:
    """Return the repository whose working directory `folder` is in; None when there is none.

    `folder` need not exist. Variables such as GIT_DIR are not obeyed. Raises `GitError` with code
    `git-ownership` for one of somebody else's, and those of `wt_git.git.process`.
    """
    if not in_repository(folder):
        return None
    where = existing_folder(folder)
    answer = ask((*_ASK, *_QUESTIONS), cwd=where)
    if answer.status != 0:
        if _NO_WORK_TREE in answer.err:
            return None
        raise discovery_failure(where, answer)
    lines = answer.out.removesuffix(b"\n").split(b"\n")
    if len(lines) != len(_QUESTIONS):  # a line break in a folder's name
        lines = [run((*_ASK, one), cwd=where).removesuffix(b"\n") for one in _QUESTIONS]
    top, git_dir, common_dir = (Path(os.fsdecode(line)) for line in lines[:3])
    if not in_repository(top):
        raise GitError(
            f"the repository at '{git_dir}' has its working directory elsewhere, in '{top}', which "
            "does not lead back to it (core.worktree): put a .git file there"
        )
    return Repository(top, git_dir, common_dir, lines[3].decode("ascii"))


def discovery_failure(folder: Path, answer: Answer) -> GitError:
    """Return the error for a repository that git found and would not read."""
    if _DUBIOUS not in answer.err:
        return failure(("rev-parse",), folder, answer)
    fix = [line.strip() for line in answer.err.splitlines() if "safe.directory" in line]
    first = answer.err.splitlines()[0].removeprefix("fatal: ")
    return GitError(
        f"git does not trust the repository at '{folder}', which belongs to another user: {first}",
        hints=tuple(fix),
        code="git-ownership",
        facts={"folder": str(folder), "said": answer.err},
        commands=tuple(fix),
    )
