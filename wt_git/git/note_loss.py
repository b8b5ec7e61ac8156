"""Whether a notes tree still has all that an older one has: what a server asks before it takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.git import note_lines
from wt_git.git.note_tree import entries, is_file, is_folder, read_blob, read_bucket, read_root

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    import pygit2

    from wt_git.git.note_tree import Root
    from wt_git.git.status import Entry


def lost(repository: pygit2.Repository, old: str, new: str) -> str | None:
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
        there, now = _spot(before, fan), _spot(after, fan)
        if there == now:
            continue
        held, kept = read_bucket(repository, *there), read_bucket(repository, *now)
        for rest, found in sorted(held.keys.items()):
            left = kept.keys.get(rest, set())
            if not found <= left and _lines(repository, found, pruned) - _lines(
                repository, left, frozenset()
            ):
                return fan + rest
    return None


def _spot(root: Root, fan: str) -> tuple[Entry | None, dict[str, Entry] | None]:
    return root.buckets.get(fan), root.flat.get(fan)


def _pruned(repository: pygit2.Repository, root: Root) -> frozenset[str]:
    return (
        note_lines.parse_hashes(read_blob(repository, root.pruned)) if root.pruned else frozenset()
    )


def _lines(
    repository: pygit2.Repository, found: Iterable[Entry], pruned: AbstractSet[str]
) -> set[tuple[str, bytes]]:
    """Return the record lines in the folders among `found`, with the name of their note."""
    return {
        (name, line)
        for folder in found
        if is_folder(folder)
        for name, entry in entries(repository, folder.id).items()
        if is_file(entry)
        for line in note_lines.split_lines(read_blob(repository, entry.id))
        if not pruned or note_lines.line_hash(line) not in pruned
    }
