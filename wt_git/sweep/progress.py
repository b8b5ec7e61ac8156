"""Progress of a sweep: stamped events, appended to the runs directory and shown to an observer."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from wt_git.clock import with_fraction
from wt_git.errors import StorageError
from wt_git.records.events import Event

if TYPE_CHECKING:
    from wt_git.clock import Clock
    from wt_git.records.store import RunsDir
    from wt_git.sweep.results import ScenarioResult

E = TypeVar("E", bound=Event)


class Observer(Protocol):
    """Who watches a sweep from inside the process: the command line, or a test.

    Calls come from whichever thread runs the job, one at a time.
    """

    def say(self, text: str) -> None:
        """Receive a sentence for people: a notice, a warning."""
        ...

    def event(self, event: Event) -> None:
        """Receive a progress event, after it was appended."""
        ...

    def scenario_done(self, result: ScenarioResult) -> None:
        """Receive a scenario's result, as it ends."""
        ...


class Progress:
    """Makes the events of one sweep, in one order for the file and the observer."""

    def __init__(
        self, runs_dir: RunsDir, observer: Observer, clock: Clock, *, sweep_id: str, label: str
    ) -> None:
        self._runs_dir = runs_dir
        self._observer = observer
        self._clock = clock
        self._identity = {"sweep_id": sweep_id, "label": label}
        self._lock = threading.RLock()
        self._lossy = False

    def emit(self, kind: type[E], /, **fields: Any) -> None:
        """Append an event of `kind` and show it. A file that cannot take it is said once."""
        with self._lock:
            event = kind(ts=with_fraction(self._clock.now()), **{**self._identity, **fields})
            try:
                self._runs_dir.append_event(event)
            except StorageError as error:
                if not self._lossy:
                    self._observer.say(f"warning: progress events are lost: {error.message}")
                self._lossy = True
            self._observer.event(event)

    def say(self, text: str) -> None:
        """Pass a sentence on to the observer."""
        with self._lock:
            self._observer.say(text)

    def scenario_done(self, result: ScenarioResult) -> None:
        """Pass a scenario's result on to the observer."""
        with self._lock:
            self._observer.scenario_done(result)
