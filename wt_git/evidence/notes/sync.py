"""Syncing notes with a remote: fetch, unite, push without force, and retry after a lost race.

The union of both sides keeps every recorded line and every pruning (`wt_git.git.notes`). Time is
bounded, and every failure is a returned value: a push of code must not fail because of its notes.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Literal

import msgspec

from wt_git.errors import GitError
from wt_git.git import remote
from wt_git.git.notes.store import WAIT_S, tracking_ref

if TYPE_CHECKING:
    from wt_git.git.notes.store import Notes

SYNC_TIMEOUT_S = 60.0
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 1.0


class Synced(msgspec.Struct, frozen=True):
    """The union is here and, unless only fetching was asked for, at the remote.

    `tip` is the notes commit, None if neither side has notes. `received` and `sent` say which side
    got something new.
    """

    tip: str | None
    received: bool
    sent: bool
    attempts: int


class NotSynced(msgspec.Struct, frozen=True):
    """The step that failed, and why in git's words. Notes that were received before are kept."""

    step: Literal["remote", "fetch", "unite", "push"]
    reason: str
    attempts: int


class _Failed(msgspec.Struct, frozen=True):
    step: Literal["fetch", "push"]
    reason: str
    lost_race: bool = False


def sync_notes(
    notes: Notes, remote_name: str, *, timeout_s: float = SYNC_TIMEOUT_S, push: bool = True
) -> Synced | NotSynced:
    """Bring the notes here and at `remote_name` to their union; without `push`, only those here.

    Retries after a lost race until `timeout_s` has passed.
    """
    if remote_name not in set(notes.repository.remotes.names()):
        return NotSynced("remote", f"'{remote_name}' is no remote of this repository", 0)
    exchange = _Exchange(notes, remote_name, time.monotonic() + timeout_s)
    attempts, longest_pause_s = 0, _FIRST_PAUSE_S
    while True:
        attempts += 1
        try:
            outcome = exchange.attempt(push=push)
        except GitError as error:
            return NotSynced("unite", error.message, attempts)
        if isinstance(outcome, bool):
            return Synced(exchange.tip, exchange.received, sent=outcome, attempts=attempts)
        longest_pause_s = min(_LONGEST_PAUSE_S, 2 * longest_pause_s)
        pause_s = random.uniform(0, longest_pause_s)  # noqa: S311 - so that two do not keep step
        if not outcome.lost_race or pause_s >= exchange.left_s:
            return NotSynced(outcome.step, outcome.reason, attempts)
        time.sleep(pause_s)


def merge_fetched_notes(notes: Notes) -> bool:
    """Unite the live ref with what was fetched from every remote; return whether anything was new.

    Git shows the live ref only. No network. Raises `GitError`.
    """
    tips = notes.fetched_tips()
    if not tips or set(tips.values()) <= {notes.tip()}:
        return False
    with notes.transaction(f"unite with the notes of {', '.join(sorted(tips))}") as tx:
        for tip in tips.values():
            tx.merge(tip)
    return tx.changed


class _Exchange:
    """The attempts of one sync; `received` says whether any of them fetched something new."""

    def __init__(self, notes: Notes, remote_name: str, deadline: float) -> None:
        self._notes = notes
        self._remote = remote_name
        self._deadline = deadline
        self.received = False
        self.tip: str | None = None

    @property
    def left_s(self) -> float:
        return self._deadline - time.monotonic()

    def attempt(self, *, push: bool) -> bool | _Failed:
        """Fetch, unite and push once; return whether the remote got something new."""
        theirs = self._fetch()
        if isinstance(theirs, _Failed):
            return theirs
        if theirs is not None:
            self._unite(theirs)
        self.tip = self._notes.tip()
        if not push or self.tip is None or self.tip == theirs:
            return False
        return self._push(self.tip)

    def _unite(self, tip: str) -> None:
        wait_s = max(0.0, min(WAIT_S, self.left_s))
        subject = f"unite with the notes of {self._remote}"
        with self._notes.transaction(subject, wait_s=wait_s) as tx:
            tx.merge(tip)
        self.received |= tx.changed

    def _fetch(self) -> str | _Failed | None:
        """Return the remote's notes commit, None if it has no notes."""
        notes, into = self._notes, tracking_ref(self._remote)
        match remote.fetch(notes.folder, self._remote, notes.ref, into, timeout_s=self.left_s):
            case remote.Done():
                return notes.fetched_tips().get(self._remote)
            case remote.NothingThere():
                return None
            case remote.LostRace(reason):
                return _Failed("fetch", reason, lost_race=True)
            case remote.Unreachable(reason):
                return _Failed("fetch", reason)

    def _push(self, commit: str) -> Literal[True] | _Failed:
        notes = self._notes
        match remote.push(notes.folder, self._remote, commit, notes.ref, timeout_s=self.left_s):
            case remote.Done():
                return True
            case remote.LostRace(reason):
                return _Failed("push", reason, lost_race=True)
            case remote.Rejected(reason) | remote.Unreachable(reason):
                return _Failed("push", reason)
