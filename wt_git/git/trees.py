"""Trees: read, named by id, composed from a base and changes, walked, compared and thinned out.

Nothing here writes an object. The id of a tree follows from its content, and evidence is stored under
that id, so the trees of a snapshot need not exist in the repository.
"""

from __future__ import annotations

import hashlib
import os
import re
from typing import TYPE_CHECKING, Protocol

from wt_git.errors import GitError
from wt_git.git import libgit2
from wt_git.git.process import run
from wt_git.git.snapshot.status import Entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import pygit2

    from wt_git.git.path_patterns import PathPatterns

TREE = 0o040000
_TREE_KIND = 2  # libgit2's number for it
HASH_BYTES = {"sha1": 20, "sha256": 32}
# `<mode> <name>\0<raw id>`, end to end: found in C, since 100,000 files are 100,000 of these.
_ENTRIES = {
    size: re.compile(rb"([0-7]+) ([^\0]+)\0(.{%d})" % size, re.DOTALL)
    for size in HASH_BYTES.values()
}


class TreeSource(Protocol):
    """Where the bytes of trees come from."""

    object_format: str

    def read(self, ids: Sequence[str]) -> Mapping[str, bytes]:
        """Return the raw bytes of each tree; raises `GitError` when one is missing."""
        ...


class Libgit2Trees:
    """Trees of a repository that libgit2 opened. It never fetches what a partial clone lacks."""

    object_format = "sha1"

    def __init__(self, repository: pygit2.Repository) -> None:
        self._repository = repository

    def read(self, ids: Sequence[str]) -> dict[str, bytes]:
        """See `TreeSource`."""
        return {tree: self._read(tree) for tree in ids}

    def _read(self, tree: str) -> bytes:
        try:
            kind, raw = libgit2.read_object(self._repository, tree)
        except (KeyError, ValueError) as error:
            raise _missing_tree(tree) from error
        if kind != _TREE_KIND:
            raise GitError(f"this object of the repository is not a tree: {tree}")
        return raw


def _missing_tree(tree: str) -> GitError:
    # Git itself fetches what a partial clone lacks, once it is asked for it.
    return GitError(
        f"a tree is missing from the repository: {tree}", hints=(f"git ls-tree -r -t {tree}",)
    )


class GitTrees:
    """Trees read by the git program, for repositories that libgit2 cannot open."""

    def __init__(self, folder: Path, object_format: str) -> None:
        self.object_format = object_format
        self._folder = folder

    def read(self, ids: Sequence[str]) -> dict[str, bytes]:
        """See `TreeSource`; one process for all `ids`."""
        asked = list(dict.fromkeys(ids))
        if not asked:
            return {}
        questions = "".join(f"{tree}\n" for tree in asked).encode("ascii")
        # Objects as they are: `refs/replace` may put another tree in a tree's place.
        args = ("--no-replace-objects", "cat-file", "--batch")
        answers = run(args, cwd=self._folder, stdin=questions)
        found: dict[str, bytes] = {}
        at = 0
        for tree in asked:
            end = answers.index(b"\n", at)
            header = answers[at:end].split(b" ")
            if header[1:2] != [b"tree"]:
                raise _missing_tree(tree)
            size = int(header[2])
            found[tree] = answers[end + 1 : end + 1 + size]
            at = end + 1 + size + 1
        return found


class ReadOnce:
    """Another source, asked only once for each tree: for one piece of work."""

    def __init__(self, source: TreeSource) -> None:
        self.object_format = source.object_format
        self._source = source
        self._held: dict[str, bytes] = {}

    def read(self, ids: Sequence[str]) -> dict[str, bytes]:
        """See `TreeSource`."""
        if missing := [tree for tree in ids if tree not in self._held]:
            self._held |= self._source.read(missing)
        return {tree: self._held[tree] for tree in ids}


def tree_entries(raw: bytes, object_format: str) -> dict[bytes, Entry]:
    """Return the entries of a tree by name, in git's order."""
    pattern = _ENTRIES[HASH_BYTES[object_format]]
    return {name: Entry(int(mode, 8), raw_id.hex()) for mode, name, raw_id in pattern.findall(raw)}


def tree_bytes(content: Mapping[bytes, Entry]) -> bytes:
    """Return the bytes of the tree with `content`: git sorts a folder as if its name ended in `/`."""
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
    """One name in the trie of changes: what is put there, and what changes below it."""

    __slots__ = ("below", "entry", "named")

    def __init__(self) -> None:
        self.named = False
        self.entry: Entry | None = None
        self.below: dict[bytes, _Node] = {}


def compose_tree(
    base: str | None, changes: Mapping[bytes, Entry | None], source: TreeSource
) -> str:
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


def find_entry(tree: str | None, path: bytes, source: TreeSource) -> Entry | None:
    """Return what `tree` holds at `path`; None when it holds nothing there."""
    found = Entry(TREE, tree) if tree else None
    for part in path.split(b"/"):
        if found is None or found.mode != TREE:
            return None
        found = tree_entries(source.read([found.id])[found.id], source.object_format).get(part)
    return found


def walk_files(tree: str | None, source: TreeSource) -> Iterator[tuple[bytes, Entry]]:
    """Yield every path of `tree` that is not a folder, with its entry, in no promised order."""
    level = [(b"", tree)] if tree else []
    while level:
        raw = source.read([one for _, one in level])
        below = []
        for prefix, one in level:
            for name, entry in tree_entries(raw[one], source.object_format).items():
                if entry.mode == TREE:
                    below.append((prefix + name + b"/", entry.id))
                else:
                    yield prefix + name, entry
        level = below


def compare_trees(
    old: str | None, new: str | None, source: TreeSource
) -> dict[bytes, tuple[Entry | None, Entry | None]]:
    """Return each path whose entry differs, with the old and the new one; equal folders are not read.

    None stands for an absent tree or entry.
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
    """Return the paths of `tree` that `patterns` match; folders that cannot hold one are not read."""
    found: list[bytes] = []
    level = [(b"", tree)] if tree else []
    while level:
        raw = source.read([one for _, one in level])
        below = []
        for prefix, one in level:
            for name, entry in tree_entries(raw[one], source.object_format).items():
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
        below = (tree_entries(data, source.object_format).values() for data in raw.values())
        level = {entry.id for held in below for entry in held if entry.mode == TREE} - seen - known
    known |= seen
    return True


def tree_without(tree: str | None, patterns: PathPatterns, source: TreeSource) -> str:
    """Return the id of `tree` without the paths that `patterns` match, empty folders dropped."""
    gone: Sequence[bytes] = matching_paths(tree, patterns, source)
    return compose_tree(tree, dict.fromkeys(gone), source)
