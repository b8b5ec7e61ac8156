"""The repository that a folder is in: its folders, and whether git tracks a path.

No repository, a bare one and the inside of `.git` have no working directory: the answer is None. A
repository that git refuses to read, because it is broken or belongs to another user, raises an
error: it must never pass for "no repository" (docs/architecture.md).
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wt_git.errors import GitError
from wt_git.git.process import Answer, ask, failure, run

if TYPE_CHECKING:
    from collections.abc import Mapping

# Phrases of git, which runs with LC_ALL=C.
_NO_REPOSITORY = "not a git repository"
_NO_WORK_TREE = "must be run in a work tree"
_DUBIOUS = "detected dubious ownership"

_REV_PARSE = ("rev-parse", "--path-format=absolute")
_QUESTIONS = ("--show-toplevel", "--git-dir", "--git-common-dir", "--show-object-format")
_HOOK_QUESTIONS = ("--is-bare-repository", "--git-dir", "--git-common-dir")
_HOOK_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR")
_HEAD = ("rev-parse", "--verify", "--quiet", "--short", "HEAD")


class Repository(msgspec.Struct, frozen=True):
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
        """Return the top folders of all its worktrees that git has recorded."""
        tops = [self.top, self.common_dir.parent]
        for folder in sorted(self.common_dir.glob("worktrees/*/gitdir")):
            with contextlib.suppress(OSError, ValueError):
                tops.append((folder.parent / folder.read_text("utf-8").strip()).resolve().parent)
        return list(dict.fromkeys(tops))

    @property
    def index_path(self) -> Path:
        """The index of this working directory; it may not exist yet."""
        return self.git_dir / "index"

    @property
    def own_folder(self) -> Path:
        """The only folder under the git directory that we write to, shared by all worktrees."""
        return self.common_dir / "windtunnel"


def find_repository(folder: Path) -> Repository | None:
    """Return the repository whose working directory `folder` is in; None when there is none.

    `folder` need not exist. Variables such as GIT_DIR are ignored. Raises `GitError`: code
    `git-ownership` for the repository of another user, and the codes of `wt_git.git.process`.
    """
    if not in_repository(folder):
        return None
    where = existing_folder(folder)
    answer = ask((*_REV_PARSE, *_QUESTIONS), cwd=where)
    if answer.status != 0:
        if _NO_WORK_TREE in answer.err:
            return None
        raise _discovery_failure(where, answer)
    lines = answer.out.removesuffix(b"\n").split(b"\n")
    if len(lines) != len(_QUESTIONS):  # a line break in a folder's name
        lines = [run((*_REV_PARSE, one), cwd=where).removesuffix(b"\n") for one in _QUESTIONS]
    top, git_dir, common_dir = (Path(os.fsdecode(line)) for line in lines[:3])
    if not in_repository(top):
        raise GitError(
            f"the repository at '{git_dir}' has its working directory elsewhere, in '{top}', which "
            "does not lead back to it (core.worktree): put a .git file there"
        )
    return Repository(top, git_dir, common_dir, lines[3].decode("ascii"))


def _discovery_failure(folder: Path, answer: Answer) -> GitError:
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


class GitFolders(msgspec.Struct, frozen=True):
    """The folders of a repository as git names them, also for a bare one and inside a hook.

    `top` is the top of the working directory, None in a bare repository and inside a git directory.
    `git_dir` holds HEAD and the index, `common_dir` refs, objects, hooks and configuration.
    """

    top: Path | None
    git_dir: Path
    common_dir: Path
    bare: bool

    @property
    def home(self) -> Path:
        """The folder in which git runs, and in which it starts hooks."""
        return self.top or self.git_dir


def find_git_folders(folder: Path, environ: Mapping[str, str] | None = None) -> GitFolders | None:
    """Return the folders of the repository that `folder` is in; None when there is none.

    GIT_DIR, GIT_WORK_TREE and GIT_COMMON_DIR in `environ` are used, as git sets them for a hook.
    Raises `GitError` for a repository that git refuses to read.
    """
    named = {name: environ[name] for name in _HOOK_VARIABLES if name in environ} if environ else {}
    ask_folders = (*_REV_PARSE, *_HOOK_QUESTIONS)
    answer = ask((*ask_folders, "--show-toplevel"), cwd=folder, env=named)
    if answer.status != 0 and _NO_WORK_TREE in answer.err:
        answer = ask(ask_folders, cwd=folder, env=named)
    if answer.status != 0:
        if _NO_REPOSITORY in answer.err:
            return None
        raise _discovery_failure(folder, answer)
    bare, *lines = answer.out.removesuffix(b"\n").split(b"\n")
    git_dir, common_dir, *top = (Path(os.fsdecode(line)) for line in lines)
    return GitFolders(top[0] if top else None, git_dir, common_dir, bare == b"true")


def top_level(path: Path) -> Path | None:
    """Return the top folder of the work tree that `path` is in; None outside of one.

    `path` need not exist. Raises `GitError` when there is a repository that git cannot read.
    """
    answer = _ask_in_work_tree(existing_folder(path), "rev-parse", "--show-toplevel")
    return Path(os.fsdecode(answer.out.removesuffix(b"\n"))) if answer else None


def is_tracked(path: Path) -> bool:
    """Say whether git tracks the file `path`, or any file in the folder `path`.

    False outside a repository. `path` need not exist. Raises `GitError` when there is a repository
    that git cannot read.
    """
    if path.is_dir() and not path.is_symlink():
        folder, name = path, "."
    else:
        folder = existing_folder(path.parent)
        name = os.path.relpath(path.absolute(), folder.absolute())
    answer = _ask_in_work_tree(folder, "--literal-pathspecs", "ls-files", "-z", "--", name)
    return bool(answer and answer.out)


def tracked_below(folder: Path) -> list[str]:
    """Return the files that git tracks below `folder`, relative to it; empty outside a repository.

    `folder` need not exist. Raises `GitError` when there is a repository that git cannot read.
    """
    near = existing_folder(folder)
    below = os.path.relpath(folder.absolute(), near.absolute())
    answer = _ask_in_work_tree(near, "--literal-pathspecs", "ls-files", "-z", "--", below)
    names = answer.out.split(b"\0")[:-1] if answer else []
    return [os.path.relpath(os.fsdecode(name), below) for name in names]


def in_repository(path: Path) -> bool:
    """Say whether `path` or a folder above it has a `.git`, without starting git."""
    folder = existing_folder(path).resolve()
    return any(os.path.lexists(above / ".git") for above in (folder, *folder.parents))


def existing_folder(path: Path) -> Path:
    """Return `path` if it is a folder, else the nearest folder above it."""
    return next(folder for folder in (path, *path.absolute().parents) if folder.is_dir())


def _ask_in_work_tree(folder: Path, *args: str) -> Answer | None:
    """Ask git in `folder`; None where there is no work tree. Raises `GitError` for a failure."""
    if not in_repository(folder):
        return None
    answer = ask(args, cwd=folder)
    if answer.status == 0:
        return answer
    if _NO_WORK_TREE in answer.err:
        return None
    raise failure(args, folder, answer)


def may_have_refs(common_dir: Path, prefix: str) -> bool:
    """Say whether a ref may begin with `prefix`, without starting git. False is certain."""
    if (common_dir / "reftable").exists():
        return True
    folder, _, start = prefix.rpartition("/")
    try:
        if any(path.name.startswith(start) for path in (common_dir / folder).iterdir()):
            return True
    except (FileNotFoundError, NotADirectoryError):
        pass
    try:
        packed = (common_dir / "packed-refs").read_bytes()
    except FileNotFoundError:
        return False
    return b" " + prefix.encode() in packed


def head_short_id(path: Path) -> str | None:
    """Return the abbreviated id of HEAD of the repository that `path` is in.

    None outside a repository and before the first commit. Raises `GitError` when git cannot read the
    repository, or HEAD names a broken branch.
    """
    if not in_repository(path):
        return None
    folder = existing_folder(path)
    answer = ask(_HEAD, cwd=folder)
    if answer.status == 0:
        return answer.out.decode("ascii").strip()
    if answer.err:
        raise failure(_HEAD, folder, answer)
    _check_unborn(folder)
    return None


def _check_unborn(folder: Path) -> None:
    """Raise `GitError` if the branch of HEAD is damaged: `rev-parse` treats it like an unborn one."""
    branch = run(("symbolic-ref", "HEAD"), cwd=folder).decode("utf-8", "replace").strip()
    listing = ("for-each-ref", "--count=1", branch)
    answer = ask(listing, cwd=folder)
    if answer.status != 0 or answer.err:
        raise GitError(f"HEAD of the repository at '{folder}' cannot be read: {answer.err}")
