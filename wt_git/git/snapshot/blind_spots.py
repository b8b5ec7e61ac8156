"""What a tree does not show about the working directory: absent files, hidden and submodule edits."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.git.git_config import read_config
from wt_git.git.process import run
from wt_git.git.snapshot.filters import attribute_files, lfs_drivers, safe_options
from wt_git.git.snapshot.lfs_pointer import POINTER_LIMIT, is_pointer
from wt_git.git.snapshot.staging import hidden_edits
from wt_git.git.trees import LINK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wt_git.git.git_config import GitConfig
    from wt_git.git.snapshot.differences import Differences
    from wt_git.git.snapshot.staging import Staging


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
