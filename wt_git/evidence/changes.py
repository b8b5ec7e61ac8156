"""What changed between two fingerprints: parts, and files (docs/ladder.md).

A snapshot is stored as the tree of the HEAD it was taken on, and its differences from it. Two
snapshots can be compared as long as git still has both of these trees.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import GitError
from wt_git.git.snapshot.staging import GitTrees
from wt_git.git.trees import ReadOnce, compare_trees
from wt_git.records.fingerprint import SNAPSHOT_FAILED, read_manifest
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from wt_git.evidence.fingerprint import Fingerprint
    from wt_git.git.repository import Repository
    from wt_git.git.snapshot.take import Snapshot
    from wt_git.git.trees import Entry, TreeSource
    from wt_git.records.fingerprint import FingerprintParts, Manifest

MOST_FILES = 12

_PARTS = ("runtime", "target", "model", "soul", "agents", "plugin", "wt_version")
_OTHER_MODE = {0o100644: 0o100755, 0o100755: 0o100644}


class ListedFile(NamedTuple):
    """A file in a listing; the mode is None if it is not known."""

    id: str
    mode: int | None


@dataclass(frozen=True, slots=True)
class FileListing:
    """The files of the tree `base`, except that those in `entries` are replaced (None: removed).

    Without a base, `entries` are all files.
    """

    base: str | None
    entries: Mapping[bytes, ListedFile | None] = field(default_factory=dict)


def listing_of_snapshot(snapshot: Snapshot) -> FileListing:
    """Return the files of a snapshot."""
    return FileListing(
        snapshot.base, {os.fsencode(path): _seen(one) for path, one in snapshot.changes.items()}
    )


def listing_of_manifest(manifest: Manifest) -> FileListing:
    """Return the files of a manifest in a runs directory; it has no modes."""
    return FileListing(
        manifest.base,
        {
            os.fsencode(path): ListedFile(object_id, None) if object_id else None
            for path, object_id in manifest.entries.items()
        },
    )


def tree_source(repository: Repository) -> TreeSource:
    """Return a reader of the trees of `repository`, without fetching. Raises `GitError`."""
    from wt_git.git.libgit2 import Libgit2Trees, open_repository  # noqa: PLC0415 - rarely needed

    opened = open_repository(repository.top) if repository.object_format == "sha1" else None
    if opened is None:
        return ReadOnce(GitTrees(repository.top, repository.object_format))
    return ReadOnce(Libgit2Trees(opened))


def differing_files(
    before: FileListing, after: FileListing, source: TreeSource | None
) -> dict[str, str | None]:
    """Return the paths whose content or mode differs, each with its object id in `before`.

    The id is None for a missing file, and for one that only `after` lists. Raises `GitError` for
    missing trees. `source` may be None if both have the same base.
    """
    committed = {} if source is None else compare_trees(before.base, after.base, source)
    found = {}
    for path in committed.keys() | before.entries.keys() | after.entries.keys():
        if path in committed:
            bases = committed[path]
            was, now = _at(path, before, bases[0]), _at(path, after, bases[1])
        else:
            was, now = before.entries.get(path), after.entries.get(path)
        # Without a difference between the bases, a file that only one lists differs from them.
        listed_once = path not in committed and (path in before.entries) != (path in after.entries)
        if listed_once or _differ(was, now):
            found[os.fsdecode(path)] = was.id if was else None
    return found


def _at(path: bytes, listing: FileListing, base: Entry | None) -> ListedFile | None:
    if path not in listing.entries:
        return _seen(base)
    seen = listing.entries[path]
    if seen is not None and seen.mode is None and base is not None and seen.id == base.id:
        # It is listed because it differs from its base. The content is the same, so the mode does.
        return ListedFile(seen.id, _OTHER_MODE.get(base.mode))
    return seen


def _differ(was: ListedFile | None, now: ListedFile | None) -> bool:
    if was is None or now is None:
        return was is not now
    modes = {mode for mode in (was.mode, now.mode) if mode is not None}
    return was.id != now.id or len(modes) > 1


def _seen(entry: Entry | None) -> ListedFile | None:
    return ListedFile(entry.id, entry.mode) if entry is not None else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The differences between an earlier fingerprint and a later one.

    `parts` are names of parts other than the tree. `tree`: the trees differ, in `files` if these
    are known. `unseen` says why there is no tree to compare.
    """

    parts: tuple[str, ...]
    tree: bool
    files: tuple[str, ...] = ()
    unseen: str = ""

    def text(self) -> str:
        """Return one line: `changed: <parts>; files: <paths>`."""
        pieces = [f"changed: {', '.join(self.parts)}"] if self.parts else []
        if self.files:
            shown = ", ".join(one_line(path) for path in self.files[:MOST_FILES])
            more = len(self.files) - MOST_FILES
            pieces.append(f"files: {shown}" + (f" (+{more} more)" if more > 0 else ""))
        elif self.tree or self.unseen:
            pieces.append(f"the working tree{self.unseen}")
        return "; ".join(pieces) or "nothing recorded"


