"""The lines a person reads about each scenario and about the sweep. Pure text."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from wt_git.cli.cost_block import cost_block
from wt_git.ladder.declaration import plan_line, prediction_line
from wt_git.naming import scenario_name
from wt_git.sweep.results import ScenarioBroke, ScenarioRan, ScenarioResult, WorldMismatched
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wt_git.records.experiments import SweepRecord
    from wt_git.records.rows import Experiment, LedgerRow
    from wt_git.sweep.request import Prepared
    from wt_git.sweep.results import RunSummary, SweepOutcome

_MOST_DETAIL = 400
_ERROR_ON_THE_LINE = 120


def verdict_line(result: ScenarioResult) -> str:
    """Return the one line of stdout about a scenario."""
    name = one_line(result.selected.scenario.name)
    match result:
        case ScenarioRan(row=row):
            return (
                f"  {row.verdict:<6}  {name:<40}  "
                f"({row.passed}/{row.runs} pass, rate={row.pass_rate:.0%}){_note(result)}"
            )
        case ScenarioBroke():
            said = one_line(result.message, _ERROR_ON_THE_LINE)
            return f"  ERROR   {name:<40}  ({result.error_type}: {said})"
        case WorldMismatched():
            return f"  WORLD   {name:<40}  preconditions failed"
        case _:
            assert_never(result)


def _note(result: ScenarioRan) -> str:
    if any(run.execution_error is not None for run in result.runs):
        return "  EXECUTION ERROR"
    return "  transport-only" if result.selected.pack.transport_only else ""


def explanation(result: ScenarioResult) -> Iterator[str]:
    """Yield why a scenario did not simply pass: the first such run, its layers, its trace."""
    match result:
        case ScenarioRan():
            yield from _of_runs(result)
        case ScenarioBroke():
            if len(result.message) > _ERROR_ON_THE_LINE:
                name = one_line(result.selected.scenario.name)
                yield f"{name} could not be run: {one_line(result.message, _MOST_DETAIL)}"
        case WorldMismatched():
            yield f"{one_line(result.selected.scenario.name)}: the world is not as required:"
            yield from (f"  {one_line(failure, _MOST_DETAIL)}" for failure in result.failures)
        case _:
            assert_never(result)


def _of_runs(result: ScenarioRan) -> Iterator[str]:
    bad = [run for run in result.runs if run.verdict != "PASS"]
    name = one_line(result.selected.scenario.name)
    if not bad:
        yield from _counted_all_the_same(name, result.row.experiment)
        return
    yield f"{name}: {len(bad)} of {len(result.runs)} run(s) did not pass; the first of them:"
    yield from _of_run(bad[0])
    yield f"  trace: {one_line(bad[0].trace)}"


def _counted_all_the_same(name: str, experiment: Experiment) -> Iterator[str]:
    """Say why a scenario whose runs all passed fails the sweep."""
    check = experiment.cache_check
    if experiment.counts_as_failure and check is not None:
        yield (
            f"{name}: counts as a failure, whatever its verdict: cache check: {check.result} "
            f"({one_line(check.reason or 'no reason', _MOST_DETAIL)})"
        )


def _of_run(run: RunSummary) -> Iterator[str]:
    if run.execution_error is not None:
        yield f"  execution error: {one_line(run.execution_error, _MOST_DETAIL)}"
        return
    for layer in run.layers():
        if not layer.passed:
            diagnostic = "" if layer.gates else " (diagnostic, does not gate)"
            yield f"  {layer.name}{diagnostic}: {one_line(layer.detail, _MOST_DETAIL)}"


def admission_line(prepared: Prepared) -> str:
    """Return why a dry run found nothing in the way."""
    earned = prepared.earned
    if earned is None:
        return "would run:  yes, a sweep of this tier need not be earned"
    if earned.earned_by is None:
        return "would run:  yes, the first experiment against a target need not be earned"
    return f"would run:  yes, earned by the focused sweep {earned.earned_by}"


def closing_lines(outcome: SweepOutcome, elapsed_s: float) -> Iterator[str]:
    """Yield the end of the talk about a sweep: what came of it, and what went wrong around it."""
    if outcome.status not in {"busy", "refused"}:
        yield _summary(outcome, elapsed_s)
    if outcome.status == "interrupted":
        yield "interrupted: what finished is recorded, and marked so that it is no evidence"
    if outcome.cut_short is not None:
        yield outcome.cut_short
    if outcome.record is not None:
        yield from _account(outcome.record, outcome.rows())
    yield from outcome.problems


def _account(record: SweepRecord, rows: list[LedgerRow]) -> Iterator[str]:
    """Yield whether the prediction held, what was planned for this outcome, and what it cost."""
    for line in (prediction_line(record), plan_line(record)):
        if line is not None:
            yield line
    checks = [
        (scenario_name(row.pack, row.scenario_id), row.experiment.cache_check) for row in rows
    ]
    yield from cost_block(
        record.question,
        record.cost,
        record.cost_usd,
        record.cache_check,
        model=record.model,
        by_scenario=[(name, check) for name, check in checks if check is not None],
    )


def _summary(outcome: SweepOutcome, elapsed_s: float) -> str:
    rows = outcome.rows()
    counts = [
        (sum(not row.experiment.counts_as_failure for row in rows), "passed"),
        (sum(row.experiment.counts_as_failure for row in rows), "failed"),
        (len(outcome.results) - len(rows), "could not be run"),
        (len(outcome.not_started), "not started"),
    ]
    said = ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing ran"
    return f"{said} in {elapsed_s:.1f}s"
