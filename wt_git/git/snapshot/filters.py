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
from typing import TYPE_CHECKING, Any

from wt_git.errors import GitError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pygit2

    from wt_git.git.git_config import GitConfig
    from wt_git.git.repository import Repository

_LFS_COMMANDS = ("git-lfs", "git lfs")
_GIT_ONLY = ("filter", "working-tree-encoding")
_CONVERSION_SETTINGS = ("core.autocrlf", "core.eol", "core.attributesfile")
_SYSTEM_ATTRIBUTES = Path("/etc/gitattributes")


def lfs_drivers(config: GitConfig) -> list[str]:
    """Return the names of the filter drivers that are Git LFS, however they are called."""
    commands = config.subsections("filter", "clean") | config.subsections("filter", "process")
    by_command = [
        name
        for key in ("clean", "process")
        for name, command in config.subsections("filter", key).items()
        if _is_lfs(command)
    ]
    return sorted({*by_command, *(name for name in commands if name == "lfs")})


def _is_lfs(command: str) -> bool:
    words = command.replace("\\", "/").split("/")[-1].strip().strip("'\"")
    return words.startswith(_LFS_COMMANDS)


def safe_options(config: GitConfig) -> tuple[str, ...]:
    """Return the options that make any git command safe to run on a scratch index.

    No daemon is asked, no hook runs, no shared index is written, no warning about line endings
    becomes a failure, Git LFS stores nothing, and all that the status of a file says about an edit is
    looked at. Raises `GitError` where a pointer depends on programs that Git LFS itself would have to
    run.
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
    """Say whether anything may make the object of one of `paths` differ from its bytes on disk."""
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
    return any(
        os.path.lexists(os.path.join(top, folder, b".gitattributes"))  # noqa: PTH118 - bytes
        for folder in folders
    )


def attribute_files(repository: Repository, config: GitConfig) -> tuple[Path, ...]:
    """Return the files outside the working directory that git reads attributes from."""
    own = config.get("core.attributesfile")
    if own is None:
        # Git itself reads this one; there is no asking it where.
        home = os.environ.get("XDG_CONFIG_HOME") or "~/.config"  # noqa: TID251
        own = f"{home}/git/attributes"
    return (
        repository.common_dir / "info/attributes",
        repository.top / Path(own).expanduser(),
        _SYSTEM_ATTRIBUTES,
    )


def libgit2_difference(opened: pygit2.Repository, repository: Repository, config: GitConfig) -> str:
    """Return in what libgit2 would convert by other rules than git does; nothing when it would not.

    It reads neither GIT_CONFIG_GLOBAL nor settings given in the environment, and finds the user's
    attributes by a home that it looked up once.
    """
    outside = [file for file in attribute_files(repository, config)[1:] if file.exists()]
    if outside:
        return f"attributes are set in '{outside[0]}'"
    for name in _CONVERSION_SETTINGS:
        seen = opened.config[name] if name in opened.config else None  # noqa: SIM401 - has no get
        if seen != config.get(name):
            return f"{name} is set where libgit2 does not look"
    return ""


def git_only_attribute(opened: pygit2.Repository, paths: Iterable[bytes]) -> str:
    """Return which of `paths` has an attribute that libgit2 does not act on, and say so."""
    for path in paths:
        for name in _GIT_ONLY:
            try:
                value = opened.get_attr(path, name)
            except UnicodeDecodeError:  # a value that is not UTF-8 is a value
                value = "?"
            if isinstance(value, str):
                return f"'{os.fsdecode(path)}' has the attribute {name}"
    return ""


def hash_converted(opened: pygit2.Repository, full_path: bytes, path: bytes) -> str:
    """Return the id of the blob that the file would be: line endings and `ident` applied.

    Raises `OSError` when the file cannot be read.
    """
    import pygit2  # noqa: PLC0415 - whoever opened the repository has it

    # The annotation says str, the function takes bytes: names need not be UTF-8.
    arguments: tuple[Any, ...] = (full_path, pygit2.enums.ObjectType.BLOB, path)
    try:
        return str(opened.hashfile(*arguments))
    except pygit2.GitError as error:
        raise OSError(str(error)) from error


def hash_as_is(full_path: bytes, _: bytes) -> str:
    """Return the id of the blob that holds the file's bytes; like `hash_converted`."""
    import pygit2  # noqa: PLC0415 - a clean working directory needs no libgit2

    try:
        return str(pygit2.hashfile(os.fsdecode(full_path)))
    except pygit2.GitError as error:
        raise OSError(str(error)) from error
