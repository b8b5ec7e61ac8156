"""The circuit breaker: when scenario after scenario cannot even be run, stop asking."""

from __future__ import annotations

import threading

LIMIT = 3


class Breaker:
    """Counts scenario errors in a row, in order of completion; any scenario that ran resets it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._in_a_row = 0
        self.tripped = False

    def ran(self) -> None:
        """Note a scenario that ran, or whose world did not match: the bench itself works."""
        with self._lock:
            self._in_a_row = 0

    def errored(self) -> bool:
        """Note a scenario that could not be run; return whether this one trips the breaker."""
        with self._lock:
            self._in_a_row += 1
            trips = self._in_a_row >= LIMIT and not self.tripped
            self.tripped = self.tripped or trips
            return trips
