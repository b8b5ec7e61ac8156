"""Sharing notes with a remote, and adding the lines of the newest commits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from wt_git.errors import GitError
from wt_git.evidence.notes.sync import NotSynced, Synced, sync_notes
from wt_git.githooks.post_hooks import head_since, show_evidence_on

if TYPE_CHECKING:
    from wt_git.git.notes.store import Notes

_SUBJECT = "notes on commits"


def share(notes: Notes, remote: str, *, timeout_s: float, push: bool = True) -> Synced | NotSynced:
    """Bring the notes here and at `remote` to their union, within `timeout_s`.

    The newest commits of HEAD then show their evidence. What that added goes out at once.
    """
    deadline = time.monotonic() + timeout_s
    first = sync_notes(notes, remote, timeout_s=timeout_s, push=push)
    if isinstance(first, NotSynced):
        return first
    try:
        shown = show_evidence_on(notes, head_since(notes), _SUBJECT)
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
