"""Which files differ between two snapshots, of which neither need exist as a tree in the repository.

A snapshot is known as the tree of the HEAD it was taken on and what differed from that. So two of
them can be compared although commits came in between, as long as git still has both of these trees.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import GitError
from wt_git.git.opening import open_repository
from wt_git.git.tree_objects import GitTrees, Libgit2Trees, ReadOnce
from wt_git.git.trees import compare

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.git.repository import Repository
    from wt_git.git.snapshot import Snapshot
    from wt_git.git.status import Entry
    from wt_git.git.tree_objects import TreeSource
    from wt_git.records.manifests import Manifest

_FLIPPED = {0o100644: 0o100755, 0o100755: 0o100644}


class Seen(NamedTuple):
    """What a listing has at a path: an object id, and the mode where it is known."""

    id: str
    mode: int | None


@dataclass(frozen=True, slots=True)
class Listing:
    """The tree `base` (None: nothing) with `entries` in place of what it has there, None: gone."""

    base: str | None
    entries: Mapping[bytes, Seen | None] = field(default_factory=dict)


def listing_of_snapshot(snapshot: Snapshot) -> Listing:
    """Return the listing of a snapshot that was just taken."""
    return Listing(
        snapshot.base, {os.fsencode(path): _seen(one) for path, one in snapshot.changes.items()}
    )


def listing_of_manifest(manifest: Manifest) -> Listing:
    """Return the listing that a runs directory kept; it has no modes."""
    return Listing(
        manifest.base,
        {
            os.fsencode(path): Seen(object_id, None) if object_id else None
            for path, object_id in manifest.entries.items()
        },
    )


def trees_of(repository: Repository) -> TreeSource:
    """Return what reads the trees of `repository`. Nothing is fetched for it. Raises `GitError`."""
    opened = open_repository(repository.top) if repository.object_format == "sha1" else None
    if opened is None:
        return ReadOnce(GitTrees(repository.top, repository.object_format))
    return ReadOnce(Libgit2Trees(opened))


def has_tree(tree: str, source: TreeSource) -> bool:
    """Say whether git has `tree`: a snapshot that was committed since, as it was."""
    try:
        source.read([tree])
    except GitError:
        return False
    return True


def differing(before: Listing, after: Listing, source: TreeSource | None) -> list[str]:
    """Return the paths whose content or mode differs, sorted. Raises `GitError` without the trees.

    `source` has them; it may be None where both bases are the same.
    """
    committed = {} if source is None else compare(before.base, after.base, source)
    paths = committed.keys() | before.entries.keys() | after.entries.keys()
    return sorted(os.fsdecode(path) for path in paths if _differs(path, before, after, committed))


def _differs(
    path: bytes,
    before: Listing,
    after: Listing,
    committed: Mapping[bytes, tuple[Entry | None, Entry | None]],
) -> bool:
    if path not in committed:
        if (path in before.entries) != (path in after.entries):
            return True  # the bases agree on it, and one of the two differs from its base
        return _differ(before.entries[path], after.entries[path])
    bases = committed[path]
    return _differ(_at(path, before, bases[0]), _at(path, after, bases[1]))


def _at(path: bytes, listing: Listing, base: Entry | None) -> Seen | None:
    if path not in listing.entries:
        return _seen(base)
    seen = listing.entries[path]
    if seen is not None and seen.mode is None and base is not None and seen.id == base.id:
        # It is listed because it differs, and only its mode can.
        return Seen(seen.id, _FLIPPED.get(base.mode))
    return seen


def _differ(was: Seen | None, now: Seen | None) -> bool:
    if was is None or now is None:
        return was is not now
    modes = {mode for mode in (was.mode, now.mode) if mode is not None}
    return was.id != now.id or len(modes) > 1


def _seen(entry: Entry | None) -> Seen | None:
    return Seen(entry.id, entry.mode) if entry is not None else None
