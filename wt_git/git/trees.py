"""Trees as values: put together from a base and what differs, walked, compared, thinned out.

Nothing here writes an object. A tree's id follows from its content alone, and evidence is keyed by
the id, so the trees of a snapshot need not exist anywhere.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from wt_git.git.status import Entry
from wt_git.git.tree_objects import TREE, TreeSource, empty_tree, entries, object_id, tree_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from wt_git.git.path_patterns import PathPatterns


class _Node:
    """One name in the trie of changes: what is put there, and what changes below it."""

    __slots__ = ("below", "entry", "named")

    def __init__(self) -> None:
        self.named = False
        self.entry: Entry | None = None
        self.below: dict[bytes, _Node] = {}


def compose(base: str | None, changes: Mapping[bytes, Entry | None], source: TreeSource) -> str:
    """Return the id of the tree that is `base` (None: nothing) with `changes` applied.

    A change maps a path to its new entry, or to None for "gone", which may be a whole folder.
    Folders that become empty vanish, as git keeps none. A file below a path wins over a file at it.
    Only the folders along changed paths are read. Raises `GitError` when one is missing.
    """
    root = _trie(changes)
    listings = _listings_along(base, root, source)
    made = _compose(base, root, listings, source.object_format)
    return made or empty_tree(source.object_format)


def _trie(changes: Mapping[bytes, Entry | None]) -> _Node:
    root = _Node()
    for path, entry in changes.items():
        node = root
        for part in path.split(b"/"):
            node = node.below.setdefault(part, _Node())
        node.named, node.entry = True, entry
    return root


def _listings_along(
    base: str | None, root: _Node, source: TreeSource
) -> dict[str, dict[bytes, Entry]]:
    """Read the trees along the changed paths, a level at a time: a read may be a process."""
    listings: dict[str, dict[bytes, Entry]] = {}
    level = [(base, root)] if base and root.below else []
    while level:
        wanted = {tree for tree, _ in level} - set(listings)
        raw = source.read(sorted(wanted))
        listings |= {tree: entries(data, source.object_format) for tree, data in raw.items()}
        level = [
            (entry.id, node)
            for tree, parent in level
            for name, node in parent.below.items()
            if node.below and not node.named
            for entry in [listings[tree].get(name)]
            if entry is not None and entry.mode == TREE
        ]
    return listings


def _compose(
    tree: str | None,
    node: _Node,
    listings: Mapping[str, Mapping[bytes, Entry]],
    object_format: str,
) -> str | None:
    """Return the id of `tree` with what is below `node`; None when nothing is left."""
    if not node.below:
        return tree
    content = dict(listings[tree]) if tree else {}
    for name, child in node.below.items():
        now = _child(content.get(name), child, listings, object_format)
        if now is None:
            content.pop(name, None)
        else:
            content[name] = now
    return object_id("tree", tree_bytes(content), object_format) if content else None


def _child(
    was: Entry | None,
    node: _Node,
    listings: Mapping[str, Mapping[bytes, Entry]],
    object_format: str,
) -> Entry | None:
    if not node.below:
        return node.entry
    folder = was.id if was and was.mode == TREE and not node.named else None
    made = _compose(folder, node, listings, object_format)
    if made is not None:
        return Entry(TREE, made)
    if node.named:
        return node.entry
    return was if was and was.mode != TREE else None


def lookup(tree: str | None, path: bytes, source: TreeSource) -> Entry | None:
    """Return what `tree` holds at `path`; None when it holds nothing there."""
    found = Entry(TREE, tree) if tree else None
    for part in path.split(b"/"):
        if found is None or found.mode != TREE:
            return None
        found = entries(source.read([found.id])[found.id], source.object_format).get(part)
    return found


def walk(tree: str | None, source: TreeSource) -> Iterator[tuple[bytes, Entry]]:
    """Yield every path of `tree` that is not a folder, with its entry, in no promised order."""
    level = [(b"", tree)] if tree else []
    while level:
        raw = source.read([one for _, one in level])
        below = []
        for prefix, one in level:
            for name, entry in entries(raw[one], source.object_format).items():
                if entry.mode == TREE:
                    below.append((prefix + name + b"/", entry.id))
                else:
                    yield prefix + name, entry
        level = below


def compare(
    old: str | None, new: str | None, source: TreeSource
) -> dict[bytes, tuple[Entry | None, Entry | None]]:
    """Return each path whose entry differs, with the old and the new one; equal folders are not read.

    None stands for an absent tree or entry.
    """
    found: dict[bytes, tuple[Entry | None, Entry | None]] = {}
    level: list[tuple[bytes, str | None, str | None]] = [(b"", old, new)] if old != new else []
    while level:
        raw = source.read(sorted({tree for _, *pair in level for tree in pair if tree}))
        listings = {tree: entries(data, source.object_format) for tree, data in raw.items()}
        below = []
        for prefix, *pair in level:
            before, after = (listings[tree] if tree else {} for tree in pair)
            for name in before.keys() | after.keys():
                was, now = before.get(name), after.get(name)
                if was == now:
                    continue
                files = tuple(e if e and e.mode != TREE else None for e in (was, now))
                folders = [e.id if e and e.mode == TREE else None for e in (was, now)]
                if any(files):
                    found[prefix + name] = (files[0], files[1])
                if any(folders) and folders[0] != folders[1]:
                    below.append((prefix + name + b"/", folders[0], folders[1]))
        level = below
    return found


def matching(tree: str | None, patterns: PathPatterns, source: TreeSource) -> list[bytes]:
    """Return the paths of `tree` that `patterns` match; folders that cannot hold one are not read."""
    found: list[bytes] = []
    level = [(b"", tree)] if tree else []
    while level:
        raw = source.read([one for _, one in level])
        below = []
        for prefix, one in level:
            for name, entry in entries(raw[one], source.object_format).items():
                path = prefix + name
                if entry.mode != TREE:
                    if patterns.match(path):
                        found.append(path)
                elif patterns.may_match_below(path):
                    below.append((path + b"/", entry.id))
        level = below
    return found


def certainly_without(
    tree: str, suffixes: Sequence[str], source: TreeSource, *, known: set[str]
) -> bool:
    """Say whether it is certain that no file of `tree` has a name with one of `suffixes`.

    `known` are trees of which that is certain already, and is added to: of many commits, only the
    folders that changed are read.
    """
    ends = [os.fsencode(suffix) + b"\0" for suffix in suffixes]
    seen: set[str] = set()
    level = {tree} - known
    while level:
        raw = source.read(sorted(level))
        # By chance a hash can read like the end of a name; then it is not certain, and that is all.
        if any(end in data for data in raw.values() for end in ends):
            return False
        seen |= level
        below = (entries(data, source.object_format).values() for data in raw.values())
        level = {entry.id for held in below for entry in held if entry.mode == TREE} - seen - known
    known |= seen
    return True


def without(tree: str | None, patterns: PathPatterns, source: TreeSource) -> str:
    """Return the id of `tree` without the paths that `patterns` match, empty folders dropped."""
    gone: Sequence[bytes] = matching(tree, patterns, source)
    return compose(tree, dict.fromkeys(gone), source)
