"""Hashing files of the working directory with libgit2, where it applies the same rules as git."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.errors import GitError
from wt_git.git.libgit2 import Libgit2Trees, ObjectType, open_repository, pygit2
from wt_git.git.snapshot.filters import attribute_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from wt_git.git.git_config import GitConfig
    from wt_git.git.repository import Repository
    from wt_git.git.trees import TreeSource

_GIT_ONLY = ("filter", "working-tree-encoding")
_CONVERSION_SETTINGS = ("core.autocrlf", "core.eol", "core.attributesfile")


class Libgit2Hashing(NamedTuple):
    """How libgit2 hashes files.

    `hash_file(full path, path)` returns the id of a blob, or raises `OSError`. It is None if only git
    can hash the files, for the `reason`. `trees` is None if libgit2 cannot open the repository.
    """

    trees: TreeSource | None
    hash_file: Callable[[bytes, bytes], str] | None
    reason: str = ""


def libgit2_hashing(
    repository: Repository, config: GitConfig, files: Sequence[bytes], *, converted: bool
) -> Libgit2Hashing:
    """Return how libgit2 hashes `files`; `converted`: their content may be converted."""
    try:
        opened = open_repository(repository.top)
    except GitError as error:
        return Libgit2Hashing(None, None, error.message)
    if opened is None:
        return Libgit2Hashing(None, None, "libgit2 does not find it")
    trees = Libgit2Trees(opened)
    if not converted:
        return Libgit2Hashing(trees, _hash_as_is)
    if reason := _difference(opened, repository, config) or _git_only_attribute(opened, files):
        return Libgit2Hashing(trees, None, reason)
    return Libgit2Hashing(trees, functools.partial(_hash_converted, opened))


def _difference(opened: pygit2.Repository, repository: Repository, config: GitConfig) -> str:
    """Return why libgit2 would convert files by other rules than git; empty if it would not.

    It ignores GIT_CONFIG_GLOBAL and settings in the environment, and looks up the home folder with
    the user's attributes only once.
    """
    outside = [file for file in attribute_files(repository, config)[1:] if file.exists()]
    if outside:
        return f"attributes are set in '{outside[0]}'"
    for name in _CONVERSION_SETTINGS:
        seen = opened.config[name] if name in opened.config else None  # noqa: SIM401 - has no get
        if seen != config.get(name):
            return f"{name} is set where libgit2 does not look"
    return ""


def _git_only_attribute(opened: pygit2.Repository, paths: Iterable[bytes]) -> str:
    """Return which of `paths` has an attribute that libgit2 ignores; empty if none has."""
    for path in paths:
        for name in _GIT_ONLY:
            try:
                value = opened.get_attr(path, name)
            except UnicodeDecodeError:  # the value is set, but not UTF-8
                value = "?"
            if isinstance(value, str):
                return f"'{os.fsdecode(path)}' has the attribute {name}"
    return ""


def _hash_converted(opened: pygit2.Repository, full_path: bytes, path: bytes) -> str:
    # Bytes, against the annotation: names need not be UTF-8.
    arguments: tuple[Any, ...] = (full_path, ObjectType.BLOB, path)
    try:
        return str(opened.hashfile(*arguments))
    except pygit2.GitError as error:
        raise OSError(str(error)) from error


def _hash_as_is(full_path: bytes, _: bytes) -> str:
    try:
        return str(pygit2.hashfile(os.fsdecode(full_path)))
    except pygit2.GitError as error:
        raise OSError(str(error)) from error
