"""Notes under commits, which `git log` shows, and sharing all notes with a remote.

The lines under a commit are made from the records on its tree, never copied from another commit. A
commit has one line for each sweep, however many hooks see the commit.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from wt_git.errors import GitError
from wt_git.evidence.coverage.evidence_trees import trees_by_commit
from wt_git.evidence.notes.sweep_notes import add_commit_texts
from wt_git.evidence.notes.sync import NotSynced, Synced, merge_fetched_notes, sync_notes
from wt_git.git.history import commit_id, new_commits
from wt_git.git.notes.store import open_notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from wt_git.git.notes.store import Notes

_MOST_COMMITS = 200
"""The most commits that a hook looks at, the newest ones; `wt sync` does the others."""


def show_new_commits(
    git_dir: Path,
    notes_ref: str,
    commits: Sequence[str],
    subject: str,
    *,
    since: str | None = None,
    merge_fetched: bool = False,
) -> None:
    """Show the evidence on `commits`, and on the commits of HEAD since the revision `since`.

    `merge_fetched`: add fetched notes to our own first. Raises `GitError`.
    """
    notes = open_notes(git_dir, ref=notes_ref)
    if notes is None:
        return
    if merge_fetched:
        merge_fetched_notes(notes)
    ids = [commit_id(notes.repository, one) for one in commits[-_MOST_COMMITS:]]
    if since is not None:
        ids += head_since(notes, since)
    show_evidence_on(notes, [one for one in dict.fromkeys(ids) if one], subject)


def head_since(notes: Notes, *before: str) -> list[str]:
    """Return the newest commits that are reachable from HEAD and not from `before`."""
    head = commit_id(notes.repository, "HEAD")
    if head is None:
        return []
    return new_commits(notes.repository, head, before, limit=_MOST_COMMITS)[-_MOST_COMMITS:]


def show_evidence_on(notes: Notes, commits: Iterable[str], subject: str) -> int:
    """Give `commits` the lines of the evidence on their trees; return how many got a new line.

    Raises `GitError`.
    """
    trees = trees_by_commit(notes.repository, notes.view(), commits)
    return add_commit_texts(notes, trees, subject) if trees else 0


def share(notes: Notes, remote: str, *, timeout_s: float, push: bool = True) -> Synced | NotSynced:
    """Bring the notes here and at `remote` to their union, within `timeout_s`.

    Then the newest commits of HEAD show their evidence, and the lines added for that are pushed.
    """
    deadline = time.monotonic() + timeout_s
    first = sync_notes(notes, remote, timeout_s=timeout_s, push=push)
    if isinstance(first, NotSynced):
        return first
    try:
        shown = show_evidence_on(notes, head_since(notes), "notes on commits")
    except GitError as error:
        return NotSynced("unite", error.message, first.attempts)
    left = deadline - time.monotonic()
    if not shown or not push or left <= 0:
        return Synced(notes.tip(), first.received, first.sent, first.attempts)
    second = sync_notes(notes, remote, timeout_s=left, push=push)
    if isinstance(second, NotSynced):
        return second
    received, sent = first.received or second.received, first.sent or second.sent
    return Synced(second.tip, received, sent, first.attempts + second.attempts)


def share_along(notes: Notes, remote: str, *, timeout_s: float) -> list[str]:
    """Share the notes during a push to `remote`; return the lines about a failure."""
    outcome = share(notes, remote, timeout_s=timeout_s)
    if isinstance(outcome, Synced):
        return []
    return [
        f"the push goes on, but the notes stayed here ({outcome.step}: {outcome.reason})",
        f"  later: wt sync {remote}",
    ]
