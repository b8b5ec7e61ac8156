"""Showing a sweep as it happens: verdicts on stdout, messages on stderr, one live line on a terminal."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

from wt_git.cli import streams
from wt_git.cli.printing import (
    data,
    is_terminal,
    talk,
    talk_plainly,
)
from wt_git.cli.run.sweep_text import (
    admission_line,
    closing_lines,
    explanation,
    verdict_line,
)
from wt_git.ladder.budget import plain_seconds
from wt_git.records.events import SweepStarted
from wt_git.sweep.sweep_result import ScenarioBroke
from wt_git.text import many_lines, one_line, shell_word

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from wt_git.cli.run.live_line import LiveLine
    from wt_git.cli.run.records import RunRecords
    from wt_git.clock import Clock
    from wt_git.records.events import Event
    from wt_git.sweep.forecast import Expected
    from wt_git.sweep.request import Prepared
    from wt_git.sweep.sweep_result import ScenarioOutcome, SweepOutcome


class SweepView:
    """Prints a sweep for `wt run`.

    `live` is the line that is redrawn on a terminal, if any. With `records` for programs stdout is
    theirs alone, and what people read goes to stderr.
    """

    def __init__(self, runs_dir: Path, live: LiveLine | None, records: RunRecords | None) -> None:
        self._runs_dir = runs_dir
        self._live = live
        self._records = records
        self._traceback_shown = False

    def say(self, text: str) -> None:
        """Print a sentence."""
        with self._paused():
            talk("run", text)

    def event(self, event: Event) -> None:
        """Announce the sweep, and move the live line on."""
        if isinstance(event, SweepStarted):
            budget = "" if event.budget_s is None else f", budget {plain_seconds(event.budget_s)}s"
            self.say(f"{event.tier} sweep{budget}")
            follow = f"wt watch --runs {shell_word(str(self._runs_dir))} --sweep {event.sweep_id}"
            self.say(f"sweep {event.sweep_id} — follow with: {follow}")
            if self._records is not None:
                self._records.launched(event)
        if self._live is not None:
            self._live.event(event)

    def scenario_done(self, result: ScenarioOutcome) -> None:
        """Print the verdict, and below it why it is not a pass."""
        with self._paused():
            self._data(verdict_line(result))
            for line in explanation(result):
                talk("run", line)
            if isinstance(result, ScenarioBroke):
                self._show_traceback(result)

    def forecast(self, expected: Expected, lines: Iterable[str]) -> None:
        """Print what a sweep would be."""
        for line in lines:
            self._data(line)
        if self._records is not None:
            self._records.forecast(expected)

    def allowed(self, prepared: Prepared) -> None:
        """Print that a dry run found nothing in the way."""
        self._data(admission_line(prepared))
        if self._records is not None:
            self._records.allowed(prepared)

    def not_allowed(self) -> None:
        """Print that a dry run found something in the way, which is said next."""
        self._data("would run:  no")

    def ended(self, outcome: SweepOutcome, elapsed_s: float) -> None:
        """Print the end of the talk, and the final record."""
        for line in closing_lines(outcome, elapsed_s):
            talk("run", line)
        if self._records is not None:
            self._records.ended(outcome)

    def _data(self, line: str) -> None:
        """Print a verdict or the like; a reader that went away ends the printing, not the sweep."""
        if self._records is not None:
            talk_plainly(many_lines(line))
            return
        try:
            data(line)
        except OSError as error:
            streams.discard_output(sys.stdout)
            talk(
                "run",
                f"stdout cannot be written to any more ({error.strerror or error}); "
                f"the sweep goes on, its verdicts are in '{self._runs_dir}'",
            )

    def _show_traceback(self, result: ScenarioBroke) -> None:
        """Show the stack of the first driver or mock that broke; the others are in the events."""
        if result.traceback is None or self._traceback_shown:
            return
        self._traceback_shown = True
        for line in result.traceback.rstrip().split("\n"):
            talk_plainly(one_line(line))

    def _paused(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext() if self._live is None else self._live.paused()


def view_of(runs_dir: Path, clock: Clock, records: RunRecords | None) -> SweepView:
    """Return the view for this process: with a live line when stderr is a terminal."""
    if not is_terminal():
        return SweepView(runs_dir, None, records)
    from wt_git.cli.run.live_line import LiveLine  # noqa: PLC0415 - rich is for terminals only

    return SweepView(runs_dir, LiveLine(clock), records)
