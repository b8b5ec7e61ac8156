"""Sharing notes: fetch, unite, push without force, and again when somebody was faster.

Nothing that anybody recorded is lost on the way, and nothing that anybody pruned comes back: both
are properties of the union (`wt_git.git.note_union`). Time is bounded, and every way to fail is an
answer, since a push of code must not fail because its notes did.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from wt_git.errors import GitError
from wt_git.git import remote
from wt_git.git.notes import tracking_ref

if TYPE_CHECKING:
    from wt_git.git.notes import Notes

SYNC_TIMEOUT_S = 60.0
_LONGEST_PAUSE_S = 1.0


@dataclass(frozen=True, slots=True)
class Synced:
    """Both sides have the union, or with `push=False` this side has.

    `tip` is the notes commit (None: neither side has notes), `received` and `sent` whether this or
    the other side got something new, `attempts` how often it was tried.
    """

    tip: str | None
    received: bool
    sent: bool
    attempts: int


@dataclass(frozen=True, slots=True)
class NotSynced:
    """What stood in the way at which `step`, in git's words; what was received until then is kept."""

    step: Literal["remote", "fetch", "unite", "push"]
    reason: str
    attempts: int


@dataclass(frozen=True, slots=True)
class _Raced:
    """Another try may do."""

    step: Literal["fetch", "push"]
    reason: str


@dataclass(frozen=True, slots=True)
class _Theirs:
    """The notes commit that the remote is at; None when it has no notes."""

    tip: str | None


def sync(
    notes: Notes, remote_name: str, *, timeout_s: float = SYNC_TIMEOUT_S, push: bool = True
) -> Synced | NotSynced:
    """Bring the notes here and at the configured remote `remote_name` to their union.

    Without `push` only this side changes. Tries until it worked, another try cannot help, or
    `timeout_s` has passed.
    """
    if remote_name not in set(notes.repository.remotes.names()):
        return NotSynced("remote", f"'{remote_name}' is no remote of this repository", 0)
    deadline = time.monotonic() + timeout_s
    before = notes.tip()
    attempts = 0
    while True:
        attempts += 1
        outcome = _attempt(notes, remote_name, deadline, push=push)
        if isinstance(outcome, bool):
            tip = notes.tip()
            return Synced(tip, received=tip != before, sent=outcome, attempts=attempts)
        if isinstance(outcome, NotSynced):
            return NotSynced(outcome.step, outcome.reason, attempts)
        pause = random.uniform(0, min(_LONGEST_PAUSE_S, 0.02 * 2**attempts))  # noqa: S311
        if time.monotonic() + pause >= deadline:
            return NotSynced(outcome.step, outcome.reason, attempts)
        time.sleep(pause)


def fold(notes: Notes) -> bool:
    """Take what was fetched from every remote into the live ref; return whether it was new.

    No network. Git shows the live ref only, and shows each line once. Raises `GitError`.
    """
    tips = notes.tracked()
    if not tips or set(tips.values()) <= {notes.tip()}:
        return False
    with notes.transaction(f"unite with the notes of {', '.join(sorted(tips))}") as tx:
        for tip in tips.values():
            tx.merge(tip)
    return tx.changed


def _attempt(
    notes: Notes, remote_name: str, deadline: float, *, push: bool
) -> bool | NotSynced | _Raced:
    """Fetch, unite and push once; say whether the other side got something new."""
    received = _receive(notes, remote_name, deadline)
    if not isinstance(received, _Theirs):
        return received
    try:
        if received.tip is not None:
            with notes.transaction(f"unite with the notes of {remote_name}") as tx:
                tx.merge(received.tip)
        ours = notes.tip()
    except GitError as error:
        return NotSynced("unite", error.message, 0)
    if not push or ours is None or ours == received.tip:
        return False
    return _send(notes, remote_name, ours, deadline)


def _receive(notes: Notes, remote_name: str, deadline: float) -> _Theirs | NotSynced | _Raced:
    into, left = tracking_ref(remote_name), deadline - time.monotonic()
    match remote.fetch(notes.folder, remote_name, notes.ref, into, timeout_s=left):
        case remote.Done():
            return _Theirs(notes.tracked().get(remote_name))
        case remote.NothingThere():
            return _Theirs(None)
        case remote.LostRace(reason):
            return _Raced("fetch", reason)
        case remote.Unreachable(reason):
            return NotSynced("fetch", reason, 0)


def _send(
    notes: Notes, remote_name: str, commit: str, deadline: float
) -> Literal[True] | NotSynced | _Raced:
    left = deadline - time.monotonic()
    match remote.push(notes.folder, remote_name, commit, notes.ref, timeout_s=left):
        case remote.Done():
            return True
        case remote.LostRace(reason):
            return _Raced("push", reason)
        case remote.Rejected(reason) | remote.Unreachable(reason):
            return NotSynced("push", reason, 0)
