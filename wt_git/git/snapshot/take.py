"""What a tree does not show about the working directory: absent files, hidden and submodule edits."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wt_git.errors import GitError
from wt_git.git import trees
from wt_git.git.git_config import read_config
from wt_git.git.process import run
from wt_git.git.snapshot import differences
from wt_git.git.snapshot.filters import attribute_files, lfs_drivers, safe_options
from wt_git.git.snapshot.lfs_pointer import POINTER_LIMIT, is_pointer
from wt_git.git.snapshot.scratch import open_scratch
from wt_git.git.snapshot.staging import Staging, hidden_edits
from wt_git.git.snapshot.status import NO_EXCLUSIONS, Exclusions
from wt_git.git.trees import LINK, TREE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wt_git.git.git_config import GitConfig
    from wt_git.git.path_patterns import PathPatterns
    from wt_git.git.repository import Repository
    from wt_git.git.snapshot.differences import Differences, Method
    from wt_git.git.trees import Entry


def absent(staging: Staging, config: GitConfig, found: Differences) -> list[bytes]:
    """Return the paths of the tree that the agent does not find on disk; see `Snapshot`."""
    top = os.fsencode(staging.repository.top)
    missing = _missing_paths(top, found.facts.skipped)
    unfilled = [
        path
        for path in found.facts.gitlinks
        if not os.path.lexists(top + b"/" + path + b"/.git")
        and found.entries.get(path, path) is not None
    ]
    return sorted(
        {*missing, *unfilled, *_links_out(top, found), *_lfs_pointers(staging, config, found)}
    )


def _missing_paths(top: bytes, paths: Iterable[bytes]) -> set[bytes]:
    """Return the missing ones of `paths`; one name for a folder that is missing with its files."""
    missing: set[bytes] = set()
    seen: dict[bytes, bool] = {}
    for path in paths:
        at = path.find(b"/")
        while at >= 0:
            folder = path[: at + 1]
            if folder not in seen:
                seen[folder] = os.path.isdir(top + b"/" + folder)  # noqa: PTH112
            if not seen[folder]:
                missing.add(folder)
                break
            at = path.find(b"/", at + 1)
        else:
            if not os.path.lexists(top + b"/" + path):
                missing.add(path)
    return missing


def _links_out(top: bytes, found: Differences) -> list[bytes]:
    """Return the links to targets outside of the repository, whose content the tree lacks."""
    links = set(found.facts.links)
    links |= {path for path, entry in found.entries.items() if entry and entry.mode == LINK}
    inside = os.path.realpath(top)
    outward = []
    for path in links:
        full_path = top + b"/" + path
        if not os.path.islink(full_path):  # noqa: PTH114 - bytes
            continue
        target = os.path.realpath(full_path)
        if target != inside and not target.startswith(inside + b"/"):
            outward.append(path)
    return outward


def _lfs_pointers(staging: Staging, config: GitConfig, found: Differences) -> list[bytes]:
    if not _names_a_filter(staging, config, found):
        return []
    names = sorted({"lfs", *lfs_drivers(config)})
    specs = [f":(top,attr:filter={name})" for name in names]
    listed = staging.run(("ls-files", "-z", "--", *specs), staging.scratch.index).split(b"\0")[:-1]
    top = os.fsencode(staging.repository.top)
    return [path for path in listed if _holds_pointer(top + b"/" + path)]


def _names_a_filter(staging: Staging, config: GitConfig, found: Differences) -> bool:
    top = staging.repository.top
    tracked = [top / os.fsdecode(path) for path in found.facts.attributes]
    others = [top / os.fsdecode(p) for p in found.entries if p.endswith(b".gitattributes")]
    for file in (*tracked, *others, *attribute_files(staging.repository, config)):
        try:
            if b"filter=" in file.read_bytes():
                return True
        except OSError:
            continue
    return False


def _holds_pointer(full_path: bytes) -> bool:
    try:
        seen = os.lstat(full_path)
        if not stat.S_ISREG(seen.st_mode) or seen.st_size >= POINTER_LIMIT:
            return False
        with open(full_path, "rb") as stream:  # noqa: PTH123 - bytes
            return is_pointer(stream.read(POINTER_LIMIT))
    except OSError:
        return False


def dirty_repositories(staging: Staging, found: Differences) -> list[bytes]:
    """Return the submodules and nested repositories with uncommitted edits, at any depth."""
    top = os.fsencode(staging.repository.top)
    folders = {*found.facts.gitlinks, *found.status.nested}
    return sorted(
        path
        for path in folders - set(found.left_out)
        if _is_dirty(top + b"/" + path, staging.timeout_s)
    )


def _is_dirty(folder: bytes, timeout_s: float) -> bool:
    if not os.path.lexists(folder + b"/.git"):
        return False
    where = Path(os.fsdecode(folder))
    options = safe_options(read_config(where))
    args = ("status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=none")
    return bool(run((*options, *args), cwd=where, timeout_s=timeout_s))


def hidden_edits_of(staging: Staging, found: Differences) -> list[bytes]:
    """Return the edited files that git skips, because of a flag or a sparse checkout."""
    top = os.fsencode(staging.repository.top)
    present = [path for path in found.facts.skipped if os.path.lexists(top + b"/" + path)]
    return sorted({*hidden_edits(staging, [*found.facts.assumed, *present]), *found.skipped_edits})


class LeftOut(NamedTuple):
    """A path that is neither ignored nor in the tree, and the reason."""

    path: str
    reason: str


class Snapshot(msgspec.Struct, frozen=True):
    """The tree of the working directory, and the facts that this tree does not show.

    Paths are relative to the top, with `/` between names; bytes that are not UTF-8 are surrogate
    escapes.

    `tree`: the id, in hex. `head`, `base`: the commit of HEAD and its tree, None before the first
    commit. `changes`: every path whose entry differs from `base`, None for a removed one.
    `tree_under_test`: the tree without the paths that are not under test, else `tree`. `method`: the
    program that hashed the files; `method_reason`: why it was not libgit2.

    `excluded`: tracked paths that the exclusions removed from the tree. `left_out`: untracked paths
    that git cannot or would not add. `ignored`: ignored paths; a folder is one name that ends in `/`.
    `absent`: files of the tree that are not on disk: parts outside of a sparse checkout,
    uninitialised submodules, Git LFS pointers instead of content, links out of the repository.
    `dirty_submodules`: their uncommitted edits are not in the tree. `hidden_edits`: edited files that
    git skips. `conflicts`: unmerged paths, with their content on disk. `unnormalised`: files with the
    bytes of the index that would change when added, because attributes changed. `untracked`: files of
    the tree that are in no commit. `partly_staged`: files whose content in the index is another one.
    """

    tree: str
    head: str | None
    base: str | None
    changes: Mapping[str, Entry | None]
    tree_under_test: str
    method: Method
    method_reason: str
    excluded: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    ignored: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    dirty_submodules: tuple[str, ...] = ()
    hidden_edits: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    unnormalised: tuple[str, ...] = ()
    untracked: tuple[str, ...] = ()
    partly_staged: tuple[str, ...] = ()


def take_snapshot(
    repository: Repository,
    *,
    exclusions: Exclusions = NO_EXCLUSIONS,
    not_under_test: PathPatterns | None = None,
    timeout_s: float = 60.0,
) -> Snapshot:
    """Return the current snapshot of the working directory of `repository`.

    `timeout_s` limits each git command. Raises `GitError` when the tree of a commit cannot be
    determined: git is missing or too slow, a filter fails, a file or folder cannot be read
    (`git-unreadable`) or keeps changing (`git-unsettled`).
    """
    config = read_config(repository.top)
    options = safe_options(config)
    key = repr((config.digest, exclusions.suffixes, options))
    try:
        with open_scratch(repository, key) as work:
            staging = Staging(repository, work, options, timeout_s)
            return _take(staging, config, exclusions, not_under_test)
    except OSError as error:
        raise GitError(f"the snapshot of '{repository.top}' failed: {error}") from error


def _take(
    staging: Staging,
    config: GitConfig,
    exclusions: Exclusions,
    not_under_test: PathPatterns | None,
) -> Snapshot:
    found = differences.find_differences(staging, config, exclusions)
    out = _excluded_paths(staging, found, exclusions)
    staging.scratch.keep()
    changes = found.entries | dict.fromkeys(out)
    tree = trees.compose_tree(found.base, changes, found.trees)
    under_test = _tree_under_test(found, changes, not_under_test) if not_under_test else tree
    ignored = [path for path in found.status.ignored if not exclusions.covers(path.rstrip(b"/"))]
    return Snapshot(
        tree=tree,
        head=found.status.commit,
        base=found.base,
        changes={os.fsdecode(path): changes[path] for path in sorted(changes)},
        tree_under_test=under_test,
        method=found.hash_method.method,
        method_reason=found.hash_method.reason,
        excluded=_decoded(out),
        left_out=tuple(
            LeftOut(os.fsdecode(path), found.left_out[path]) for path in sorted(found.left_out)
        ),
        ignored=_decoded(ignored),
        absent=_decoded(absent(staging, config, found)),
        dirty_submodules=_decoded(dirty_repositories(staging, found)),
        hidden_edits=_decoded(hidden_edits_of(staging, found)),
        conflicts=_decoded([one.path for one in found.status.changed if one.unmerged]),
        unnormalised=_decoded(found.unnormalised),
        untracked=_decoded(found.status.untracked),
        partly_staged=_decoded(
            [one.path for one in found.status.changed if one.edited and one.staged != one.base]
        ),
    )


def _excluded_paths(
    staging: Staging, found: differences.Differences, exclusions: Exclusions
) -> list[bytes]:
    memory = staging.scratch.memory
    folders = [os.fsencode(path) for path in exclusions.paths]
    if memory.excluded is None or memory.excluded[:2] != (found.base, folders):
        memory.excluded = (found.base, folders, _paths_below(found, folders))
    tracked = {*found.facts.suffixed, *found.excluded}
    suffixed = {path for path in tracked if found.excluded.get(path, True)}
    return sorted(suffixed.union(memory.excluded[2]))


def _paths_below(found: differences.Differences, folders: Iterable[bytes]) -> list[bytes]:
    files: list[bytes] = []
    for path in folders:
        entry = trees.find_entry(found.base, path, found.trees)
        if entry is not None and entry.mode == TREE:
            files += [path + b"/" + name for name, _ in trees.walk_files(entry.id, found.trees)]
        elif entry is not None:
            files.append(path)
    return files


def _tree_under_test(
    found: differences.Differences,
    changes: Mapping[bytes, Entry | None],
    patterns: PathPatterns,
) -> str:
    gone = trees.matching_paths(found.base, patterns, found.trees)
    kept = {path: None if patterns.match(path) else entry for path, entry in changes.items()}
    return trees.compose_tree(found.base, kept | dict.fromkeys(gone), found.trees)


def _decoded(paths: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(os.fsdecode(path) for path in paths)
