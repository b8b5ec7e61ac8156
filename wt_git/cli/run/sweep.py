"""`wt run`: from its options to a sweep that is shown as it happens, and its exit code."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wt_git import config
from wt_git.cli import process
from wt_git.cli.printing import data, talk, talk_plainly
from wt_git.cli.process import graceful
from wt_git.cli.run.sweep_text import (
    admission_line,
    closing_lines,
    explanation,
    forecast_lines,
    verdict_line,
)
from wt_git.clock import SystemClock
from wt_git.errors import EXIT_NO, EXIT_YES, GitError, UsageError, os_reason
from wt_git.git.repository import head_short_id
from wt_git.ladder.declaration import Declaration
from wt_git.records.events import SweepStarted
from wt_git.records.ledger.ledger import Ledger
from wt_git.records.runs_dir import RunsDir
from wt_git.sweep.admission import admit, look_up
from wt_git.sweep.request import DEFAULT_LABEL, SweepRequest
from wt_git.sweep.run_lock.file_locks import lock_folder
from wt_git.sweep.selection import Selectors
from wt_git.sweep.sweep import Sweep
from wt_git.sweep.sweep_result import ScenarioBroke
from wt_git.text import many_lines, one_line, plain_seconds, shell_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from wt_git.cli.run.live_line import LiveLine
    from wt_git.cli.run.output_file import OutputFile
    from wt_git.cli.run.records import RunRecords
    from wt_git.records.events import Event
    from wt_git.sweep.forecast import Expected
    from wt_git.sweep.request import LookedUp, Prepared
    from wt_git.sweep.sweep_result import ScenarioOutcome, SweepOutcome

_TAKEN_OVER = (
    "runs_dir",
    "pack_sources",
    "all_packs",
    "runtime",
    "soul",
    "agents",
    "hooks",
    "runs",
    "budget_s",
    "max_cost",
    "from_trace",
    "from_turn",
    "scheduler",
    "max_concurrency",
)


def run_sweep(options: dict[str, Any], arguments: Sequence[str]) -> int:
    """Run the sweep that `options` describe; `arguments` are the words behind `wt`, as typed."""
    request = request_of(options, arguments)
    view = _view(request, as_json=options["as_json"])
    output = None
    if options["out"] is not None:
        from wt_git.cli.run.output_file import OutputFile  # noqa: PLC0415 - rare

        output = OutputFile(options["out"], options["form"], RunsDir(request.runs_dir))
    found = look_up_here(request, view.say)
    return _dry_run(found, view) if options["dry_run"] else _run(found, view, output)


def request_of(options: dict[str, Any], arguments: Sequence[str]) -> SweepRequest:
    """Return the request that `options` make; `arguments` are the words behind `wt`, as typed."""
    return SweepRequest(
        selectors=Selectors(
            **{name: options[name] for name in ("scenarios", "tags", "packs", "owners")}
        ),
        declaration=Declaration(
            **{name: options[name] for name in ("question", "expect", "if_pass", "if_fail")}
        ),
        label=options["label"] or DEFAULT_LABEL,
        wait=not options["no_wait"],
        command=shlex.join(["wt", *arguments]),
        **{name: options[name] for name in _TAKEN_OVER},
    )


def look_up_here(request: SweepRequest, say: Callable[[str], None]) -> LookedUp:
    """Resolve every name in a request, from the working directory."""
    folder = Path.cwd()
    return look_up(request, folder=folder, load_settings=lambda: config.load(folder), say=say)


def _view(request: SweepRequest, *, as_json: bool) -> SweepView:
    records = live = None
    if as_json:
        from wt_git.cli.run.records import RunRecords  # noqa: PLC0415 - for records only

        records = RunRecords(request)
    if sys.stderr.isatty():
        from wt_git.cli.run.live_line import LiveLine  # noqa: PLC0415 - rich

        live = LiveLine(SystemClock())
    return SweepView(request.runs_dir, live, records)


def _dry_run(found: LookedUp, view: SweepView) -> int:
    from wt_git.sweep.forecast import forecast  # noqa: PLC0415 - rare

    ledger = Ledger(found.request.runs_dir, keep_index=False)
    expected = forecast(found, ledger)
    view.forecast(expected, forecast_lines(expected))
    try:
        prepared = admit(found, ledger, view.say)
    except UsageError:
        view.not_allowed()
        raise
    view.allowed(prepared)
    return EXIT_YES


def _run(found: LookedUp, view: SweepView, output: OutputFile | None) -> int:
    ledger = Ledger(RunsDir(found.request.runs_dir).path)
    prepared = admit(found, ledger, view.say)

    def deliver(results: Sequence[ScenarioOutcome]) -> None:
        if output is not None:
            output.write(prepared.selected, results)
            view.say(f"{output.form} written to {output.path}")

    clock = SystemClock()
    sweep = Sweep(
        prepared,
        ledger=ledger,
        observer=view,
        clock=clock,
        lock_folder=lock_folder(os.environ),  # noqa: TID251 - the edge where it is read
        git_sha=_git_sha(),
        deliver=deliver,
    )
    began = clock.monotonic()
    with graceful(sweep.interrupt):
        outcome = sweep.run()
    view.ended(outcome, clock.monotonic() - began)
    return _exit_code(outcome)


def _git_sha() -> str | None:
    """Return the short id of `HEAD`; None where git cannot say, which stops no sweep."""
    try:
        return head_short_id(Path.cwd())
    except GitError:
        return None


def _exit_code(outcome: SweepOutcome) -> int:
    code = EXIT_NO
    if outcome.failure is not None:
        from wt_git.cli.error_messages import report_error  # noqa: PLC0415 - rare

        code = report_error(outcome.failure, ["run"])
    return code if outcome.exit_code is None else outcome.exit_code


class SweepView:
    """Prints a sweep for `wt run`.

    `live` is the line that is redrawn on a terminal, if any. With `records` for programs, stdout
    holds only those, and the lines for people go to stderr.
    """

    def __init__(self, runs_dir: Path, live: LiveLine | None, records: RunRecords | None) -> None:
        self._runs_dir = runs_dir
        self._live = live
        self._records = records
        self._traceback_shown = False

    def say(self, text: str) -> None:
        """Print a message."""
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
        """Print the verdict, and the reason below it if it is not a pass."""
        with self._paused():
            self._data(verdict_line(result))
            for line in explanation(result):
                talk("run", line)
            if isinstance(result, ScenarioBroke):
                self._show_traceback(result)

    def forecast(self, expected: Expected, lines: Iterable[str]) -> None:
        """Print the forecast of a dry run."""
        for line in lines:
            self._data(line)
        if self._records is not None:
            self._records.forecast(expected)

    def allowed(self, prepared: Prepared) -> None:
        """Print that the sweep would be admitted."""
        self._data(admission_line(prepared))
        if self._records is not None:
            self._records.allowed(prepared)

    def not_allowed(self) -> None:
        """Print that the sweep would be refused; the reason follows."""
        self._data("would run:  no")

    def ended(self, outcome: SweepOutcome, elapsed_s: float) -> None:
        """Print the closing lines and the final record."""
        for line in closing_lines(outcome, elapsed_s):
            talk("run", line)
        if self._records is not None:
            self._records.ended(outcome)

    def _data(self, line: str) -> None:
        """Print a line on stdout. If that is closed, printing ends and the sweep goes on."""
        if self._records is not None:
            talk_plainly(many_lines(line))
            return
        try:
            data(line)
        except OSError as error:
            process.discard_output(sys.stdout)
            talk(
                "run",
                f"stdout cannot be written to any more ({os_reason(error)}); "
                f"the sweep goes on, its verdicts are in '{self._runs_dir}'",
            )

    def _show_traceback(self, result: ScenarioBroke) -> None:
        """Print the traceback of the first driver or mock that broke; the others are in the events."""
        if result.traceback is None or self._traceback_shown:
            return
        self._traceback_shown = True
        for line in result.traceback.rstrip().split("\n"):
            talk_plainly(one_line(line))

    def _paused(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext() if self._live is None else self._live.paused()
