"""A notes ref: read together with fetched notes as one union, and added to in one commit."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.clock import Clock, SystemClock
from wt_git.git.libgit2 import open_repository, read_ref
from wt_git.git.notes.lines import line_hash, split_lines, union_records, union_text
from wt_git.git.notes.tree import (
    PRUNED,
    find_notes,
    is_file,
    is_folder,
    named_entries,
    pruned_in,
    read_blob,
    read_bucket,
    read_hashes,
    read_root,
    read_tree,
    root_tree_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    import pygit2

    from wt_git.git.notes.commit import Transaction
    from wt_git.git.trees import Entry

_SWEEP_ID = re.compile(r"[0-9a-f]{12}")


class NotesView:
    """The union of the notes trees `trees`, without lines that any of them has pruned.

    It does not change when refs move.
    """

    def __init__(self, repository: pygit2.Repository, trees: tuple[str, ...]) -> None:
        self._repository = repository
        self._trees = trees
        self._roots = [read_tree(repository, tree) for tree in trees]

    def __bool__(self) -> bool:
        """Whether there are any notes."""
        return bool(self._roots)

    @cached_property
    def pruned(self) -> frozenset[str]:
        """The hashes of the lines that were pruned in any of the trees."""
        return frozenset().union(*(pruned_in(self._repository, root) for root in self._roots))

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
        """Return the `records` of notes whose name is a sweep id: twelve digits."""
        return {
            name: lines
            for name, lines in self.records(tree_id).items()
            if _SWEEP_ID.fullmatch(name)
        }

    def text(self, commit_id: str) -> tuple[str, ...]:
        """Return the lines that git shows for a commit, sorted by time."""
        found = {entry.id for entry in self._found(commit_id) if is_file(entry)}
        blobs = [read_blob(self._repository, blob) for blob in sorted(found)]
        lines = split_lines(union_text(blobs, self.pruned))
        return tuple(line.decode("utf-8") for line in lines)

    def record_keys(self) -> Iterator[str]:
        """Yield every key that has records, once. Reads all folders."""
        yield from self._keys(folders=True)

    def text_keys(self) -> Iterator[str]:
        """Yield every key that has a text, once. Reads all folders."""
        yield from self._keys(folders=False)

    def _found(self, key: str) -> list[Entry]:
        return [entry for root in self._roots for entry in find_notes(self._repository, root, key)]

    def _record_lines(self, blob_ids: set[str]) -> tuple[bytes, ...]:
        blobs = [read_blob(self._repository, blob) for blob in sorted(blob_ids)]
        return tuple(split_lines(union_records(blobs, self.pruned)))

    def _keys(self, *, folders: bool) -> Iterator[str]:
        roots = [read_root(self._repository, tree) for tree in self._trees]
        for fan in sorted({fan for root in roots for fan in root.fans}):
            buckets = [read_bucket(self._repository, *root.at(fan)) for root in roots]
            yield from sorted(
                {
                    fan + rest
                    for bucket in buckets
                    for rest, found in bucket.keys.items()
                    if any(is_folder(entry) == folders for entry in found)
                }
            )


def first_lost_key(repository: pygit2.Repository, old: str, new: str) -> str | None:
    """Return the first key whose record lines of the notes tree `old` are not all in `new`, if any.

    Lines that `new` has pruned may be missing, but no hash of a pruned line: then the answer is the
    name of their file. Text lines do not count, since they can be made from the records again.
    Raises `GitError`, code `notes-incomplete`.
    """
    before, after = read_root(repository, old), read_root(repository, new)
    pruned = read_hashes(repository, after.pruned)
    if not read_hashes(repository, before.pruned) <= pruned:
        return PRUNED
    for fan in sorted(before.fans):
        if before.at(fan) == after.at(fan):
            continue
        held = read_bucket(repository, *before.at(fan))
        kept = read_bucket(repository, *after.at(fan))
        for rest, found in sorted(held.keys.items()):
            left = kept.keys.get(rest, set())
            if not found <= left and _record_lines(repository, found, pruned) - _record_lines(
                repository, left, frozenset()
            ):
                return fan + rest
    return None


def _record_lines(
    repository: pygit2.Repository, found: Iterable[Entry], pruned: AbstractSet[str]
) -> set[tuple[str, bytes]]:
    """Return the lines of all record notes among `found`, each with the name of its note."""
    return {
        (name, line)
        for folder in found
        if is_folder(folder)
        for name, entry in named_entries(repository, folder.id).items()
        if is_file(entry)
        for line in split_lines(read_blob(repository, entry.id))
        if not pruned or line_hash(line) not in pruned
    }


WAIT_S = 10.0
"""The default time for which a writer waits for another."""

NOTES_REF = "refs/windtunnel/notes"
_TRACKING = "refs/windtunnel/remotes"
_SYSTEM_CLOCK = SystemClock()


def open_notes(
    folder: Path, *, ref: str = NOTES_REF, from_environment: bool = False
) -> Notes | None:
    """Return the notes of the repository that `folder` is in; None when there is none.

    A linked worktree and a bare repository are accepted. `from_environment` is for hooks of a
    server, which find the pushed objects through GIT_ variables. Raises `GitError` (codes
    `notes-unavailable`, `git-ownership`) where libgit2 cannot open the repository.
    """
    repository = open_repository(folder, from_environment=from_environment)
    return Notes(repository, ref=ref) if repository is not None else None


def tracking_ref(remote: str) -> str:
    """Return the ref that keeps the notes of `remote` as last fetched."""
    return f"{_TRACKING}/{remote}/notes"


class Notes:
    """The notes of one repository, written to the ref `ref`."""

    def __init__(
        self, repository: pygit2.Repository, *, ref: str = NOTES_REF, clock: Clock = _SYSTEM_CLOCK
    ) -> None:
        self.repository = repository
        self.ref = ref
        self._clock = clock

    @property
    def folder(self) -> Path:
        """The folder in which git is started; relative URLs of remotes are relative to it."""
        return Path(self.repository.workdir or self.repository.path)

    def tip(self) -> str | None:
        """Return the commit of the live ref; None before the first note."""
        return read_ref(self.repository, self.ref)

    def fetched_tips(self) -> dict[str, str]:
        """Return the last fetched notes commit of each configured remote that has one."""
        names = [name for name in self.repository.remotes.names() if name]
        tips = {name: read_ref(self.repository, tracking_ref(name)) for name in names}
        return {name: tip for name, tip in tips.items() if tip is not None}

    def view(self, *, at: Sequence[str] | None = None) -> NotesView:
        """Return the union of the live notes and those of all remotes, as of this moment.

        With `at`, the union of these notes commits instead.
        """
        tips = [self.tip(), *self.fetched_tips().values()] if at is None else at
        trees = [root_tree_of(self.repository, tip) for tip in tips if tip is not None]
        return NotesView(self.repository, tuple(dict.fromkeys(trees)))

    def live_view(self) -> NotesView:
        """Return the notes of the live ref alone, which are those that git shows."""
        tip = self.tip()
        return self.view(at=() if tip is None else (tip,))

    @contextmanager
    def transaction(self, subject: str, *, wait_s: float = WAIT_S) -> Iterator[Transaction]:
        """Collect changes in the block and write them as one commit when it ends.

        The commit is written under a lock, on top of the notes that were read: if another writer was
        faster, its notes stay and ours are added to them. Nothing is committed when nothing changes,
        or when the block raises. `subject` becomes the first line of the commit's message. Raises
        `GitError`: `ref-locked` after `wait_s`, `ref-unwritable`, `notes-broken`,
        `notes-incomplete`.
        """
        from wt_git.git.notes.commit import Transaction, write  # noqa: PLC0415 - hooks only read

        transaction = Transaction()
        yield transaction
        write(
            transaction,
            subject,
            repository=self.repository,
            ref=self.ref,
            now=self._clock.now,
            wait_s=wait_s,
        )
