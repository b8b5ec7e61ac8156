"""Reading and naming tree objects: their bytes, their entries, their ids."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Protocol

from wt_git.errors import GitError
from wt_git.git import loose_objects
from wt_git.git.process import run
from wt_git.git.status import Entry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pygit2

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
            kind, raw = loose_objects.read(self._repository, tree)
        except (KeyError, ValueError) as error:
            raise _missing(tree) from error
        if kind != _TREE_KIND:
            raise GitError(f"this object of the repository is not a tree: {tree}")
        return raw


def _missing(tree: str) -> GitError:
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
                raise _missing(tree)
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


def entries(raw: bytes, object_format: str) -> dict[bytes, Entry]:
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
