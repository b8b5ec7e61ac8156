"""Events as they are read back: what is one, and the line that shows it to a person.

Of any age and from any writer, so nothing about a field is taken for granted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

from wt_git.records.events import EVENT_VERSION
from wt_git.records.lenient import is_version, within
from wt_git.text import one_line

EventRecord: TypeAlias = Mapping[str, Any]
"""A line of the events file."""

_MOST_OF_AN_ERROR = 200
_UNKNOWN = "?"
_COMMON = {"windtunnel_event", "ts", "event", "sweep_id", "label"}


def is_event(record: EventRecord) -> bool:
    """Say whether a line is an event of a version that is understood here."""
    words = (record.get("event"), record.get("sweep_id"))
    return is_version(record.get("windtunnel_event"), EVENT_VERSION) and all(
        isinstance(word, str) for word in words
    )


def starts(record: EventRecord, label: str | None) -> bool:
    """Say whether `record` is the start of a sweep, of `label` if there is one."""
    is_start: bool = record["event"] == "sweep_started"
    return is_start and (label is None or record.get("label") == label)


def ends(record: EventRecord, sweep_id: str) -> bool:
    """Say whether `record` is the end of that sweep."""
    said: tuple[str, str] = record["event"], record["sweep_id"]
    return said == ("sweep_finished", sweep_id)


def moment_of(record: EventRecord) -> datetime | None:
    """Return when an event happened, aware; None where it does not say so."""
    try:
        moment = datetime.fromisoformat(record["ts"])
    except (KeyError, TypeError, ValueError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def line_of(record: EventRecord) -> str:
    """Return the line that shows an event: its local time, and what happened."""
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
