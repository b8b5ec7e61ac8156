"""Whether the process that runs a sweep has ended, as far as this machine can tell."""

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

_SLACK = timedelta(seconds=5)
"""The start of a process is known to a second, and clocks are put right now and then."""
_STATE, _START_TICKS = 0, 19
"""Where /proc/PID/stat has them, counted behind the name."""


def has_ended(started: EventRecord) -> bool:
    """Say whether it is certain that the sweep that `started` will write nothing any more.

    It is not for a sweep on another machine, nor where processes cannot be asked about. A process
    that began after the sweep is another one that was given the same number.
    """
    pid = started.get("pid")
    if not _is_known_here(started) or isinstance(pid, bool) or not isinstance(pid, int) or pid < 1:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):  # somebody else's; a number that none has
        pass
    return _has_ended(pid) or _is_another(pid, started)


def _is_known_here(started: EventRecord) -> bool:
    return os.name == "posix" and started.get("host") == socket.gethostname()


def _has_ended(pid: int) -> bool:
    """Say whether the process is dead and only waits for its parent to notice."""
    return _stat(pid)[_STATE : _STATE + 1] in (["Z"], ["X"])


def _is_another(pid: int, started: EventRecord) -> bool:
    began, moment = _began(pid), moment_of(started)
    return began is not None and moment is not None and began > moment + _SLACK


def _began(pid: int) -> datetime | None:
    """Return when a process began; None where the system does not tell."""
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
    """Return what the system says of a process, behind its name; nothing where it does not."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes().decode("utf-8", "replace")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


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


_MOST = 255
"""The highest exit code that a process can have; the next one would be a 0."""


class Follower:
    """Follows the sweep `sweep_id`; without one the first that starts, of `label` if there is one.

    `started` is the start of the sweep once it was seen, `exit_code` that of the sweep once it ended.
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
        """Take the next event; say whether it is one of this sweep that was not taken before.

        A file that was cut is read again from its top, so that a line may come a second time.
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
    """Return the code of a sweep; 1 where its record has none that a process can end with."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
        return EXIT_NO
    return value


_QUIET_POLLS = 4
"""After so many looks without an event the process that writes them is looked for."""
_NAMED = 3
_STARTS_AND_ENDS = (b"sweep_started", b"sweep_finished")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What to watch, and how patiently; `sweep_id` wins over `label`. None: any, without an end."""

    runs_dir: Path
    sweep_id: str | None = None
    label: str | None = None
    timeout_s: float | None = None
    poll_s: float = 0.5


class WatchEffects(Protocol):
    """What a watch needs of the outside."""

    @property
    def clock(self) -> Clock:
        """The time."""
        ...

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        ...

    def is_gone(self, started: EventRecord) -> bool:
        """Say whether the writer of a sweep has certainly ended."""
        ...

    def show(self, line: ReadLine) -> None:
        """Show an event of the sweep."""
        ...

    def say(self, text: str) -> None:
        """Tell a person something."""
        ...


class Watch:
    """One watch from its beginning to the exit code that it ends with."""

    def __init__(self, wanted: Wanted, outside: WatchEffects) -> None:
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
        where the events cannot be read, and what showing one raises.
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
                if self._read():  # what it wrote between the last look and its end
                    continue
                self._outside.say(self._died())
                return EXIT_NO
            self._outside.sleep(min(self._wanted.poll_s, left_s))

    def _choose(self) -> None:
        """Go to where the sweep begins in what is there, and say so where it does not."""
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
        # In this order: one that ended in between said so before.
        return self._outside.is_gone(started) and not self._file.will_end(started["sweep_id"])

    def _read(self) -> bool:
        """Show what is new; say whether anything was."""
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
        meant = f", but there is {', '.join(map(one_line, near[:_NAMED]))}" if near else ""
        return (
            f"no sweep '{one_line(wanted.sweep_id)}' is recorded {where}{meant}; "
            "waiting for a sweep of that id"
        )

    def _over(self, newest: Sequence[str]) -> str:
        """Return how to see the newest sweep, which is over, to whoever came too late for it."""
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
    """Return what a line about the sweep holds; of an id that JSON may spell otherwise, anything."""
    return sweep_id.encode() if sweep_id.isascii() and sweep_id.isalnum() else b""
