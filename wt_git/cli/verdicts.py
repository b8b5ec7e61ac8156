"""The lines a person reads about each scenario and about the sweep. Pure text."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from wt_git.sweep.results import ScenarioBroke, ScenarioRan, ScenarioResult, WorldMismatched
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    if not bad:
        return
    name = one_line(result.selected.scenario.name)
    yield f"{name}: {len(bad)} of {len(result.runs)} run(s) did not pass; the first of them:"
    yield from _of_run(bad[0])
    yield f"  trace: {one_line(bad[0].trace)}"


def _of_run(run: RunSummary) -> Iterator[str]:
    if run.execution_error is not None:
        yield f"  execution error: {one_line(run.execution_error, _MOST_DETAIL)}"
        return
    for layer in run.layers():
        if not layer.passed:
            diagnostic = "" if layer.gates else " (diagnostic, does not gate)"
            yield f"  {layer.name}{diagnostic}: {one_line(layer.detail, _MOST_DETAIL)}"


def closing_lines(outcome: SweepOutcome, elapsed_s: float) -> Iterator[str]:
    """Yield the end of the talk about a sweep: what came of it, and what went wrong around it."""
    if outcome.status != "busy":
        yield _summary(outcome, elapsed_s)
    if outcome.status == "interrupted":
        yield "interrupted: what finished is recorded, and marked so that it is no evidence"
    yield from outcome.problems


def _summary(outcome: SweepOutcome, elapsed_s: float) -> str:
    rows = outcome.rows()
    counts = [
        (sum(not row.experiment.counts_as_failure for row in rows), "passed"),
        (sum(row.experiment.counts_as_failure for row in rows), "failed"),
        (len(outcome.results) - len(rows), "could not be run"),
        (len(outcome.not_started), "not started"),
    ]
    said = ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing ran"
    tokens = _tokens(outcome)
    return f"{said} in {elapsed_s:.1f}s{tokens}"


def _tokens(outcome: SweepOutcome) -> str:
    costs = [row.experiment.cost for row in outcome.rows()]
    counted = [
        (cost.input_tokens, cost.output_tokens)
        for cost in costs
        if cost.input_tokens is not None and cost.output_tokens is not None
    ]
    if not counted:
        return ""
    text = f"; tokens: {sum(i for i, _ in counted)} in / {sum(o for _, o in counted)} out"
    unknown = len(costs) - len(counted)
    return text + (f" (unknown for {unknown} scenario(s))" if unknown else "")
