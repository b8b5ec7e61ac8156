"""Watching a sweep: which one, showing its events as they come, and when it is over.

See docs/following-a-sweep.md.
"""

from __future__ import annotations

import math
import os
import socket
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wt_git.errors import EXIT_NO, EXIT_TIMED_OUT
from wt_git.records.layout import missing_directory
from wt_git.text import one_line, shell_word
from wt_git.watch.events import EventFile, ends, moment_of, starts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from wt_git.clock import Clock
    from wt_git.files import ReadLine
    from wt_git.watch.events import EventRecord, PlacedEvent

JUST_NOW = timedelta(seconds=10)
"""A sweep that started so recently is followed by its label even if it has ended."""

_CLOCK_SLACK = timedelta(
    seconds=5
)  # a process start is known to a second, and clocks are corrected
_STATE, _START_TICKS = 0, 19  # fields of /proc/PID/stat, counted behind the name
_HIGHEST_EXIT_CODE = 255
_QUIET_POLLS = 4  # polls without an event, after which the sweep's process is looked for
_MOST_IDS_NAMED = 3
_STARTS_AND_ENDS = (b"sweep_started", b"sweep_finished")


def has_ended(started: EventRecord) -> bool:
    """Say whether the process of the sweep that `started` has certainly ended.

    False for a sweep on another machine, and where processes cannot be queried. A process that began
    after the sweep is another one with the same number.
    """
    pid = started.get("pid")
    if not _is_known_here(started) or isinstance(pid, bool) or not isinstance(pid, int) or pid < 1:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):  # of another user; a number that no process has
        pass
    return _has_ended(pid) or _is_another(pid, started)


def _is_known_here(started: EventRecord) -> bool:
    return os.name == "posix" and started.get("host") == socket.gethostname()


def _has_ended(pid: int) -> bool:
    """Say whether the process is dead, and its parent has not collected it yet."""
    return _stat(pid)[_STATE : _STATE + 1] in (["Z"], ["X"])


def _is_another(pid: int, started: EventRecord) -> bool:
    began, moment = _began(pid), moment_of(started)
    return began is not None and moment is not None and began > moment + _CLOCK_SLACK


def _began(pid: int) -> datetime | None:
    """Return the start of a process; None where the system does not tell it."""
    try:
        ticks = int(_stat(pid)[_START_TICKS])
        boot = next(
            int(line.split()[1])
            for line in Path("/proc/stat").read_text("ascii").split("\n")
            if line.startswith("btime ")
        )
        return datetime.fromtimestamp(boot + ticks / os.sysconf("SC_CLK_TCK"), UTC)
    except (OSError, ValueError, IndexError, StopIteration, OverflowError):
        return None


