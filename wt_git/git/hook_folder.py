"""Where git looks for hooks, and who says so.

Without `core.hooksPath` it is the folder `hooks` of the git directory, which all worktrees share.
With it, it may be anywhere: in the working directory, at a path of the user's that all of his
repositories share, or nowhere at all (`/dev/null` switches hooks off).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from wt_git.git.config_edits import origin
from wt_git.git.process import run

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.git.git_folders import GitFolders

Place = Literal["git-dir", "work-tree", "shared", "off"]

HOOKS_PATH = "core.hooksPath"
_CONFIGURED_HOOKS = (2, 54)
_VERSION = re.compile(rb"(\d+)\.(\d+)")


@dataclass(frozen=True, slots=True)
class HookFolder:
    """`path` is absolute. `said` and `file` are what `core.hooksPath` holds and where it stands.

    `place`: `git-dir` and `work-tree` belong to this repository; `shared` is outside of it, so other
    repositories may use it; `off` is no folder and cannot be one.
    """

    path: Path
    place: Place
    said: str | None = None
    file: str | None = None


def hook_folder(folders: GitFolders) -> HookFolder:
    """Return where git looks for the hooks of a repository. Raises `GitError`."""
    found = origin(folders.home, HOOKS_PATH)
    if found is None:
        return HookFolder(folders.common_dir / "hooks", "git-dir")
    path = folders.home / found.value  # `..` stays: git follows it, too
    return HookFolder(path, _place(path, found.value, folders), found.value, found.file)


def _place(path: Path, said: str, folders: GitFolders) -> Place:
    if not said or (path.exists() and not path.is_dir()):
        return "off"
    real = path.resolve()
    if real.is_relative_to(folders.common_dir.resolve()):
        return "git-dir"
    if folders.top is not None and real.is_relative_to(folders.top.resolve()):
        return "work-tree"
    return "shared"


def has_configured_hooks(folder: Path) -> bool:
    """Say whether this git runs hooks that configuration names (`hook.<name>.command`)."""
    found = _VERSION.search(run(("version",), cwd=folder))
    return found is not None and (int(found[1]), int(found[2])) >= _CONFIGURED_HOOKS
