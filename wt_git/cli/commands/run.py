"""`wt run`: run scenarios against an agent and score the whole flight."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wt_git.cli.options import CONTEXT_SETTINGS
from wt_git.cli.run_options import check_paired, request_of, run_options
from wt_git.errors import EXIT_NO, EXIT_YES, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.cli.run_records import RunRecords
    from wt_git.cli.sweep_view import SweepView
    from wt_git.sweep.request import LookedUp, SweepRequest
    from wt_git.sweep.results import SweepOutcome

EPILOG = """
Exit codes: 0 nothing counted as a failure; 1 something did, or the sweep is incomplete; 2 asked
wrongly, or not earned: nothing was run; 75 the runtime is busy and --no-wait was given; 130 or 143
ended by a signal. Ctrl-C once ends the sweep after the runs in flight, twice ends it now.
"""


@click.command("run", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@run_options
def command(**options: Any) -> int:
    """Run scenarios against an agent and score the whole flight.

    Without a selection every known scenario runs. Each run leaves its trace and score in the runs
    directory as it ends, each scenario a row in the ledger.

    One scenario is a focused experiment, several are a regression, which a focused pass on this
    very state of the code has to earn; --from-trace makes a probe. Once the runs directory has
    history, each sweep says what it is for: --question and --expect.
    """
    check_paired(options)
    form, out = options["form"], options["out"]
    request = request_of(options, click.get_current_context().obj)
    # Imported here so that `wt run --help` and a mistyped option cost nothing.
    from wt_git.cli.sweep_view import view_of  # noqa: PLC0415
    from wt_git.clock import SystemClock  # noqa: PLC0415
    from wt_git.records.store import RunsDir  # noqa: PLC0415

    records = _records(request) if options["as_json"] else None
    view = view_of(request.runs_dir, SystemClock(), records)
    if out is not None:
        from wt_git.evidence.output_place import check_output  # noqa: PLC0415

        check_output(out, RunsDir(request.runs_dir))
    found = _look_up(request, view.say)
    if options["dry_run"]:
        return _dry_run(found, view)
    return _run(found, view, form, out)


def _records(request: SweepRequest) -> RunRecords:
    from wt_git.cli.run_records import RunRecords  # noqa: PLC0415

    return RunRecords(request)


def _look_up(request: SweepRequest, say: Callable[[str], None]) -> LookedUp:
    from wt_git import config  # noqa: PLC0415
    from wt_git.sweep.prepare import look_up  # noqa: PLC0415

    folder = Path.cwd()
    return look_up(request, folder=folder, load_settings=lambda: config.load(folder), say=say)


def _dry_run(found: LookedUp, view: SweepView) -> int:
    from wt_git.cli.forecast_text import forecast_lines  # noqa: PLC0415
    from wt_git.records.ledger import Ledger  # noqa: PLC0415
    from wt_git.sweep.admission import admit  # noqa: PLC0415
    from wt_git.sweep.forecast import forecast  # noqa: PLC0415

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


def _run(found: LookedUp, view: SweepView, form: Any, out: Path | None) -> int:
    from wt_git.cli.signals import graceful  # noqa: PLC0415
    from wt_git.cli.surroundings import git_sha, lock_folder  # noqa: PLC0415
    from wt_git.clock import SystemClock  # noqa: PLC0415
    from wt_git.records.ledger import Ledger  # noqa: PLC0415
    from wt_git.records.store import RunsDir  # noqa: PLC0415
    from wt_git.sweep.admission import admit  # noqa: PLC0415
    from wt_git.sweep.sweep import Sweep  # noqa: PLC0415

    runs_dir = RunsDir(found.request.runs_dir)
    ledger = Ledger(runs_dir.path)
    prepared = admit(found, ledger, view.say)

    def deliver(results: Any) -> None:
        if out is not None:
            from wt_git.cli.machine_output import write_output  # noqa: PLC0415

            write_output(out, form, runs_dir, prepared.selected, results)
            view.say(f"{form} written to {out}")

    clock = SystemClock()
    sweep = Sweep(
        prepared,
        ledger=ledger,
        observer=view,
        clock=clock,
        lock_folder=lock_folder(),
        git_sha=git_sha(),
        deliver=deliver,
    )
    began = clock.monotonic()
    with graceful(sweep.interrupt):
        outcome = sweep.run()
    view.ended(outcome, clock.monotonic() - began)
    return _exit_code(outcome)


def _exit_code(outcome: SweepOutcome) -> int:
    if outcome.failure is not None:
        from wt_git.cli.problems import report  # noqa: PLC0415

        code = report(outcome.failure, ["run"])
        return code if outcome.exit_code is None else outcome.exit_code
    return EXIT_NO if outcome.exit_code is None else outcome.exit_code
