"""Changing a notes tree: the union with another tree, and added lines.

The union has the content of both trees without what either has pruned. It needs no common ancestor,
has no conflicts, and gives the same result in any order and when repeated. Equal parts are taken over
by id without reading them, so the cost grows with the difference only. Adding lines reads and writes
only the folders of the changed keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wt_git.git.notes.lines import (
    parse_hashes,
    union_hashes,
    union_records,
    union_text,
)
from wt_git.git.notes.tree import (
    EMPTY_TREE,
    PRUNED,
    Bucket,
    entry_in,
    is_file,
    is_folder,
    named_entries,
    note_in,
    pruned_in,
    read_blob,
    read_bucket,
    read_root,
    read_tree,
    write_blob,
    write_tree,
)
from wt_git.git.trees import TREE, Entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

    import pygit2


class Joiner:
    """Joins notes in one repository and leaves out lines with `pruned` hashes.

    `refilter`: one side lacks some of these hashes, so notes of only one side must be read too.
    """

    def __init__(
        self, repository: pygit2.Repository, pruned: AbstractSet[str], *, refilter: bool
    ) -> None:
        self.repository = repository
        self._pruned = pruned
        self._refilter = refilter

    def key(self, found: AbstractSet[Entry]) -> Entry | None:
        """Return one entry for all entries `found` under a key; None when no line is left.

        A key with records is not that of a commit: a text beside them is dropped, since it can be
        made again.
        """
        folders = {entry for entry in found if is_folder(entry)}
        if folders:
            return self._folder(folders)
        return self._write(union_text(self._contents(found), self._pruned)) if found else None

    def buckets(self, ours: Bucket, theirs: Bucket) -> dict[str, Entry]:
        """Return the union of two buckets by path. Equal entries are not read."""
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
        return self._write(union_records(self._contents(files), self._pruned))

    def _contents(self, files: Iterable[Entry]) -> list[bytes]:
        return [read_blob(self.repository, entry.id) for entry in files]

    def _write(self, content: bytes) -> Entry | None:
        return write_blob(self.repository, content) if content else None


def union_trees(repository: pygit2.Repository, ours: str, theirs: str) -> str:
    """Return the id of the union of two notes trees, written to `repository`.

    Raises `GitError`, code `notes-incomplete`, when an object that must be read is missing.
    """
    if ours == theirs:
        return ours
    mine, other = read_root(repository, ours), read_root(repository, theirs)
    hashes = [read_blob(repository, root.pruned) for root in (mine, other) if root.pruned]
    pruned_file = union_hashes(hashes)
    refilter = mine.pruned != other.pruned
    joiner = Joiner(repository, parse_hashes(pruned_file), refilter=refilter)
    joined = join_foreign(mine.foreign, other.foreign)
    if pruned_file:
        joined[PRUNED] = write_blob(repository, pruned_file)
    for fan in mine.fans | other.fans:
        entry = _join_bucket(joiner, mine.at(fan), other.at(fan))
        if entry is not None:
            joined[fan] = entry
    return write_tree(repository, joined).id


def join_foreign(ours: Mapping[str, Entry], theirs: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return the entries of both sides that are not notes; the greater where they differ."""
    return {
        name: max(side[name] for side in (ours, theirs) if name in side)
        for name in ours.keys() | theirs.keys()
    }


def _join_bucket(
    joiner: Joiner,
    ours: tuple[Entry | None, dict[str, Entry]],
    theirs: tuple[Entry | None, dict[str, Entry]],
) -> Entry | None:
    if ours == theirs and not ours[1]:
        return ours[0]
    repository = joiner.repository
    joined = joiner.buckets(read_bucket(repository, *ours), read_bucket(repository, *theirs))
    entry = write_tree(repository, joined)
    return None if entry.id == EMPTY_TREE else entry


class NoteEdits(msgspec.Struct):
    """Record lines to add, by key and name; text lines to add, by key; hashes of lines to prune."""

    records: dict[str, dict[str, list[bytes]]] = msgspec.field(default_factory=dict)
    texts: dict[str, list[bytes]] = msgspec.field(default_factory=dict)
    pruned: set[str] = msgspec.field(default_factory=set)

    def keys_by_fan(self) -> dict[str, set[str]]:
        """Return the keys that get lines, by their first two digits."""
        found: dict[str, set[str]] = {}
        for key in (*self.records, *self.texts):
            found.setdefault(key[:2], set()).add(key)
        return found


def apply_edits(repository: pygit2.Repository, tree_id: str, edits: NoteEdits) -> str:
    """Return the id of the notes tree `tree_id` with `edits`, written to `repository`.

    Lines that were pruned before are not added again. A key with another spelling of its path moves
    to our spelling. If all lines are there already, the result is `tree_id`.
    """
    root = read_tree(repository, tree_id)
    pruned = pruned_in(repository, root)
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
    also_pruned = write_blob(repository, hashes)
    return union_trees(repository, edited, write_tree(repository, {PRUNED: also_pruned}).id)


def _edited_bucket(
    joiner: Joiner,
    there: Entry | None,
    flat: dict[str, Entry],
    new: dict[str, set[Entry]],
) -> Entry:
    """Return the folder of two digits `there` with the entries `flat` and `new`, by remaining digits.

    A folder has hundreds of keys, so it is read as a whole only where a key is split further.
    """
    repository = joiner.repository
    tree = read_tree(repository, there.id) if there and is_folder(there) else None
    if flat or (tree and any((fan := entry_in(tree, rest[:2])) and is_folder(fan) for rest in new)):
        return write_tree(
            repository, _bucket_with(joiner, read_bucket(repository, there, flat), new)
        )
    builder = repository.TreeBuilder(tree) if tree else repository.TreeBuilder()
    for rest, added in new.items():
        known = note_in(tree, rest) if tree else None
        entry = joiner.key(added | ({known} if known else set())) if added else known
        if entry is not None:
            builder.insert(rest, entry.id, entry.mode)
    return Entry(TREE, str(builder.write()))


def _new_entries(
    repository: pygit2.Repository, key: str, edits: NoteEdits, pruned: AbstractSet[str]
) -> set[Entry]:
    blobs = {
        name: union_records([b"\n".join(lines)], pruned)
        for name, lines in edits.records.get(key, {}).items()
    }
    files = {name: write_blob(repository, blob) for name, blob in blobs.items() if blob}
    found = {write_tree(repository, files)} if files else set()
    text = union_text([b"\n".join(edits.texts.get(key, []))], pruned)
    return found | ({write_blob(repository, text)} if text else set())


def _bucket_with(joiner: Joiner, bucket: Bucket, new: dict[str, set[Entry]]) -> dict[str, Entry]:
    paths = dict(bucket.foreign)
    for rest in bucket.keys.keys() | new.keys():
        entry = joiner.key(bucket.keys.get(rest, set()) | new.get(rest, set()))
        if entry is not None:
            paths[rest] = entry
    return paths
