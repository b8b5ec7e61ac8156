"""Reading one or more notes trees as their union, and finding what a newer tree has lost."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from wt_git.git.notes import lines
from wt_git.git.notes import lines as note_lines
from wt_git.git.notes.tree import (
    PRUNED,
    entry_in,
    find_notes,
    is_file,
    is_folder,
    named_entries,
    read_blob,
    read_bucket,
    read_root,
    read_tree,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    import pygit2

    from wt_git.git.notes.tree import Root
    from wt_git.git.snapshot.status import Entry

_SWEEP_ID = re.compile(r"[0-9a-f]{12}")


class NotesView:
    """What the notes trees `trees` say together, minus what any of them has pruned.

    It stays as it is when refs move: take a new view for what is new.
    """

    def __init__(self, repository: pygit2.Repository, trees: tuple[str, ...]) -> None:
        self._repository = repository
        self._trees = trees
        self._roots = [read_tree(repository, tree) for tree in trees]

    def __bool__(self) -> bool:
        """Whether there are any notes: none recorded, none fetched."""
        return bool(self._roots)

    @cached_property
    def pruned(self) -> frozenset[str]:
        """The hashes of all that was pruned anywhere."""
        found = [entry_in(root, PRUNED) for root in self._roots]
        blobs = [read_blob(self._repository, e.id) for e in found if e and is_file(e)]
        return note_lines.parse_hashes(note_lines.union_hashes(blobs))

    def records(self, key: str) -> dict[str, tuple[bytes, ...]]:
        """Return the lines of each note under `key`, sorted, by the note's name."""
        blobs: dict[str, set[str]] = {}
        for folder in self._found(key):
            if is_folder(folder):
                for name, entry in named_entries(self._repository, folder.id).items():
                    if is_file(entry):
                        blobs.setdefault(name, set()).add(entry.id)
        lines = {name: self._record_lines(ids) for name, ids in sorted(blobs.items())}
        return {name: found for name, found in lines.items() if found}

    def sweeps(self, tree_id: str) -> dict[str, tuple[bytes, ...]]:
        """Return what `records` does, of notes whose name is a sweep id: twelve digits."""
        return {
            name: lines
            for name, lines in self.records(tree_id).items()
            if _SWEEP_ID.fullmatch(name)
        }

    def text(self, commit_id: str) -> tuple[str, ...]:
        """Return the lines that git shows under a commit, sorted, hence by their time."""
        found = {entry.id for entry in self._found(commit_id) if is_file(entry)}
        blobs = [read_blob(self._repository, blob) for blob in sorted(found)]
        lines = note_lines.split_lines(note_lines.union_text(blobs, self.pruned))
        return tuple(line.decode("utf-8") for line in lines)

    def record_keys(self) -> Iterator[str]:
        """Yield every key that has records, each once. Reads all folders: costs what there is."""
        yield from self._keys(folders=True)

    def text_keys(self) -> Iterator[str]:
        """Yield every key that has a text, each once. Reads all folders: costs what there is."""
        yield from self._keys(folders=False)

    def _found(self, key: str) -> list[Entry]:
        return [entry for root in self._roots for entry in find_notes(self._repository, root, key)]

    def _record_lines(self, blob_ids: set[str]) -> tuple[bytes, ...]:
        blobs = [read_blob(self._repository, blob) for blob in sorted(blob_ids)]
        return tuple(note_lines.split_lines(note_lines.union_records(blobs, self.pruned)))

    def _keys(self, *, folders: bool) -> Iterator[str]:
        roots = [read_root(self._repository, tree) for tree in self._trees]
        for fan in sorted({fan for root in roots for fan in (*root.buckets, *root.flat)}):
            here: set[str] = set()
            for root in roots:
                there = root.buckets.get(fan)
                bucket = read_bucket(self._repository, there, root.flat.get(fan))
                here |= {
                    fan + rest
                    for rest, found in bucket.keys.items()
                    if any(is_folder(entry) == folders for entry in found)
                }
            yield from sorted(here)


def first_lost_key(repository: pygit2.Repository, old: str, new: str) -> str | None:
    """Return a key under which the notes tree `new` lacks record lines that `old` has; None for none.

    Lines that `new` has pruned are not missed, but what was pruned must stay so: where a hash is
    missing, the answer is the name of their file. Text lines are made from records, and can be again.
    Raises `GitError`, code `notes-incomplete`.
    """
    before, after = read_root(repository, old), read_root(repository, new)
    pruned = _pruned(repository, after)
    if not _pruned(repository, before) <= pruned:
        return "PRUNED"
    for fan in sorted({*before.buckets, *before.flat}):
        there, now = _fan_entries(before, fan), _fan_entries(after, fan)
        if there == now:
            continue
        held, kept = read_bucket(repository, *there), read_bucket(repository, *now)
        for rest, found in sorted(held.keys.items()):
            left = kept.keys.get(rest, set())
            if not found <= left and _record_lines(repository, found, pruned) - _record_lines(
                repository, left, frozenset()
            ):
                return fan + rest
    return None


def _fan_entries(root: Root, fan: str) -> tuple[Entry | None, dict[str, Entry] | None]:
    return root.buckets.get(fan), root.flat.get(fan)


def _pruned(repository: pygit2.Repository, root: Root) -> frozenset[str]:
    return lines.parse_hashes(read_blob(repository, root.pruned)) if root.pruned else frozenset()


def _record_lines(
    repository: pygit2.Repository, found: Iterable[Entry], pruned: AbstractSet[str]
) -> set[tuple[str, bytes]]:
    """Return the record lines in the folders among `found`, with the name of their note."""
    return {
        (name, line)
        for folder in found
        if is_folder(folder)
        for name, entry in named_entries(repository, folder.id).items()
        if is_file(entry)
        for line in lines.split_lines(read_blob(repository, entry.id))
        if not pruned or lines.line_hash(line) not in pruned
    }
