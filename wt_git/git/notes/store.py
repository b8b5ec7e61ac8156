"""A notes ref: reading it together with fetched notes, and adding to it in one commit.

    notes = open_notes(folder)
    notes.view().records(tree_id)      # {name: lines}
    with notes.transaction("subject") as tx:
        tx.add(tree_id, name, lines)

Only the live ref is written. The notes of each remote are in a ref of their own
(`refs/windtunnel/remotes/<remote>/notes`), and a view reads all of them as one.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.clock import Clock, SystemClock
from wt_git.errors import GitError
from wt_git.git.libgit2 import is_cut_short, open_repository
from wt_git.git.notes.commit import signature
from wt_git.git.notes.tree import is_key, write_tree
from wt_git.git.notes.union import NoteEdits, apply_edits, union_trees
from wt_git.git.notes.view import NotesView
from wt_git.git.refs import WAIT_S, read_ref, ref_writer
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pygit2

NOTES_REF = "refs/windtunnel/notes"
_TRACKING = "refs/windtunnel/remotes"
_SUBJECT_LIMIT = 200
_SYSTEM_CLOCK = SystemClock()


def open_notes(
    folder: Path, *, ref: str = NOTES_REF, from_environment: bool = False
) -> Notes | None:
    """Return the notes of the repository that `folder` is in; None when there is none.

    Any linked worktree or bare repository will do. `from_environment` is for server hooks, which
    find the pushed objects through it. Raises `GitError` (codes `notes-unavailable`,
    `git-ownership`) where libgit2 cannot open the repository.
    """
    repository = open_repository(folder, from_environment=from_environment)
    return Notes(repository, ref=ref) if repository is not None else None


def tracking_ref(remote: str) -> str:
    """Return the ref that keeps what was last seen of the notes of `remote`."""
    return f"{_TRACKING}/{remote}/notes"


class Transaction:
    """What one notes commit will add; nothing is written before its block has ended.

    `commit` is then the id that the notes are at (None: there are none), `changed` whether that is
    a new one.
    """

    def __init__(self) -> None:
        self.edits = NoteEdits()
        self.merged: list[str] = []
        self.commit: str | None = None
        self.changed = False

    def add(self, key: str, name: str, lines: Iterable[bytes]) -> None:
        """Add record `lines` (without LF) under `key`, an object id, in the note `name`."""
        _check_key(key)
        if not name or "/" in name or name in {".", "..", ".git"}:
            raise ValueError(f"a note cannot be named {name!r}")
        self.edits.records.setdefault(key, {}).setdefault(name, []).extend(lines)

    def add_text(self, key: str, lines: Iterable[str]) -> None:
        """Add text `lines` under `key`, a commit id: `<time> <sweep id> <what it found>`."""
        _check_key(key)
        encoded = [line.encode("utf-8", "backslashreplace") for line in lines]
        self.edits.texts.setdefault(key, []).extend(encoded)

    def prune(self, hashes: Iterable[str]) -> None:
        """Drop, and never take back, the lines with these hashes (`note_lines.line_hash`)."""
        self.edits.pruned.update(hashes)

    def merge(self, commit_id: str) -> None:
        """Take in everything that stands in the notes commit `commit_id`."""
        self.merged.append(commit_id)


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
        """Where the git program is to be started: relative URLs of remotes count from here."""
        return Path(self.repository.workdir or self.repository.path)

    def tip(self) -> str | None:
        """Return the commit that the live ref is at; None before the first note."""
        return read_ref(self.repository, self.ref)

    def tracked(self) -> dict[str, str]:
        """Return the notes commit last seen of each configured remote that has one."""
        names = [name for name in self.repository.remotes.names() if name]
        tips = {name: read_ref(self.repository, tracking_ref(name)) for name in names}
        return {name: tip for name, tip in tips.items() if tip is not None}

    def view(self, *, at: Sequence[str] | None = None) -> NotesView:
        """Return what the live ref and those of the remotes say together, as of this moment.

        With `at`, what these notes commits say instead.
        """
        tips = [self.tip(), *self.tracked().values()] if at is None else at
        trees = [self._tree(tip) for tip in tips if tip is not None]
        return NotesView(self.repository, tuple(dict.fromkeys(trees)))

    def live_view(self) -> NotesView:
        """Return what the live ref alone says: that is what git shows."""
        tip = self.tip()
        return self.view(at=() if tip is None else (tip,))

    @contextmanager
    def transaction(self, subject: str, *, wait_s: float = WAIT_S) -> Iterator[Transaction]:
        """Collect changes in the block and write them as one commit when it ends.

        Written under a lock and only onto what was read: where another writer was faster, its notes
        stay and ours are added to them. Nothing is committed when nothing changes, or when the
        block raises. `subject` becomes the first line of the commit's message. Raises `GitError`:
        `ref-locked` after `wait_s`, `ref-unwritable`, `notes-broken`, `notes-incomplete`.
        """
        transaction = Transaction()
        yield transaction
        deadline = time.monotonic() + wait_s
        with ref_writer(self.repository, self.ref, deadline=deadline) as writer:
            while True:
                old = self.tip()
                with self._our_errors():
                    new = self._build(old, transaction, subject)
                if new == old or (new and writer.swap(old=old, new=new, deadline=deadline)):
                    break
                if time.monotonic() > deadline:
                    raise GitError(
                        f"the ref {self.ref} is moved faster than notes can be added to it",
                        code="ref-locked",
                    )
        transaction.commit, transaction.changed = new, new != old

    @contextmanager
    def _our_errors(self) -> Iterator[None]:
        import pygit2  # noqa: PLC0415

        try:
            yield
        except (pygit2.GitError, OSError, KeyError, ValueError) as error:  # a full disk, for one
            raise GitError(
                f"the notes could not be written to the repository at '{self.folder}': {error}",
                code="ref-unwritable",
            ) from error

    def _build(self, tip: str | None, transaction: Transaction, subject: str) -> str | None:
        """Return the commit that `tip` becomes: itself, a merged one, or a new one."""
        start = self._tree(tip) if tip else write_tree(self.repository, {}).id
        trees = {commit: self._tree(commit) for commit in transaction.merged}
        merged = [commit for commit in trees if not self._contains(tip, commit)]
        tree = apply_edits(self.repository, start, transaction.edits)
        for commit in merged:
            tree = union_trees(self.repository, tree, trees[commit])
        if not merged and tree == start:
            return tip
        for commit in merged:  # all that we have is in theirs: theirs is the union
            if tree == trees[commit] and all(
                self._contains(commit, other) for other in (tip, *merged)
            ):
                return commit
        parents = [*dict.fromkeys([tip, *merged] if tip else merged)]
        by = signature(self.repository, self._clock.now())
        message = one_line(subject, _SUBJECT_LIMIT) + "\n"
        return str(self.repository.create_commit(None, by, by, message, tree, parents))

    def _contains(self, tip: str | None, commit: str | None) -> bool:
        """Say whether the history of `tip` has `commit` in it; nothing is in every history."""
        if commit is None or tip == commit:
            return True
        return tip is not None and self.repository.descendant_of(tip, commit)

    def _tree(self, commit_id: str) -> str:
        import pygit2  # noqa: PLC0415

        if not is_cut_short(self.repository, commit_id):
            found = self.repository.get(commit_id)
            if isinstance(found, pygit2.Commit):
                return str(found.tree_id)
        raise GitError(
            f"the notes commit {commit_id} is not in this repository",
            hints=("wt sync",),
            code="notes-broken",
        )


def _check_key(key: str) -> None:
    if not is_key(key):
        raise ValueError(f"a note is kept under the id of an object, 40 digits, not {key!r}")
