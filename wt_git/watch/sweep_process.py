"""Whether the process that runs a sweep has ended, as far as this machine can tell."""

from __future__ import annotations

import os
import socket
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from wt_git.watch.events import moment_of

if TYPE_CHECKING:
    from wt_git.watch.events import EventRecord

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
