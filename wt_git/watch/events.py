"""The events file as `wt watch` reads it: its lines, from the end or as they come, and their text."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from wt_git import files
from wt_git.decoding import is_version, within
from wt_git.records import layout
from wt_git.records.events import EVENT_VERSION
from wt_git.records.layout import readable_records
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EventRecord: TypeAlias = Mapping[str, Any]
"""A line of the events file."""

_MOST_OF_AN_ERROR = 200
_UNKNOWN = "?"
_COMMON = {"windtunnel_event", "ts", "event", "sweep_id", "label"}


def is_event(record: EventRecord) -> bool:
    """Say whether a line is an event of a known version."""
    words = (record.get("event"), record.get("sweep_id"))
    return is_version(record.get("windtunnel_event"), EVENT_VERSION) and all(
        isinstance(word, str) for word in words
    )


def starts(record: EventRecord, label: str | None) -> bool:
    """Say whether `record` is the start of a sweep, under `label` if given."""
    is_start: bool = record["event"] == "sweep_started"
    return is_start and (label is None or record.get("label") == label)


def ends(record: EventRecord, sweep_id: str) -> bool:
    """Say whether `record` is the end of that sweep."""
    said: tuple[str, str] = record["event"], record["sweep_id"]
    return said == ("sweep_finished", sweep_id)


def moment_of(record: EventRecord) -> datetime | None:
    """Return the time of an event, with its zone; None where it has none."""
    try:
        moment = datetime.fromisoformat(record["ts"])
    except (KeyError, TypeError, ValueError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def line_of(record: EventRecord) -> str:
    """Return an event as one line of text, with its local time."""
    say = _SENTENCES.get(record["event"], _anything_else)
    return f"{_clock(record)} {say(record)}"


def _clock(record: EventRecord) -> str:
    moment = moment_of(record)
    try:
        return f"{moment.astimezone():%H:%M:%S}" if moment is not None else "--:--:--"
    except (OverflowError, ValueError, OSError):  # the first and the last day of all calendars
        return "--:--:--"


def _sweep_started(record: EventRecord) -> str:
    scenarios = record.get("scenarios")
    count = len(scenarios) if isinstance(scenarios, list) else _UNKNOWN
    return (
        f"{_sweep(record)} started: label {_shown(record, 'label')}, "
        f"runtime {_shown(record, 'runtime')}, "
        f"{count} scenario(s) x {_shown(record, 'runs_per_scenario')} run(s)"
    )


def _lock_waiting(record: EventRecord) -> str:
    pid = within(record.get("holder")).get("pid")
    held = f" held by pid {one_line(str(pid))}" if pid is not None else ""
    return f"{_sweep(record)} waiting for runtime '{_shown(record, 'lock')}'{held}"


def _lock_acquired(record: EventRecord) -> str:
    waited = _seconds(record.get("waited_s")) or _UNKNOWN
    return f"{_sweep(record)} acquired runtime '{_shown(record, 'lock')}' after {waited}s"


def _run_started(record: EventRecord) -> str:
    return f"{_run(record)} started"


def _run_finished(record: EventRecord) -> str:
    verdict, duration = _shown(record, "verdict"), _seconds(record.get("duration_s"))
    parts = [_run(record), verdict]
    if duration is not None:
        parts.append(f"({duration}s)")
    failed = [name for name, passed in within(record.get("layers")).items() if passed is False]
    if verdict != "PASS" and failed:
        parts.append(f"failed: {', '.join(failed)}")
    parts += [f"{name}={value}" for name, value in within(record.get("metrics")).items()]
    return one_line(" ".join(parts))


def _scenario_finished(record: EventRecord) -> str:
    counts = f"{_shown(record, 'passed')}/{_shown(record, 'total')} pass"
    return f"{_shown(record, 'scenario_id')} {_shown(record, 'verdict')} {counts}"


def _scenario_error(record: EventRecord) -> str:
    kind = "WORLD" if record.get("kind") == "world_mismatch" else "ERROR"
    text = str(record.get("error", _UNKNOWN))[:_MOST_OF_AN_ERROR]
    return f"{_shown(record, 'scenario_id')} {kind} {one_line(text)}"


def _sweep_finished(record: EventRecord) -> str:
    code = record.get("exit_code")
    counts = f"{_shown(record, 'completed')}/{_shown(record, 'scenarios')} scenario(s)"
    return (
        f"{_sweep(record)} finished: exit {'none' if code is None else one_line(str(code))} "
        f"({_shown(record, 'status')}; {counts}, {_shown(record, 'errors')} error(s))"
    )


def _anything_else(record: EventRecord) -> str:
    others = {name: value for name, value in record.items() if name not in _COMMON}
    fields = json.dumps(others, ensure_ascii=False)
    return one_line(f"{_sweep(record)} {record['event']} {fields}")


_SENTENCES: dict[str, Callable[[EventRecord], str]] = {
    "sweep_started": _sweep_started,
    "lock_waiting": _lock_waiting,
    "lock_acquired": _lock_acquired,
    "run_started": _run_started,
    "run_finished": _run_finished,
    "scenario_finished": _scenario_finished,
    "scenario_error": _scenario_error,
    "sweep_finished": _sweep_finished,
}


def _sweep(record: EventRecord) -> str:
    return f"sweep {_shown(record, 'sweep_id')}"


def _run(record: EventRecord) -> str:
    return f"{_shown(record, 'scenario_id')} run {_shown(record, 'run')}/{_shown(record, 'runs')}"


def _shown(record: EventRecord, name: str) -> str:
    return one_line(str(record.get(name, _UNKNOWN)))


def _seconds(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return f"{value:.1f}"


class PlacedEvent(NamedTuple):
    """An event and the offset at which its line begins."""

    start: int
    record: EventRecord


class EventFile:
    """The events file of `runs_dir`, which may be missing, grow, be cut, or be replaced.

    It is opened anew for each reading, so that a network file system shows the writes of others. A line
    is read once its line break is there. Methods raise `UsageError` where the file cannot be read.
    """

    def __init__(self, runs_dir: Path) -> None:
        self.path = runs_dir / layout.EVENTS
        self._next = 0
        self._identity: tuple[int, int] | None = None

    def from_the_end(self, *mentioning: bytes) -> Iterator[PlacedEvent]:
        """Yield the events in the file, the last one first; `new_events` begins behind them.

        Lines that hold none of the words `mentioning` are passed over without being parsed.
        """
        descriptor = self._open()
        if descriptor is None:
            self._next, self._identity = 0, None
            return
        with os.fdopen(descriptor, "rb") as stream:
            self._identity = _identity(descriptor)
            lines = files.lines_before(stream, os.fstat(descriptor).st_size)
            incomplete = next(lines)  # empty behind a final line break
            self._next = incomplete.start
            for start, data in lines:
                if any(words in data for words in mentioning):
                    line = files.parse_line(data)
                    if line is not None and is_event(line.record):
                        yield PlacedEvent(start, line.record)

    def go_to(self, start: int) -> None:
        """Continue at the line that begins at the offset `start`."""
        self._next = start

    def became_another(self) -> bool:
        """Say whether the file was cut or replaced, so that old lines would look new."""
        with readable_records():
            try:
                found = self.path.stat()
            except FileNotFoundError:
                return False
        known = self._identity
        return known is not None and (
            (found.st_dev, found.st_ino) != known or found.st_size < self._next
        )

    def new_events(self) -> Iterator[files.ReadLine]:
        """Yield the events behind the last one that was read; all events of a file that was replaced."""
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
                line = files.parse_line(data.rstrip(b"\r\n"))
                if line is not None and is_event(line.record):
                    yield line

    def will_end(self, sweep_id: str) -> bool:
        """Say whether the end of a sweep was written meanwhile, without taking its events."""
        return any(ends(line.record, sweep_id) for line in copy.copy(self).new_events())

    def _open(self) -> int | None:
        with readable_records():
            return files.open_regular(self.path)


def _identity(descriptor: int) -> tuple[int, int]:
    found = os.fstat(descriptor)
    return found.st_dev, found.st_ino
