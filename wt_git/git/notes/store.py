"""A notes ref: reading it together with fetched notes, and adding to it in one commit.

    notes = open_notes(folder)
    notes.view().records(tree_id)      # {name: lines}
    with notes.transaction("subject") as tx:
        tx.add(tree_id, name, lines)

Only the live ref is written. The notes of each remote are in a ref of their own
(`refs/windtunnel/remotes/<remote>/notes`), and a view reads all of them as one.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.clock import Clock, SystemClock
from wt_git.git.libgit2 import open_repository, read_ref
from wt_git.git.notes.tree import root_tree_of
from wt_git.git.notes.view import NotesView

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pygit2

    from wt_git.git.notes.commit import Transaction

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
