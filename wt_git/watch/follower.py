"""Following one sweep: a state machine over lines, without a file or a clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import EXIT_NO
from wt_git.watch.event_lines import ends, starts

if TYPE_CHECKING:
    from wt_git.json_lines import ReadLine
    from wt_git.watch.event_lines import EventRecord

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
