"""Trees: read, named by id, composed from a base and changes, walked, compared and thinned out.

Nothing here writes an object. The id of a tree follows from its content, and evidence is stored under
that id, so the trees of a snapshot need not exist in the repository.
"""

from __future__ import annotations

import hashlib
import os
import re
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wt_git.errors import GitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from wt_git.git.path_patterns import PathPatterns

TREE, FILE, EXECUTABLE, LINK, GITLINK = 0o040000, 0o100644, 0o100755, 0o120000, 0o160000
"""Modes of the entries of a tree; a gitlink is a submodule."""

HASH_BYTES = {"sha1": 20, "sha256": 32}
# `<mode> <name>\0<raw id>`, without separators: a regular expression is fast for 100,000 of them.
_ENTRIES = {
    size: re.compile(rb"([0-7]+) ([^\0]+)\0(.{%d})" % size, re.DOTALL)
    for size in HASH_BYTES.values()
}


class Entry(NamedTuple):
    """The mode and the object id, in hex, of a name in a tree."""

    mode: int
    id: str


class TreeSource(Protocol):
    """A reader of tree objects."""

    object_format: str

    def read(self, ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return the raw bytes of each tree; raises `GitError` when one is missing."""
        ...


def missing_tree(tree: str) -> GitError:
    """Return the error for a tree that is not in the repository."""
    # The command lets git fetch the tree in a partial clone.
    return GitError(
        f"a tree is missing from the repository: {tree}", hints=(f"git ls-tree -r -t {tree}",)
    )


class ReadOnce:
    """A cache in front of another `TreeSource`, for a single operation."""

    def __init__(self, source: TreeSource) -> None:
        self.object_format = source.object_format
        self._source = source
        self._held: dict[str, bytes] = {}

    def read(self, ids: Sequence[str]) -> dict[str, bytes]:
        """Return the raw bytes of each tree."""
        if missing := [tree for tree in ids if tree not in self._held]:
            self._held |= self._source.read(missing)
        return {tree: self._held[tree] for tree in ids}


def tree_entries(raw: bytes, object_format: str) -> dict[bytes, Entry]:
    """Return the entries of a tree by name, in git's order."""
    pattern = _ENTRIES[HASH_BYTES[object_format]]
    return {name: Entry(int(mode, 8), raw_id.hex()) for mode, name, raw_id in pattern.findall(raw)}


def tree_bytes(content: Mapping[bytes, Entry]) -> bytes:
    """Return the bytes of the tree with `content`."""
    # Git sorts a folder as if its name ended in `/`.
    ordered = sorted(
        content.items(), key=lambda item: item[0] + b"/" if item[1].mode == TREE else item[0]
    )
    return b"".join(
        b"%o %s\0%s" % (entry.mode, name, bytes.fromhex(entry.id)) for name, entry in ordered
    )


def object_id(kind: str, data: bytes, object_format: str) -> str:
    """Return the id of the object of `kind` (`blob`, `tree`) with the content `data`."""
    digest = hashlib.new(object_format, usedforsecurity=False)
    digest.update(b"%s %d\0" % (kind.encode("ascii"), len(data)))
    digest.update(data)
    return digest.hexdigest()


def empty_tree(object_format: str) -> str:
    """Return the id of the tree without entries."""
    return object_id("tree", b"", object_format)


class _Node:
    """A name in the trie of changes: its own new entry, and the changes below it."""

    __slots__ = ("below", "entry", "named")

    def __init__(self) -> None:
        self.named = False
        self.entry: Entry | None = None
        self.below: dict[bytes, _Node] = {}


def compose_tree(
    base: str | None, changes: Mapping[bytes, Entry | None], source: TreeSource
) -> str:
    """Return the id of the tree that is `base` (None: nothing) with `changes` applied.

    A change maps a path to its new entry, or to None to remove the file or folder there. Folders
    that become empty are removed, as git keeps none. A file below a path wins over a file at it.
    Only the folders of changed paths are read. Raises `GitError` when one is missing.
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
    """Read the trees of the changed paths, a level at a time: a read may start a process."""
    listings: dict[str, dict[bytes, Entry]] = {}
    level = [(base, root)] if base and root.below else []
    while level:
        wanted = {tree for tree, _ in level} - set(listings)
        raw = source.read(sorted(wanted))
        listings |= {tree: tree_entries(data, source.object_format) for tree, data in raw.items()}
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
    """Return the id of `tree` with the changes below `node`; None when it becomes empty."""
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


def find_entry(tree: str | None, path: bytes, source: TreeSource) -> Entry | None:
    """Return the entry of `tree` at `path`; None when there is none."""
    found = Entry(TREE, tree) if tree else None
    for part in path.split(b"/"):
        if found is None or found.mode != TREE:
            return None
        found = tree_entries(source.read([found.id])[found.id], source.object_format).get(part)
    return found


def walk_files(
    tree: str | None, source: TreeSource, *, enters: Callable[[bytes], bool] = lambda _: True
) -> Iterator[tuple[bytes, Entry]]:
    """Yield every path of `tree` that is not a folder, with its entry, in any order.

    Only folders whose path passes `enters` are read.
    """
    level = [(b"", tree)] if tree else []
    while level:
        raw = source.read([one for _, one in level])
        below = []
        for prefix, one in level:
            for name, entry in tree_entries(raw[one], source.object_format).items():
                path = prefix + name
                if entry.mode != TREE:
                    yield path, entry
                elif enters(path):
                    below.append((path + b"/", entry.id))
        level = below


def compare_trees(
    old: str | None, new: str | None, source: TreeSource
) -> dict[bytes, tuple[Entry | None, Entry | None]]:
    """Return the old and the new entry of each path that differs; None for an absent entry.

    A tree may be None for an empty one. Equal folders are not read.
    """
    found: dict[bytes, tuple[Entry | None, Entry | None]] = {}
    level: list[tuple[bytes, str | None, str | None]] = [(b"", old, new)] if old != new else []
    while level:
        raw = source.read(sorted({tree for _, *pair in level for tree in pair if tree}))
        listings = {tree: tree_entries(data, source.object_format) for tree, data in raw.items()}
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


def matching_paths(tree: str | None, patterns: PathPatterns, source: TreeSource) -> list[bytes]:
    """Return the paths of `tree` that match `patterns`; only folders that may have one are read."""
    files = walk_files(tree, source, enters=patterns.may_match_below)
    return [path for path, _ in files if patterns.match(path)]


def certainly_without(
    tree: str, suffixes: Sequence[str], source: TreeSource, *, known: set[str]
) -> bool:
    """Say whether it is certain that no file name in `tree` ends with one of `suffixes`.

    `known` holds trees for which this is certain, and is extended: of many commits, only changed
    folders are read.
    """
    ends = [os.fsencode(suffix) + b"\0" for suffix in suffixes]
    seen: set[str] = set()
    level = {tree} - known
    while level:
        raw = source.read(sorted(level))
        # The bytes of a hash can look like the end of a name: then it is only not certain.
        if any(end in data for data in raw.values() for end in ends):
            return False
        seen |= level
        below = (tree_entries(data, source.object_format).values() for data in raw.values())
        level = {entry.id for held in below for entry in held if entry.mode == TREE} - seen - known
    known |= seen
    return True


def tree_without(tree: str | None, patterns: PathPatterns, source: TreeSource) -> str:
    """Return the id of `tree` without the paths that match `patterns`, empty folders removed."""
    return compose_tree(tree, dict.fromkeys(matching_paths(tree, patterns, source)), source)