def changed_parts(then: Mapping[str, object], now: FingerprintParts) -> Changes:
    """Return which parts differ from those that a row recorded, without looking at files.

    A part that an older version did not record counts as null. A missing target counts as this one,
    because rows are selected by target.
    """
    current = now.as_record()
    past = {"target": now.target, **then}
    return Changes(
        parts=tuple(name for name in _PARTS if past.get(name) != current[name]),
        tree=past.get("git_tree") != current["git_tree"],
    )


def changes_since(
    then: Mapping[str, object], fingerprint: str | None, now: Fingerprint, runs_dir: Path
) -> Changes:
    """Return the changes since a row of `runs_dir` recorded the parts `then` and `fingerprint`."""
    found = changed_parts(then, now.parts)
    if fingerprint == SNAPSHOT_FAILED:
        return replace(found, unseen=", of which git could not take a snapshot then")
    if now.value == SNAPSHOT_FAILED:
        return replace(found, unseen=", of which git cannot take a snapshot now")
    tree = then.get("git_tree")
    if not found.tree or not isinstance(tree, str):
        return found
    return replace(found, files=tuple(_files_since(tree, now, runs_dir)))


def _files_since(tree: str, now: Fingerprint, runs_dir: Path) -> list[str]:
    """Return the paths that differ from `tree`; none if git does not have the trees any more."""
    if now.repository is None or now.snapshot is None:
        return []
    try:
        source = tree_source(now.repository)
        listing = _listing(tree, source, runs_dir)
        if listing is None:
            return []
        return sorted(differing_files(listing, listing_of_snapshot(now.snapshot), source))
    except GitError:
        return []


def _listing(tree: str, source: TreeSource, runs_dir: Path) -> FileListing | None:
    try:
        source.read([tree])
    except GitError:
        manifest = read_manifest(runs_dir, tree)
        return listing_of_manifest(manifest) if manifest is not None else None
    return FileListing(tree)  # the snapshot was committed


def describe_change(before: Fingerprint, after: Fingerprint) -> str:
    """Return the changes between two fingerprints of one sweep, for people."""
    found = changed_parts(before.parts.as_record(), after.parts)
    was, now = before.snapshot, after.snapshot
    if not found.tree:
        return found.text()
    if was is None or now is None:
        return replace(found, unseen=", of which git can no longer take a snapshot").text()
    return replace(found, files=tuple(_files_between(was, now, after.repository))).text()


def _files_between(was: Snapshot, now: Snapshot, repository: Repository | None) -> list[str]:
    source = None
    try:
        if was.base != now.base:  # another commit was checked out
            if repository is None:
                return []
            source = tree_source(repository)
        return sorted(differing_files(listing_of_snapshot(was), listing_of_snapshot(now), source))
    except GitError:
        return []