def _stat(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat behind the process name; empty where there are none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes().decode("utf-8", "replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


class Found(NamedTuple):
    """The offset of a sweep's first event, None without any, and other ids that may be meant.

    For a sweep asked for by id, those are the ids that begin with it; else the newest finished sweep.
    """

    start: int | None
    near: tuple[str, ...] = ()


def find_sweep(newest_first: Iterable[PlacedEvent], sweep_id: str) -> Found:
    """Return the start of the sweep with this id, or its first event if the start is missing."""
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
    """Return the start of the newest sweep that still runs, or started after `since`.

    `is_dead` says whether a sweep without an end has certainly no end to come.
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


class Follower:
    """Follows the sweep `sweep_id`; without an id the next that starts, under `label` if given.

    `started` is the sweep's first event once it was seen, `exit_code` its code once it ended.
    """

    def __init__(self, sweep_id: str | None, label: str | None) -> None:
        self.sweep_id = sweep_id
        self.started: EventRecord | None = None
        self.exit_code: int | None = None
        self._label = label
        self._taken: set[int] = set()

    @property
    def has_begun(self) -> bool:
        """Whether any event of the sweep was seen."""
        return bool(self._taken)

    def take(self, line: ReadLine) -> bool:
        """Take the next event; say whether it is a new one of this sweep.

        A file that was cut is read again from its top, so a line may come a second time.
        """
        record = line.record
        if self.exit_code is not None:
            return False
        if self.sweep_id is None and starts(record, self._label):
            self.sweep_id = record["sweep_id"]
        if record["sweep_id"] != self.sweep_id or hash(line.text) in self._taken:
            return False
        self._taken.add(hash(line.text))
        if record["event"] == "sweep_started":
            self.started = record
        if ends(record, record["sweep_id"]):
            self.exit_code = _exit_code(record.get("exit_code"))
        return True


def _exit_code(value: object) -> int:
    """Return the exit code of a sweep; 1 where its record has no valid one."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int)
        or not 0 <= value <= _HIGHEST_EXIT_CODE
    ):
        return EXIT_NO
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRequest:
    """Which sweep to watch, how often to poll and how long. `sweep_id` wins over `label`; None: any."""

    runs_dir: Path
    sweep_id: str | None = None
    label: str | None = None
    timeout_s: float | None = None
    poll_s: float = 0.5


class WatchEffects(Protocol):
    """The clock and the output of a watch."""

    @property
    def clock(self) -> Clock:
        """The time."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...

    def is_gone(self, started: EventRecord) -> bool:
        """Say whether the process of a sweep has certainly ended."""
        ...

    def show(self, line: ReadLine) -> None:
        """Show an event of the sweep."""
        ...

    def say(self, text: str) -> None:
        """Print a message for a person."""
        ...


class Watch:
    """One watch from its beginning to the exit code that it ends with."""

    def __init__(self, wanted: WatchRequest, outside: WatchEffects) -> None:
        self._wanted = wanted
        self._outside = outside
        self._file = EventFile(wanted.runs_dir)
        self._follower = Follower(wanted.sweep_id, wanted.label)
        self._began_s = outside.clock.monotonic()
        self._since = outside.clock.now() - JUST_NOW
        self._has_said = False

    def follow(self) -> int:
        """Show the sweep's events until it is over, and return its exit code.

        1 when its process ended without finishing it, 124 when time ran out. Raises `UsageError`
        where the events cannot be read, and the errors of `show`.
        """
        self._choose()
        quiet = 0
        while True:
            quiet = 0 if self._read() else quiet + 1
            if self._follower.exit_code is not None:
                return self._follower.exit_code
            left_s = self._left_s()
            if left_s <= 0:
                self._outside.say(self._out_of_time())
                return EXIT_TIMED_OUT
            if quiet >= _QUIET_POLLS and self._is_gone():
                if self._read():  # events between the last poll and its end
                    continue
                self._outside.say(self._died())
                return EXIT_NO
            self._outside.sleep(min(self._wanted.poll_s, left_s))

    def _choose(self) -> None:
        """Go to the start of the sweep in the file, or say that it has none yet."""
        wanted = self._wanted
        if wanted.sweep_id is not None:
            found = find_sweep(self._file.from_the_end(_mention(wanted.sweep_id)), wanted.sweep_id)
        else:
            found = find_newest(
                self._file.from_the_end(*_STARTS_AND_ENDS),
                wanted.label,
                since=self._since,
                now=self._outside.clock.now(),
                is_dead=self._is_dead,
            )
        if found.start is not None:
            self._file.go_to(found.start)
        elif not self._has_said:
            self._outside.say(self._waiting(found.near))
        self._has_said = True

    def _is_dead(self, started: EventRecord) -> bool:
        # In this order: a sweep that ended in between wrote its end before.
        return self._outside.is_gone(started) and not self._file.will_end(started["sweep_id"])

    def _read(self) -> bool:
        """Show new events; say whether there were any."""
        if self._follower.sweep_id is None and self._file.became_another():
            self._choose()  # old sweeps in it are not the next one
        any_new = False
        for line in self._file.new_events():
            if self._follower.take(line):
                any_new = True
                self._outside.show(line)
            if self._follower.exit_code is not None:
                break
        return any_new

    def _is_gone(self) -> bool:
        started = self._follower.started
        return started is not None and self._outside.is_gone(started)

    def _left_s(self) -> float:
        if self._wanted.timeout_s is None:
            return math.inf
        return self._began_s + self._wanted.timeout_s - self._outside.clock.monotonic()

    def _waiting(self, near: Sequence[str]) -> str:
        wanted = self._wanted
        where = f"in '{wanted.runs_dir}'"
        if not wanted.runs_dir.is_dir():
            where += f" ({missing_directory(wanted.runs_dir)})"
        if wanted.sweep_id is None:
            return f"waiting for a sweep{_of(wanted.label)} to start {where}{self._over(near)}"
        meant = f", but there is {', '.join(map(one_line, near[:_MOST_IDS_NAMED]))}" if near else ""
        return (
            f"no sweep '{one_line(wanted.sweep_id)}' is recorded {where}{meant}; "
            "waiting for a sweep of that id"
        )

    def _over(self, newest: Sequence[str]) -> str:
        """Return how to see the newest sweep, which is over."""
        if not newest:
            return ""
        runs_dir = shell_word(str(self._wanted.runs_dir))
        see = f"wt watch --runs {runs_dir} --sweep {shell_word(newest[0])}"
        return f"; the latest one is over, see it with: {see}"

    def _out_of_time(self) -> str:
        wanted, follower = self._wanted, self._follower
        said = f"timed out after {wanted.timeout_s:.12g}s: "
        if follower.has_begun:
            return f"{said}sweep {one_line(follower.sweep_id or '')} is still running"
        if wanted.sweep_id is None:
            return f"{said}no sweep started{_of(wanted.label)} in '{wanted.runs_dir}'"
        return f"{said}no sweep started with the id '{one_line(wanted.sweep_id)}'"

    def _died(self) -> str:
        started: EventRecord = self._follower.started or {}
        return (
            f"sweep {one_line(self._follower.sweep_id or '')} exited without finishing: its process, "
            f"pid {started.get('pid')}, is gone; what it finished is in '{self._wanted.runs_dir}'"
        )


def _of(label: str | None) -> str:
    return "" if label is None else f" of label '{one_line(label)}'"


def _mention(sweep_id: str) -> bytes:
    """Return bytes that every line about the sweep holds; none for an id that JSON may escape."""
    return sweep_id.encode() if sweep_id.isascii() and sweep_id.isalnum() else b""
