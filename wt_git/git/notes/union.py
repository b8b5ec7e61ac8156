"""Changing a notes tree: the union with another tree, and added lines.

The union has the content of both trees without what either has pruned. It needs no common ancestor,
has no conflicts, and gives the same result in any order and when repeated. Equal parts are taken over
by id without reading them, so the cost grows with the difference only. Adding lines reads and writes
only the folders of the changed keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wt_git.git.notes import lines
from wt_git.git.notes import lines as note_lines
from wt_git.git.notes.tree import (
    EMPTY_TREE,
    FILE,
    FOLDER,
    PRUNED,
    Bucket,
    Root,
    entry_in,
    is_file,
    is_folder,
    named_entries,
    note_in,
    read_blob,
    read_bucket,
    read_root,
    read_tree,
    write_tree,
)
from wt_git.git.snapshot.status import Entry

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
            for name, entry in named_entries(self.repository, folder.id).items():
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
        return self._blob(lines.union_records(self._contents(files), self._pruned))

    def _text(self, files: AbstractSet[Entry]) -> Entry | None:
        return self._blob(lines.union_text(self._contents(files), self._pruned))

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
    pruned_file = lines.union_hashes(hashes)
    joiner = Joiner(
        repository,
        lines.parse_hashes(pruned_file),
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


class NoteEdits(msgspec.Struct):
    """What to add: record lines by key and name, text lines by key, hashes of what to prune."""

    records: dict[str, dict[str, list[bytes]]] = msgspec.field(default_factory=dict)
    texts: dict[str, list[bytes]] = msgspec.field(default_factory=dict)
    pruned: set[str] = msgspec.field(default_factory=set)

    def keys_by_fan(self) -> dict[str, set[str]]:
        """Return the keys that something is added to, by their first two digits."""
        found: dict[str, set[str]] = {}
        for key in (*self.records, *self.texts):
            found.setdefault(key[:2], set()).add(key)
        return found


def apply_edits(repository: pygit2.Repository, tree_id: str, edits: NoteEdits) -> str:
    """Return the id of the notes tree `tree_id` with `edits`, written to `repository`.

    Lines that were pruned before are not added again. A key that stands under another spelling of
    its path moves to ours. Adding what is there already gives `tree_id` again.
    """
    root = read_tree(repository, tree_id)
    pruned = _pruned_hashes(repository, root)
    joiner = Joiner(repository, pruned, refilter=False)
    builder = repository.TreeBuilder(root)
    for fan, keys in edits.keys_by_fan().items():
        new = {key[2:]: _new_entries(repository, key, edits, pruned) for key in keys}
        flat = {key[2:]: entry for key in keys if (entry := note_in(root, key))}
        for rest in flat:
            builder.remove(fan + rest)
        entry = _edited_bucket(joiner, entry_in(root, fan), flat, new)
        if entry.id != EMPTY_TREE:
            builder.insert(fan, entry.id, entry.mode)
    edited = str(builder.write())
    if edits.pruned <= pruned:
        return edited
    hashes = "".join(f"{line_hash}\n" for line_hash in sorted(edits.pruned)).encode("ascii")
    also_pruned = Entry(FILE, str(repository.create_blob(hashes)))
    return union_trees(repository, edited, write_tree(repository, {PRUNED: also_pruned}).id)


def _pruned_hashes(repository: pygit2.Repository, root: pygit2.Tree) -> frozenset[str]:
    there = entry_in(root, PRUNED)
    if there is None or not is_file(there):
        return frozenset()
    return note_lines.parse_hashes(read_blob(repository, there.id))


def _edited_bucket(
    joiner: Joiner,
    there: Entry | None,
    flat: dict[str, Entry],
    new: dict[str, set[Entry]],
) -> Entry:
    """Return the folder of two digits `there`, with `flat` and `new` in it, by remaining digits.

    A folder holds hundreds of keys, so it is not taken apart where none of these is split further.
    """
    repository = joiner.repository
    tree = read_tree(repository, there.id) if there and is_folder(there) else None
    if flat or (tree and any(_is_fan(entry_in(tree, rest[:2])) for rest in new)):
        return write_tree(repository, _with_new(joiner, read_bucket(repository, there, flat), new))
    builder = repository.TreeBuilder(tree) if tree else repository.TreeBuilder()
    for rest, added in new.items():
        known = note_in(tree, rest) if tree else None
        entry = joiner.key(added | ({known} if known else set())) if added else known
        if entry is not None:
            builder.insert(rest, entry.id, entry.mode)
    return Entry(FOLDER, str(builder.write()))


def _is_fan(entry: Entry | None) -> bool:
    return entry is not None and is_folder(entry)


def _new_entries(
    repository: pygit2.Repository, key: str, edits: NoteEdits, pruned: AbstractSet[str]
) -> set[Entry]:
    """Write what is to be added under `key`, without what was pruned, and return its entries."""
    blobs = {
        name: note_lines.union_records([_as_blob(lines)], pruned)
        for name, lines in edits.records.get(key, {}).items()
    }
    files = {
        name: Entry(FILE, str(repository.create_blob(blob))) for name, blob in blobs.items() if blob
    }
    found = {write_tree(repository, files)} if files else set()
    text = note_lines.union_text([_as_blob(edits.texts.get(key, []))], pruned)
    return found | ({Entry(FILE, str(repository.create_blob(text)))} if text else set())


def _with_new(joiner: Joiner, bucket: Bucket, new: dict[str, set[Entry]]) -> dict[str, Entry]:
    """Return what the bucket holds, by path, once `new` is in it."""
    paths = dict(bucket.foreign)
    for rest in bucket.keys.keys() | new.keys():
        entry = joiner.key(bucket.keys.get(rest, set()) | new.get(rest, set()))
        if entry is not None:
            paths[rest] = entry
    return paths


def _as_blob(lines: list[bytes]) -> bytes:
    return b"\n".join(lines)
