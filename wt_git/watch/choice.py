"""Which sweep is followed, and from where in the events (docs/following-a-sweep.md, "Which sweep")."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from wt_git.watch.event_lines import moment_of, starts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from wt_git.watch.event_file import PlacedEvent
    from wt_git.watch.event_lines import EventRecord

JUST_NOW = timedelta(seconds=10)
"""So long ago a sweep may have started and be followed by its label although it has ended."""


class Found(NamedTuple):
    """Where the events of a sweep begin, None when there are none; and ids that may be meant instead.

    Asked for by its id, those are the ids that begin like it; else the newest sweep that is over.
    """

    start: int | None
    near: tuple[str, ...] = ()


def find_sweep(newest_first: Iterable[PlacedEvent], sweep_id: str) -> Found:
    """Return where the sweep of that id begins; its first event, should its start be missing."""
    start = None
    near: dict[str, None] = {}
    for place, record in newest_first:
        found = record["sweep_id"]
        if found == sweep_id:
            start = place
            if record["event"] == "sweep_started":
                break
        elif found.startswith(sweep_id):
            near[found] = None
    return Found(start, tuple(near))


def find_newest(
    newest_first: Iterable[PlacedEvent],
    label: str | None,
    *,
    since: datetime,
    now: datetime,
    is_dead: Callable[[EventRecord], bool],
) -> Found:
    """Return where the newest sweep begins that runs or started after `since`.

    `is_dead` says of the start of a sweep without an end whether it is certain that none will come.
    """
    finished = set()
    over: tuple[str, ...] = ()
    for place, record in newest_first:
        if record["event"] == "sweep_finished":
            finished.add(record["sweep_id"])
        elif starts(record, label):
            if _started_between(record, since, now + JUST_NOW) or (
                record["sweep_id"] not in finished and not is_dead(record)
            ):
                return Found(place)
            over = over or (record["sweep_id"],)
    return Found(None, over)


def _started_between(record: EventRecord, first: datetime, last: datetime) -> bool:
    moment = moment_of(record)
    return moment is not None and first <= moment <= last  # later than now: a clock is wrong
