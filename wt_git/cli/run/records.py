"""The records of `wt run --json`: stdout holds nothing else, one compact object a line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, assert_never

import click

from wt_git import files
from wt_git.api.json_values import json_value
from wt_git.cli import process
from wt_git.cli.printing import talk
from wt_git.cli.run.sweep_text import explanation
from wt_git.errors import EXIT_NO, EXIT_YES, WindTunnelError, os_reason
from wt_git.plugins.loading import describe
from wt_git.records import layout
from wt_git.records.documents import run
from wt_git.records.documents.run import Failure
from wt_git.runner.safe_values import safe_repr
from wt_git.sweep.sweep_result import ScenarioBroke, ScenarioOutcome, ScenarioRan, WorldMismatched
from wt_git.text import close_matches, json_characters, shell_word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.records.events import SweepStarted
    from wt_git.sweep.forecast import Expected
    from wt_git.sweep.request import Prepared, SweepRequest
    from wt_git.sweep.sweep_result import SweepOutcome

# How alike two names must be for one to be a slip of the other: one letter in five.
_LIKENESS = 0.8


def failure_of(error: BaseException, arguments: Sequence[str] = ()) -> Failure:
    """Return why `error` ended a command; `arguments` are the words behind `wt`, as typed."""
    match error:
        case WindTunnelError():
            return Failure(
                code=error.specific_code,
                message=error.message,
                facts=json_value(error.facts),
                commands=list(error.commands),
                retryable=error.retryable,
            )
        case click.ClickException():
            return _mistyped(error, arguments)
        case OSError():
            facts = {"reason": error.strerror or describe(error), "path": error.filename}
            return Failure(code="system-error", message=describe(error), facts=facts)
        case SystemExit():
            facts = {"exit": safe_repr(error.code), "arguments": list(arguments)}
            return Failure(code="foreign-exit", message=describe(error), facts=facts)
        case _:
            facts = {"error": type(error).__name__, "arguments": list(arguments)}
            return Failure(code="defect", message=describe(error), facts=facts)


def _mistyped(error: click.ClickException, arguments: Sequence[str]) -> Failure:
    asked: dict[str, object] = {"arguments": list(arguments)}
    commands: list[str] = []
    match error:
        case click.NoSuchOption():
            code = "unknown-option"
            near = list(error.possibilities or ())
            asked |= {"option": error.option_name, "near": near}
            alike = close_matches(error.option_name, near, likeness=_LIKENESS)
            if len(alike) == 1:
                commands = [_put_right(arguments, error.option_name, alike[0])]
        case click.BadParameter():
            code = "option-value"
            asked |= {
                "option": error.param.opts[0] if error.param else error.param_hint,
                "problem": error.message,
            }
        case click.BadOptionUsage():
            code = "option-misused"
            asked |= {"option": error.option_name, "problem": error.message}
        case _:
            code = "usage"
    return Failure(code=code, message=error.format_message(), facts=asked, commands=commands)


def _put_right(arguments: Sequence[str], wrong: str, right: str) -> str:
    """Return the command as typed, with one option's name put right."""
    words = [
        right + word.removeprefix(wrong) if word == wrong or word.startswith(f"{wrong}=") else word
        for word in arguments
    ]
    return " ".join(["wt", *map(shell_word, words)])


class RunRecords:
    """Prints one launch record and one final record for a sweep."""

    def __init__(self, request: SweepRequest) -> None:
        self._request = request

    def launched(self, event: SweepStarted) -> None:
        """Print that the sweep has its id and will run or queue."""
        runs_dir = self._request.runs_dir
        _print(
            run.Launched(
                sweep_id=event.sweep_id,
                tier=event.tier,
                label=event.label,
                runs_dir=str(runs_dir),
                events=str(runs_dir / layout.EVENTS),
            )
        )

    def ended(self, outcome: SweepOutcome) -> None:
        """Print the final record: the outcome of the sweep, or why it did not run after all."""
        failure = outcome.failure
        if failure is not None and not outcome.results and isinstance(failure, WindTunnelError):
            refused(failure)
        else:
            _print(_finished(outcome, failure))

    def forecast(self, expected: Expected) -> None:
        """Print the forecast of a dry run."""
        _print(expected.record())

    def allowed(self, prepared: Prepared) -> None:
        """Print that the sweep would be admitted."""
        earned = prepared.earned
        _print(
            run.Allowed(
                earned_by=earned.earned_by if earned else None,
                evidence_for=list(earned.evidence_for) if earned else [],
                excluded_failing=[one.name for one in earned.excluded] if earned else [],
            )
        )


def refused(error: BaseException, arguments: Sequence[str] = ()) -> None:
    """Print the record of a refusal; `arguments` are the words behind `wt`, as typed."""
    _print(run.Refused(**failure_of(error, arguments).as_document()))


def _finished(outcome: SweepOutcome, failure: BaseException | None) -> run.Finished:
    record = outcome.record
    code = EXIT_NO if outcome.exit_code is None else outcome.exit_code
    return run.Finished(
        sweep_id=outcome.sweep_id,
        exit_code=code,
        status=outcome.status,
        outcome="pass" if code == EXIT_YES else "fail",
        prediction_held=record.prediction_held if record else None,
        budget_exhausted=outcome.cut_short is not None,
        cost=record.cost if record else None,
        cost_usd=record.cost_usd if record else None,
        cache_check=record.cache_check if record else None,
        verdicts=_verdicts(outcome),
        problems=list(outcome.problems),
        failure=None if failure is None else failure_of(failure),
    )


def _verdicts(outcome: SweepOutcome) -> list[run.ScenarioVerdict]:
    ended = [
        run.ScenarioVerdict(
            pack=one.selected.pack.name,
            scenario=one.selected.scenario.name,
            verdict=_verdict(one),
            reasons=[line.strip() for line in explanation(one)],
            trace=_first_bad_trace(one),
            data=one.row.data if isinstance(one, ScenarioRan) else None,
        )
        for one in outcome.results
    ]
    waiting = [
        run.ScenarioVerdict(pack=item.pack.name, scenario=item.scenario.name, verdict="NOT_STARTED")
        for item in outcome.not_started
    ]
    return [*ended, *waiting]


def _first_bad_trace(result: ScenarioOutcome) -> str | None:
    runs = result.runs if isinstance(result, ScenarioRan) else ()
    return next((one.trace for one in runs if one.verdict != "PASS"), None)


def _verdict(result: ScenarioOutcome) -> str:
    match result:
        case ScenarioRan():
            return result.row.verdict
        case ScenarioBroke():
            return "ERROR"
        case WorldMismatched():
            return "WORLD"
        case _:
            assert_never(result)


def _print(record: run.RunRecord) -> None:
    """Print `record`. A closed stdout ends the printing, not the sweep."""
    line = json_characters(files.json_line(record.as_document(), sort_keys=False))
    try:
        click.echo(line)
    except OSError as error:
        process.discard_output(sys.stdout)
        talk("run", f"stdout cannot be written to any more ({os_reason(error)})")
