"""What converts content on its way into git, and how a snapshot applies it without side effects.

Line endings and `ident` are applied by libgit2 as by git. Filter programs and `working-tree-encoding`
need git. Git LFS would store each file that it cleans in `.git/lfs`; a pointer depends only on size and
hash, so `lfs_pointer.py` runs in its place.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.errors import GitError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wt_git.git.git_config import GitConfig
    from wt_git.git.repository import Repository

_LFS_COMMANDS = ("git-lfs", "git lfs")
_SYSTEM_ATTRIBUTES = Path("/etc/gitattributes")


def lfs_drivers(config: GitConfig) -> list[str]:
    """Return the names of the filter drivers that run Git LFS, and `lfs` if it is configured."""
    return sorted(
        {
            name
            for key in ("clean", "process")
            for name, command in config.subsections("filter", key).items()
            if name == "lfs" or _is_lfs(command)
        }
    )


def _is_lfs(command: str) -> bool:
    words = command.replace("\\", "/").split("/")[-1].strip().strip("'\"")
    return words.startswith(_LFS_COMMANDS)


def safe_options(config: GitConfig) -> tuple[str, ...]:
    """Return the options that make any git command safe to run on a scratch index.

    No daemon is asked, no hook runs, no shared index is written, warnings about line endings are no
    failures, Git LFS stores nothing, and the full file status is compared. Raises `GitError` where a
    pointer depends on programs that only Git LFS itself runs.
    """
    settings = ["core.fsmonitor=false", "core.splitIndex=false", "core.safecrlf=false"]
    settings.append("core.hooksPath=/dev/null")  # post-index-change would run for the copy
    settings += ["core.trustctime=true", "core.checkStat=default"]
    drivers = lfs_drivers(config)
    if drivers and config.subsections("lfs.extension", "clean"):
        raise GitError("Git LFS extensions are configured: the pointers cannot be computed")
    program = Path(__file__).with_name("lfs_pointer.py")
    command = shlex.join((sys.executable, "-I", "-S", os.fspath(program)))
    for driver in drivers:
        settings += [f"filter.{driver}.process={command}", f"filter.{driver}.required=true"]
    return tuple(part for setting in settings for part in ("-c", setting))


def conversions_possible(repository: Repository, config: GitConfig, paths: Iterable[bytes]) -> bool:
    """Say whether the object of one of `paths` may differ from its bytes on disk."""
    if config.get("core.autocrlf") not in {None, "false"}:
        return True
    files = attribute_files(repository, config)
    if any(file.exists() for file in files):
        return True
    top = os.fsencode(repository.top)
    folders = {b""}
    for path in paths:
        folder = path.rpartition(b"/")[0]
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition(b"/")[0]
    return any(os.path.lexists(top + b"/" + folder + b"/.gitattributes") for folder in folders)


def attribute_files(repository: Repository, config: GitConfig) -> tuple[Path, ...]:
    """Return the files from which git reads attributes, apart from `.gitattributes` files."""
    own = config.get("core.attributesfile")
    if own is None:
        # Git has no command that prints this path.
        home = os.environ.get("XDG_CONFIG_HOME") or "~/.config"  # noqa: TID251
        own = f"{home}/git/attributes"
    return (
        repository.common_dir / "info/attributes",
        repository.top / Path(own).expanduser(),
        _SYSTEM_ATTRIBUTES,
    )
