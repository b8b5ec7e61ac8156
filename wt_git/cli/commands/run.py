"""`wt run`: run scenarios against an agent and score the whole flight."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wt_git.cli.completion import recorded
from wt_git.cli.options import (
    CONTEXT_SETTINGS,
    Amount,
    F,
    PositiveInt,
    Seconds,
    agent_options,
    selection_options,
)
from wt_git.errors import EXIT_NO, EXIT_YES, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wt_git.cli.run.records import RunRecords
    from wt_git.cli.run.view import SweepView
    from wt_git.sweep.request import LookedUp, SweepRequest
    from wt_git.sweep.sweep_result import SweepOutcome

_OPTIONS = [
    click.option(
        "--all-packs",
        is_flag=True,
        help="With --pack-source: do not limit the run to those sources.",
    ),
    agent_options,
    click.option(
        "--hook",
        "hooks",
        multiple=True,
        metavar="NAME",
        help="Activate an installed lifecycle hook. Repeatable.",
    ),
    click.option(
        "--label",
        default="cli_run",
        shell_complete=recorded.labels,
        show_default=True,
        help="Name of this round; results are grouped by it.",
    ),
    click.option(
        "--runs",
        type=PositiveInt(hint_directory="--runs-dir"),
        default=1,
        show_default=True,
        help="How often each scenario is run.",
    ),
    click.option(
        "--runs-dir",
        type=click.Path(path_type=Path),
        default="runs",
        show_default=True,
        metavar="DIR",
        help="Where traces, scores and the ledger go.",
    ),
    click.option("--question", metavar="TEXT", help="What this sweep is to find out."),
    click.option(
        "--expect", type=click.Choice(["pass", "fail"]), help="What you think will come out."
    ),
    click.option("--if-pass", metavar="TEXT", help="What you will do if it passes; repeated then."),
    click.option("--if-fail", metavar="TEXT", help="What you will do if it fails; repeated then."),
    click.option(
        "--budget",
        "budget_s",
        type=Seconds(),
        help="Start nothing more after so many seconds; may lower the cap of the tier, never raise it.",
    ),
    click.option(
        "--max-cost",
        type=Amount(),
        help="Start no run that could take the sweep beyond this amount, in the pricing's currency.",
    ),
    click.option(
        "--from-trace",
        type=click.Path(),  # text: it is recorded as typed, and a Path would tidy it
        metavar="FILE",
        help="Probe: play the scenario of this saved trace on top of the turns it recorded.",
    ),
    click.option(
        "--from-turn",
        type=PositiveInt(),
        metavar="K",
        help="With --from-trace: the first user turn to play live, from 1; the last one by default.",
    ),
    click.option(
        "--format", "form", type=click.Choice(["junit", "json"]), help="Machine output, with --out."
    ),
    click.option(
        "--out", type=click.Path(path_type=Path), metavar="FILE", help="Where --format is written."
    ),
    click.option(
        "--scheduler",
        default="sequential",
        show_default=True,
        metavar="SPEC",
        help="How scenarios execute: sequential, concurrent, or your own as module:Class or "
        "file.py:Class.",
    ),
    click.option(
        "--max-concurrency",
        type=PositiveInt(),
        metavar="N",
        help="How many scenarios may run at once, within what the runtime tolerates.",
    ),
    click.option("--no-wait", is_flag=True, help="Exit 75 instead of waiting for a busy runtime."),
    click.option(
        "--dry-run", is_flag=True, help="Say what would run and whether it may; run nothing."
    ),
    click.option(
        "--json", "as_json", is_flag=True, help="Print records for programs on stdout, one a line."
    ),
]


def run_options(command: F) -> F:
    """Add every option of `wt run`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return selection_options(command)


def check_paired(options: dict[str, Any]) -> None:
    """Raise click's error unless `--format` and `--out` were given together, or neither."""
    form, out = options["form"], options["out"]
    if (form is None) != (out is None):
        given = "--out" if form is None else "--format"
        raise click.BadOptionUsage(given, "--format and --out must be provided together")


def request_of(options: dict[str, Any], arguments: Sequence[str]) -> SweepRequest:
    """Return what was asked for; `arguments` are the words behind `wt`, as typed."""
    from wt_git.ladder.declaration import Declaration  # noqa: PLC0415 - not for `wt run --help`
    from wt_git.sweep.request import DEFAULT_LABEL, SweepRequest  # noqa: PLC0415
    from wt_git.sweep.selection import Selectors  # noqa: PLC0415

    return SweepRequest(
        selectors=Selectors(
            scenarios=options["scenarios"],
            tags=options["tags"],
            packs=options["packs"],
            owners=options["owners"],
        ),
        declaration=Declaration(
            question=options["question"],
            expect=options["expect"],
            if_pass=options["if_pass"],
            if_fail=options["if_fail"],
        ),
        label=options["label"] or DEFAULT_LABEL,
        wait=not options["no_wait"],
        command=shlex.join(["wt", *arguments]),
        **{
            name: options[name]
            for name in (
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
        },
    )


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
    from wt_git.cli.run.view import view_of  # noqa: PLC0415
    from wt_git.clock import SystemClock  # noqa: PLC0415
    from wt_git.records.runs_dir import RunsDir  # noqa: PLC0415

    records = _records(request) if options["as_json"] else None
    view = view_of(request.runs_dir, SystemClock(), records)
    if out is not None:
        from wt_git.evidence.written_paths import check_output  # noqa: PLC0415

        check_output(out, RunsDir(request.runs_dir))
    found = _look_up(request, view.say)
    if options["dry_run"]:
        return _dry_run(found, view)
    return _run(found, view, form, out)


def _records(request: SweepRequest) -> RunRecords:
    from wt_git.cli.run.records import RunRecords  # noqa: PLC0415

    return RunRecords(request)


def _look_up(request: SweepRequest, say: Callable[[str], None]) -> LookedUp:
    from wt_git import config  # noqa: PLC0415
    from wt_git.sweep.admission.look_up import look_up  # noqa: PLC0415

    folder = Path.cwd()
    return look_up(request, folder=folder, load_settings=lambda: config.load(folder), say=say)


def _dry_run(found: LookedUp, view: SweepView) -> int:
    from wt_git.cli.run.sweep_text import forecast_lines  # noqa: PLC0415
    from wt_git.records.ledger.ledger import Ledger  # noqa: PLC0415
    from wt_git.sweep.admission.admit import admit  # noqa: PLC0415
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
    from wt_git.records.ledger.ledger import Ledger  # noqa: PLC0415
    from wt_git.records.runs_dir import RunsDir  # noqa: PLC0415
    from wt_git.sweep.admission.admit import admit  # noqa: PLC0415
    from wt_git.sweep.sweep import Sweep  # noqa: PLC0415

    runs_dir = RunsDir(found.request.runs_dir)
    ledger = Ledger(runs_dir.path)
    prepared = admit(found, ledger, view.say)

    def deliver(results: Any) -> None:
        if out is not None:
            from wt_git.cli.run.output_file import write_output  # noqa: PLC0415

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
        from wt_git.cli.error_messages import report_error  # noqa: PLC0415

        code = report_error(outcome.failure, ["run"])
        return code if outcome.exit_code is None else outcome.exit_code
    return EXIT_NO if outcome.exit_code is None else outcome.exit_code
