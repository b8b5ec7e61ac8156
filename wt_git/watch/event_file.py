"""Reading the events of a runs directory: what is there from its end, what comes from there on."""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, NamedTuple

from wt_git import files, json_lines
from wt_git.records import layout
from wt_git.records.reading import readable_records
from wt_git.watch.event_lines import ends, is_event

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wt_git.watch.event_lines import EventRecord


class PlacedEvent(NamedTuple):
    """An event and the offset at which its line begins."""

    start: int
    record: EventRecord


class EventFile:
    """The events file of `runs_dir`, which may be missing, grow, be cut, or be replaced by another.

    It is opened anew for each reading, so that a network file system shows what others wrote. A line
    without an end waits for it. Methods raise `UsageError` where the file cannot be read.
    """

    def __init__(self, runs_dir: Path) -> None:
        self.path = runs_dir / layout.EVENTS
        self._next = 0
        self._identity: tuple[int, int] | None = None

    def from_the_end(self, *mentioning: bytes) -> Iterator[PlacedEvent]:
        """Yield the events that are there, the last one first; reading on begins behind them.

        Lines that hold none of `mentioning` are passed over, which is quick: years of history are
        looked through without being understood.
        """
        descriptor = self._open()
        if descriptor is None:
            self._next, self._identity = 0, None
            return
        with os.fdopen(descriptor, "rb") as stream:
            self._identity = _identity(descriptor)
            lines = json_lines.lines_before(stream, os.fstat(descriptor).st_size)
            incomplete = next(lines)  # if only since nothing stands behind the last line break
            self._next = incomplete.start
            for start, data in lines:
                if any(words in data for words in mentioning):
                    line = json_lines.parse_line(data)
                    if line is not None and is_event(line.record):
                        yield PlacedEvent(start, line.record)

    def go_to(self, start: int) -> None:
        """Read on from the line at the offset `start`."""
        self._next = start

    def became_another(self) -> bool:
        """Say whether the file was cut or replaced since, so that old lines would look new."""
        with readable_records():
            try:
                found = self.path.stat()
            except FileNotFoundError:
                return False
        known = self._identity
        return known is not None and (
            (found.st_dev, found.st_ino) != known or found.st_size < self._next
        )

    def new_events(self) -> Iterator[json_lines.ReadLine]:
        """Yield the events from where reading ended; from the top where the file became another."""
        descriptor = self._open()
        if descriptor is None:
            self._next = 0
            return
        with os.fdopen(descriptor, "rb") as stream:
            identity = _identity(descriptor)
            if identity != self._identity or os.fstat(descriptor).st_size < self._next:
                self._next, self._identity = 0, identity
            stream.seek(self._next)
            for data in stream:
                if not data.endswith(b"\n"):
                    return
                self._next += len(data)
                line = json_lines.parse_line(data.rstrip(b"\r\n"))
                if line is not None and is_event(line.record):
                    yield line

    def will_end(self, sweep_id: str) -> bool:
        """Say whether a sweep's end was written meanwhile; what is read next stays the same."""
        return any(ends(line.record, sweep_id) for line in copy.copy(self).new_events())

    def _open(self) -> int | None:
        with readable_records():
            return files.open_regular(self.path)


def _identity(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    return found.st_dev, found.st_ino
