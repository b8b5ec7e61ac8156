"""Printing what `wt watch` sees, and the world that it looks at."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from wt_git.cli import streams, ui
from wt_git.clock import SystemClock
from wt_git.records.fields import as_recorded
from wt_git.sweep.request import DEFAULT_LABEL
from wt_git.text import json_characters
from wt_git.watch.event_lines import line_of
from wt_git.watch.session import Watch
from wt_git.watch.writer import is_gone

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.clock import Clock
    from wt_git.json_lines import ReadLine
    from wt_git.watch.event_lines import EventRecord
    from wt_git.watch.session import Wanted

_SHORTEST_POLL_S, _LONGEST_POLL_S = 0.01, 3600.0


def watch(wanted: Wanted, *, as_json: bool) -> int:
    """Follow the sweep and return the exit code. Raises `UsageError` where events are unreadable."""
    label = wanted.label
    return Watch(
        replace(
            wanted,
            # As `wt run` records it.
            label=None if label is None else as_recorded(label or DEFAULT_LABEL),
            poll_s=min(max(wanted.poll_s, _SHORTEST_POLL_S), _LONGEST_POLL_S),
        ),
        _Terminal(_event if as_json else _line),
    ).follow()


def _event(line: ReadLine) -> str:
    return json_characters(line.text)


def _line(line: ReadLine) -> str:
    return line_of(line.record)


class _Terminal:
    """The outside of a watch: this machine, and whoever reads what is printed."""

    def __init__(self, shown: Callable[[ReadLine], str]) -> None:
        self.clock: Clock = SystemClock()
        self._shown = shown

    def sleep(self, seconds: float) -> None:
        streams.sleep_while_read(sys.stdout, seconds)

    def is_gone(self, started: EventRecord) -> bool:
        return is_gone(started)

    def show(self, line: ReadLine) -> None:
        ui.data(self._shown(line))

    def say(self, text: str) -> None:
        ui.talk("watch", text)
