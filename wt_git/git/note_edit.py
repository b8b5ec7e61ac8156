"""Adding to a notes tree: only the folders on the way to the touched keys are read and written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wt_git.git import note_lines
from wt_git.git.note_tree import (
    EMPTY_TREE,
    FILE,
    FOLDER,
    PRUNED,
    Bucket,
    entry_in,
    is_file,
    is_folder,
    note_in,
    read_blob,
    read_bucket,
    read_tree,
    write_tree,
)
from wt_git.git.note_union import Joiner, union_trees
from wt_git.git.status import Entry

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    import pygit2


@dataclass(slots=True)
class Edits:
    """What to add: record lines by key and name, text lines by key, hashes of what to prune."""

    records: dict[str, dict[str, list[bytes]]] = field(default_factory=dict)
    texts: dict[str, list[bytes]] = field(default_factory=dict)
    pruned: set[str] = field(default_factory=set)

    def keys_by_fan(self) -> dict[str, set[str]]:
        """Return the keys that something is added to, by their first two digits."""
        found: dict[str, set[str]] = {}
        for key in (*self.records, *self.texts):
            found.setdefault(key[:2], set()).add(key)
        return found


def apply_edits(repository: pygit2.Repository, tree_id: str, edits: Edits) -> str:
    """Return the id of the notes tree `tree_id` with `edits`, written to `repository`.

    Lines that were pruned before are not added again. A key that stands under another spelling of
    its path moves to ours. Adding what is there already gives `tree_id` again.
    """
    root = read_tree(repository, tree_id)
    pruned = _pruned(repository, root)
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


def _pruned(repository: pygit2.Repository, root: pygit2.Tree) -> frozenset[str]:
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
    repository: pygit2.Repository, key: str, edits: Edits, pruned: AbstractSet[str]
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
