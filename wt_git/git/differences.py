"""What a commit of the whole working directory would change in HEAD's tree."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wt_git.errors import GitError
from wt_git.git import blobs
from wt_git.git.filters import (
    conversions_possible,
    git_only,
    hash_as_is,
    hash_converted,
    unlike,
)
from wt_git.git.opening import open_repository
from wt_git.git.process import run
from wt_git.git.shape import Way, is_sparse, way
from wt_git.git.staging import staged_changes, staged_index
from wt_git.git.status import GITLINK, Entry, Status
from wt_git.git.survey import look_up
from wt_git.git.tree_objects import (
    GitTrees,
    Libgit2Trees,
    ReadOnce,
    TreeSource,
    empty_tree,
    object_id,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import pygit2

    from wt_git.git.exclusions import Exclusions
    from wt_git.git.git_config import GitConfig
    from wt_git.git.index_facts import IndexFacts
    from wt_git.git.staging import Staging

_NO_COMMIT = "a repository of its own, without a commit"
_NOT_SPARSE = "outside of the sparse checkout"


@dataclass(slots=True)
class Differences:
    """The answer. `entries` holds what differs from `base`, None for what is gone.

    `left_out` maps a path that stays outside to the reason; `passed_over` are edits that git would
    not stage; `excluded` maps the excluded paths that differ to what `base` has. See `Snapshot` for
    the rest.
    """

    status: Status
    facts: IndexFacts
    base: str | None
    way: Way
    trees: TreeSource
    entries: dict[bytes, Entry | None] = field(default_factory=dict)
    left_out: dict[bytes, str] = field(default_factory=dict)
    passed_over: list[bytes] = field(default_factory=list)
    unnormalised: list[bytes] = field(default_factory=list)
    excluded: dict[bytes, Entry | None] = field(default_factory=dict)


def find(staging: Staging, config: GitConfig, exclusions: Exclusions) -> Differences:
    """Return what differs, excluded paths apart. Raises `GitError`."""
    status, facts = look_up(staging, config, exclusions)
    found = Differences(
        status=status,
        facts=facts,
        base=_tree_of(staging, status.commit),
        way=way(staging.repository, config, facts),
        trees=ReadOnce(GitTrees(staging.repository.top, staging.repository.object_format)),
    )
    found.excluded = {one.path: one.base for one in status.changed if exclusions.cover(one.path)}
    status.changed = [one for one in status.changed if not exclusions.cover(one.path)]
    status.untracked = [path for path in status.untracked if not exclusions.cover(path)]
    status.nested = [path for path in status.nested if not exclusions.cover(path)]
    wanted = _wanted(staging, found)
    hasher = _hasher(staging, config, found, wanted)
    if found.way.method == "git":
        _by_git(staging, found, wanted, sparse=is_sparse(config))
    else:
        _by_libgit2(staging, config, found, wanted, hasher)
    found.entries = {p: e for p, e in found.entries.items() if not exclusions.cover(p)}
    found.unnormalised = _unnormalised(staging, config, found)
    return found


def _tree_of(staging: Staging, commit: str | None) -> str | None:
    if commit is None:
        return None
    memory = staging.scratch.memory
    known = memory.get("head")
    if not isinstance(known, list) or known[0] != commit:
        args = ("--no-replace-objects", "rev-parse", "--verify", f"{commit}^{{tree}}")
        tree = run(args, cwd=staging.repository.top).decode("ascii").strip()
        memory["head"] = known = [commit, tree]
    return str(known[1])


def _wanted(staging: Staging, found: Differences) -> list[blobs.Wanted]:
    """Return the paths whose content on disk decides, repositories without a commit left out."""
    wanted = [
        blobs.Wanted(one.path, one.worktree_mode)
        for one in found.status.changed
        if one.edited and one.worktree_mode
    ]
    wanted += [blobs.Wanted(path) for path in found.status.untracked]
    top = os.fsencode(staging.repository.top)
    for path in found.status.nested:
        if blobs.nested_commit(os.path.join(top, path)):  # noqa: PTH118 - bytes
            wanted.append(blobs.Wanted(path, GITLINK))
        else:
            found.left_out[path] = _NO_COMMIT
    return wanted


def _hasher(
    staging: Staging, config: GitConfig, found: Differences, wanted: list[blobs.Wanted]
) -> Callable[[bytes, bytes], str]:
    """Return how to hash a file, and settle the way: an attribute may ask for git."""
    # Where links are not possible, a link in the index is a file on disk.
    no_content = {GITLINK, blobs.LINK} if config.flag("core.symlinks", default=True) else {GITLINK}
    files = [path for path, mode in wanted if mode not in no_content]
    if found.way.method == "git" or not files:
        return _no_file
    converted = conversions_possible(staging.repository, config, files)
    opened, reason = _opened(staging)
    if opened is not None:
        found.trees = ReadOnce(Libgit2Trees(opened))
        if not converted:
            return hash_as_is
        reason = unlike(opened, staging.repository, config) or git_only(opened, files)
        if not reason:
            return functools.partial(hash_converted, opened)
    found.way = Way("git", reason)
    return _no_file


def _opened(staging: Staging) -> tuple[pygit2.Repository | None, str]:
    """Return the repository opened by libgit2, or None and why it cannot."""
    try:
        opened = open_repository(staging.repository.top)
    except GitError as error:
        return None, error.message
    return opened, "" if opened else "libgit2 does not find it"


def _no_file(_: bytes, path: bytes) -> str:
    raise blobs.restless(path)


def _by_libgit2(
    staging: Staging,
    config: GitConfig,
    found: Differences,
    wanted: list[blobs.Wanted],
    hasher: Callable[[bytes, bytes], str],
) -> None:
    memory = staging.scratch.memory
    known = memory.setdefault("blobs", {})
    hashed = blobs.hash_files(
        os.fsencode(staging.repository.top),
        wanted,
        hasher=hasher,
        config=config,
        known=known,
        now_ns=staging.scratch.started_ns,
    )
    for one in found.status.changed:
        found.entries[one.path] = hashed.get(one.path) if one.edited else one.staged
    for path in (*found.status.untracked, *found.status.nested):
        if path in hashed and hashed[path] is not None:
            found.entries[path] = hashed[path]
    before = {one.path: one.base for one in found.status.changed}
    found.entries = {p: e for p, e in found.entries.items() if e != before.get(p)}


def _by_git(
    staging: Staging, found: Differences, wanted: list[blobs.Wanted], *, sparse: bool
) -> None:
    gone = [one.path for one in found.status.changed if one.edited and not one.worktree_mode]
    present = [one.path for one in wanted]
    index = staged_index(staging, present=present, gone=gone, sparse=sparse)
    base = found.base or empty_tree(staging.repository.object_format)
    found.entries = staged_changes(staging, index, base)
    if not sparse:
        return
    for path in (*found.status.untracked, *found.status.nested):
        if path not in found.entries and path not in found.left_out:
            found.left_out[path] = _NOT_SPARSE
    for one in found.status.changed:
        now = found.entries.get(one.path, one.base)
        if one.edited and not one.unmerged and now == one.staged:
            found.passed_over.append(one.path)


def _unnormalised(staging: Staging, config: GitConfig, found: Differences) -> list[bytes]:
    """Return the files that differ from the index only by how attributes convert them."""
    edited = [
        one
        for one in found.status.changed
        if one.edited and one.staged and (now := found.entries.get(one.path)) and now != one.staged
    ]
    if not conversions_possible(staging.repository, config, [one.path for one in edited]):
        return []
    top = os.fsencode(staging.repository.top)
    return [
        one.path
        for one in edited
        if one.staged and _raw_id(os.path.join(top, one.path), found.trees) == one.staged.id  # noqa: PTH118
    ]


def _raw_id(full_path: bytes, trees: TreeSource) -> str | None:
    """Return the id of a file's bytes as they are; None when it is no regular file any more."""
    try:
        with open(full_path, "rb", opener=_no_link) as stream:
            return object_id("blob", stream.read(), trees.object_format)
    except OSError:
        return None


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)
