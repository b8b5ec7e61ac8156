"""The folders of a repository as git names them, also for a bare one and inside a hook.

`wt_git.git.repository` is about working directories that are found from a folder. A hook is told
where it is by variables, and a server has no working directory.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.git.process import Answer, ask
from wt_git.git.repository import discovery_failure

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAMING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR")
_QUESTIONS = ("--is-bare-repository", "--git-dir", "--git-common-dir")
_NOT_THERE = "not a git repository"
_NO_WORK_TREE = "must be run in a work tree"


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
    answer = _ask(folder, named, *_QUESTIONS, "--show-toplevel")
    if answer.status != 0 and _NO_WORK_TREE in answer.err:
        answer = _ask(folder, named, *_QUESTIONS)
    if answer.status != 0:
        if _NOT_THERE in answer.err:
            return None
        raise discovery_failure(folder, answer)
    bare, git_dir, common_dir, *top = answer.out.removesuffix(b"\n").split(b"\n")
    return GitFolders(
        _path(top[0]) if top else None, _path(git_dir), _path(common_dir), bare == b"true"
    )


def _ask(folder: Path, named: Mapping[str, str], *questions: str) -> Answer:
    return ask(("rev-parse", "--path-format=absolute", *questions), cwd=folder, env=named)


def _path(raw: bytes) -> Path:
    return Path(os.fsdecode(raw))
