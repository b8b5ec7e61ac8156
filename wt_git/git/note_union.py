"""The union of two notes trees: everything that stands in either, minus what either has pruned.

It needs no common ancestor, never conflicts, and is the same in any order and when repeated. What
is equal on both sides is taken over by its id, unread, so that a merge costs what differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.git import note_lines
from wt_git.git.note_tree import (
    EMPTY_TREE,
    FILE,
    PRUNED,
    Bucket,
    Root,
    entries,
    is_file,
    is_folder,
    read_blob,
    read_bucket,
    read_root,
    write_tree,
)
from wt_git.git.status import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    import pygit2


class Joiner:
    """Joins what two sides say, in one repository and under one set of pruned hashes.

    `refilter`: one side has not heard of all that was pruned, so that also what only one side has
    must be read.
    """

    def __init__(
        self, repository: pygit2.Repository, pruned: AbstractSet[str], *, refilter: bool
    ) -> None:
        self.repository = repository
        self._pruned = pruned
        self._refilter = refilter

    def key(self, found: AbstractSet[Entry]) -> Entry | None:
        """Return the one entry for all that was `found` under a key; None when nothing is left.

        A key with records is no commit's: a text beside them is dropped, it can be made again.
        """
        folders = {entry for entry in found if is_folder(entry)}
        if folders:
            return self._folder(folders)
        return self._text(found) if found else None

    def buckets(self, ours: Bucket, theirs: Bucket) -> dict[str, Entry]:
        """Return the union of two buckets by path; ids that are equal are not looked into."""
        joined = join_foreign(ours.foreign, theirs.foreign)
        for rest in ours.keys.keys() | theirs.keys.keys():
            mine, other = ours.keys.get(rest, set()), theirs.keys.get(rest, set())
            same = mine == other and len(mine) == 1
            entry = next(iter(mine)) if same else self.key(mine | other)
            if entry is not None:
                joined[rest] = entry
        return joined

    def _folder(self, folders: AbstractSet[Entry]) -> Entry | None:
        if len(folders) == 1 and not self._refilter:
            return next(iter(folders))
        files: dict[str, set[Entry]] = {}
        for folder in folders:
            for name, entry in entries(self.repository, folder.id).items():
                files.setdefault(name, set()).add(entry)
        joined = {name: self._records(found) for name, found in files.items()}
        left = {name: entry for name, entry in joined.items() if entry is not None}
        return write_tree(self.repository, left) if left else None

    def _records(self, found: AbstractSet[Entry]) -> Entry | None:
        files = {entry for entry in found if is_file(entry)}
        if not files:
            return max(found)
        if len(files) == 1 and not self._refilter:
            return next(iter(files))
        return self._blob(note_lines.union_records(self._contents(files), self._pruned))

    def _text(self, files: AbstractSet[Entry]) -> Entry | None:
        return self._blob(note_lines.union_text(self._contents(files), self._pruned))

    def _contents(self, files: Iterable[Entry]) -> list[bytes]:
        return [read_blob(self.repository, entry.id) for entry in files]

    def _blob(self, content: bytes) -> Entry | None:
        return Entry(FILE, str(self.repository.create_blob(content))) if content else None


def union_trees(repository: pygit2.Repository, ours: str, theirs: str) -> str:
    """Return the id of the union of two notes trees, written to `repository`.

    Raises `GitError`, code `notes-incomplete`, when an object that had to be read is not there.
    """
    if ours == theirs:
        return ours
    mine, other = read_root(repository, ours), read_root(repository, theirs)
    hashes = [read_blob(repository, root.pruned) for root in (mine, other) if root.pruned]
    pruned_file = note_lines.union_hashes(hashes)
    joiner = Joiner(
        repository,
        note_lines.parse_hashes(pruned_file),
        refilter=mine.pruned != other.pruned,
    )
    joined = join_foreign(mine.foreign, other.foreign)
    if pruned_file:
        joined[PRUNED] = Entry(FILE, str(repository.create_blob(pruned_file)))
    for name in _bucket_names(mine) | _bucket_names(other):
        entry = _join_bucket(repository, joiner, name, (mine, other))
        if entry is not None:
            joined[name] = entry
    return write_tree(repository, joined).id


def join_foreign(ours: Mapping[str, Entry], theirs: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return what is not ours to understand, of both sides; the greater where they differ."""
    return {
        name: max(side[name] for side in (ours, theirs) if name in side)
        for name in ours.keys() | theirs.keys()
    }


def _bucket_names(root: Root) -> set[str]:
    return {*root.buckets, *root.flat}


def _join_bucket(
    repository: pygit2.Repository, joiner: Joiner, name: str, roots: tuple[Root, Root]
) -> Entry | None:
    flat = [root.flat.get(name) for root in roots]
    trees = [root.buckets.get(name) for root in roots]
    if trees[0] == trees[1] and not any(flat):
        return trees[0]
    mine, other = (
        read_bucket(repository, tree, loose) for tree, loose in zip(trees, flat, strict=True)
    )
    joined = joiner.buckets(mine, other)
    entry = write_tree(repository, joined)
    return None if entry.id == EMPTY_TREE else entry
