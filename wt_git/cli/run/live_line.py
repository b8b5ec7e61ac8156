"""The line at the bottom of a terminal that shows the progress of a sweep."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from wt_git.records.events import (
    LockAcquired,
    LockWaiting,
    RunFinished,
    RunStarted,
    ScenarioError,
    ScenarioFinished,
    SweepFinished,
    SweepStarted,
)
from wt_git.text import one_line, shortened_list, stopwatch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import ConsoleOptions, RenderResult

    from wt_git.clock import Clock
    from wt_git.records.events import Event

_SHOWN = 2


class SweepProgress:
    """The progress of a sweep, from its events."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = clock.monotonic()
        self.planned = 0
        self.per_scenario = 0
        self.done = 0
        self.waiting = False
        self.budget_s: float | None = None
        self.running: dict[str, tuple[int, int]] = {}
        self.tokens_in = 0
        self.tokens_out = 0
        self.tokens_unknown = False

    def take(self, event: Event) -> None:
        """Take one event."""
        match event:
            case SweepStarted():
                self.per_scenario = event.runs_per_scenario
                self.planned = len(event.scenarios) * event.runs_per_scenario
                self.budget_s = event.budget_s
            case LockWaiting():
                self.waiting = True
            case LockAcquired():
                self.waiting = False
                self._began = self._clock.monotonic()
            case RunStarted():
                self.running[event.scenario_id] = (event.run, event.runs)
            case RunFinished():
                self._run_finished(event)
            case ScenarioFinished() | ScenarioError():
                self.running.pop(event.scenario_id, None)
            case _:
                pass

    def _run_finished(self, event: RunFinished) -> None:
        self.done += 1
        if event.input_tokens is None or event.output_tokens is None:
            self.tokens_unknown = True
        else:
            self.tokens_in += event.input_tokens
            self.tokens_out += event.output_tokens

    def line(self) -> str:
        """Return the runs in flight, runs done of all, time used and left, budget and tokens."""
        if self.waiting:
            return "waiting for the runtime"
        elapsed = self._clock.monotonic() - self._began
        parts = [self._running(), f"{self.done}/{self.planned} runs", stopwatch(elapsed)]
        if 0 < self.done < self.planned:
            remaining = elapsed / self.done * (self.planned - self.done)
            parts.append(f"about {stopwatch(remaining)} left")
        if self.budget_s is not None:
            parts.append(f"{stopwatch(max(self.budget_s - elapsed, 0))} of budget left")
        if self.tokens_in or self.tokens_out:
            atleast = "at least " if self.tokens_unknown else ""
            parts.append(f"{atleast}{self.tokens_in:,} in / {self.tokens_out:,} out tokens")
        return " · ".join(part for part in parts if part)

    def _running(self) -> str:
        now = [
            f"{one_line(name, 40)} run {run}/{runs}"
            for name, (run, runs) in list(self.running.items())
        ]
        return shortened_list(now, most=_SHOWN)


class LiveLine:
    """Draws `SweepProgress.line` on stderr, and disappears while something is printed."""

    def __init__(self, clock: Clock) -> None:
        self._state = SweepProgress(clock)
        self._spinner = Spinner("dots")
        self._live: Live | None = None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render when drawn, so that the clock moves between events."""
        self._spinner.update(text=Text(self._state.line(), no_wrap=True, overflow="ellipsis"))
        yield self._spinner

    def event(self, event: Event) -> None:
        """Take an event; the line appears with the first and disappears with the last."""
        self._state.take(event)
        if isinstance(event, SweepFinished):
            self._stop()
        elif self._live is None:
            self._start()

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Remove the line while something is printed above where it was."""
        was_shown = self._live is not None
        self._stop()
        try:
            yield
        finally:
            if was_shown:
                self._start()

    def _start(self) -> None:
        self._live = Live(
            self,
            console=Console(stderr=True),
            transient=True,
            refresh_per_second=8,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start()

    def _stop(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
