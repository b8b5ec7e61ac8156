"""The folders of a repository as git names them, also for a bare one and inside a hook.

`wt_git.git.repository` is about working directories that are found from a folder. A hook is told
where it is by variables, and a server has no working directory.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.git.process import ask
from wt_git.git.repository import discovery_failure

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR")
_NOT_THERE = "not a git repository"


@dataclass(frozen=True, slots=True)
class GitFolders:
    """`top` is the working directory's, None in a bare repository and inside a git directory.

    `git_dir` holds HEAD and the index, `common_dir` refs, objects, hooks and configuration.
    """

    top: Path | None
    git_dir: Path
    common_dir: Path
    bare: bool

    @property
    def home(self) -> Path:
        """The folder to run git in: git changes to it before it calls a hook."""
        return self.top or self.git_dir


def find(folder: Path, environ: Mapping[str, str] | None = None) -> GitFolders | None:
    """Return the folders of the repository that `folder` is in; None when there is none.

    With `environ`, GIT_DIR and its companions in it are obeyed, as git sets them for a hook. Raises
    `GitError` for a repository that git will not read.
    """
    named = {name: environ[name] for name in _NAMING if name in environ} if environ else {}
    questions = ("--is-bare-repository", "--is-inside-work-tree", "--git-dir", "--git-common-dir")
    answer = ask(("rev-parse", "--path-format=absolute", *questions), cwd=folder, env=named)
    if answer.status != 0:
        if _NOT_THERE in answer.err:
            return None
        raise discovery_failure(folder, answer)
    bare, inside, git_dir, common_dir = answer.out.removesuffix(b"\n").split(b"\n")
    top = _top(folder, named) if inside == b"true" else None
    return GitFolders(top, _path(git_dir), _path(common_dir), bare == b"true")


def _top(folder: Path, named: Mapping[str, str]) -> Path:
    answer = ask(("rev-parse", "--show-toplevel"), cwd=folder, env=named)
    if answer.status != 0:
        raise discovery_failure(folder, answer)
    return _path(answer.out.removesuffix(b"\n"))


def _path(raw: bytes) -> Path:
    return Path(os.fsdecode(raw))
