"""The lines that a person reads about a sweep: forecast, verdicts, end and cost. Pure text."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from wt_git.api.score import DETAIL_WARNING
from wt_git.ladder.declaration import plan_line, prediction_line
from wt_git.ladder.pricing import plain_decimal
from wt_git.sweep.sweep_result import ScenarioBroke, ScenarioOutcome, ScenarioRan, WorldMismatched
from wt_git.text import duration, one_line, plain_seconds, scenario_name, shortened_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from wt_git.records.sweep_records import (
        CacheCheckRecord,
        Cost,
        CostUsd,
        Experiment,
        LedgerRow,
        SweepRecord,
    )
    from wt_git.sweep.forecast import Expected
    from wt_git.sweep.request import Prepared
    from wt_git.sweep.sweep_result import RunSummary, SweepOutcome


def cost_block(
    question: str | None,
    cost: Cost,
    cost_usd: CostUsd | None,
    cache_check: CacheCheckRecord | None,
    *,
    model: str | None = None,
    by_scenario: Sequence[tuple[str, CacheCheckRecord]] = (),
) -> list[str]:
    """Return the lines of the block, to go behind `wt run: `, each of them one line.

    `cost_usd` and `cache_check` are None where nothing configures them. `model` is the label that
    prices are looked up by. `by_scenario` holds the checks behind `cache_check`.
    """
    return [
        "cost" if question is None else f"cost — '{one_line(question)}'",
        f"  tokens: {_tokens(cost)}",
        f"  wall: {cost.wall_s:.1f}s",
        *([] if cost_usd is None else _money_lines(cost, cost_usd, model)),
        *([] if cache_check is None else _cache_check(cache_check, by_scenario)),
    ]


def _tokens(cost: Cost) -> str:
    if cost.input_tokens is None or cost.output_tokens is None:
        return "unknown"
    cached = cost.cached_tokens
    split = "cache split unknown" if cached is None else f"{cached} cached"
    return f"{cost.input_tokens} in ({split}) / {cost.output_tokens} out"


def _money_lines(cost: Cost, cost_usd: CostUsd, model: str | None) -> Iterator[str]:
    yield f"  $ {_money(cost_usd)}"
    if None not in {cost.input_tokens, cost.output_tokens} and not cost_usd.tokens_known:
        lacking = (
            "has no 'default', and the runtime reports no model"
            if model is None
            else f"has neither '{one_line(model)}' nor 'default'"
        )
        yield f"  these tokens have no price: [tool.windtunnel.ladder.pricing.models] {lacking}"
    elif isinstance(cost.cache_write_tokens, int) and not isinstance(cost_usd.cache_write, float):
        yield (
            f"  warning: {cost.cache_write_tokens} tokens were written to the cache and are priced as "
            "input: cache_write_per_m is not set"
        )


def _money(cost: CostUsd) -> str:
    total = f"total {cost.total:.4f}"
    if not cost.tokens_known:
        return f"tokens unknown — time cost only: {total}"
    fresh = f"uncached {cost.uncached_input:.4f}"
    if cost.cache_split_known:
        fresh += f" + cache read {cost.cache_read:.4f}"
    else:
        fresh += " (cache split unknown)"
    if isinstance(cost.cache_write, float):
        fresh += f" + cache write {cost.cache_write:.4f}"
    return f"{fresh} + output {cost.output:.4f} + time {cost.time:.4f} = {total}"


def _cache_check(
    record: CacheCheckRecord, by_scenario: Sequence[tuple[str, CacheCheckRecord]]
) -> Iterator[str]:
    reason = "" if record.reason is None else f" — {one_line(record.reason)}"
    yield f"  cache check: {record.result}{reason}"
    if len(by_scenario) <= 1:
        yield from (f"  {one_line(line)}" for line in record.calls)
        return
    for name, one in by_scenario:
        if one.calls or one.result != "pass":
            yield f"  {one_line(name)}: {one.result}"
        yield from (f"  {one_line(line)}" for line in one.calls)


def forecast_lines(expected: Expected) -> Iterator[str]:
    """Yield the lines of a dry run: tier, runtime, budget, runs, expected time and cost."""
    found = expected.found
    names = [one_line(one.scenario.name) for one in expected.scenarios]
    yield f"tier:       {found.tier} ({shortened_list(names)})"
    model = f", model {one_line(found.runtime.model)}" if found.runtime.model else ""
    yield f"runtime:    {one_line(found.request.runtime)}{model}"
    budget = "no limit" if found.budget_s is None else f"{plain_seconds(found.budget_s)}s"
    ceiling = "" if found.ceiling is None else f", at most ${plain_decimal(found.ceiling)}"
    yield f"budget:     {budget}{ceiling}"
    yield f"runs:       {expected.runs} ({len(names)} x {found.request.runs})"
    yield f"time:       {_time(expected)}"
    yield f"cost:       {_cost(expected)}"


def _time(expected: Expected) -> str:
    seconds, budget_s = expected.wall_s, expected.found.budget_s
    if seconds is None:
        return _unknown(
            [one_line(one.scenario.name) for one in expected.scenarios if one.wall_s is None]
        )
    is_too_long = budget_s is not None and seconds > budget_s
    more = "; more than the budget" if is_too_long else ""
    return f"about {duration(seconds)}{_basis(expected)}{more}"


def _cost(expected: Expected) -> str:
    if expected.found.settings.ladder.pricing is None:
        return "not known: there is no [tool.windtunnel.ladder.pricing]"
    cost, ceiling = expected.cost, expected.found.ceiling
    if cost is not None:
        more = "; more than the ceiling" if ceiling is not None and cost > ceiling else ""
        return f"about ${cost:.4f}{_basis(expected)}{more}"
    return _unknown([one_line(one.scenario.name) for one in expected.scenarios if one.cost is None])


def _basis(expected: Expected) -> str:
    return f", from {sum(one.earlier_runs for one in expected.scenarios)} earlier run(s)"


def _unknown(names: list[str]) -> str:
    return f"not known: no earlier runs that say it for {shortened_list(names)}"


_MOST_DETAIL = 400
_MOST_ANSWER = 200
_ERROR_ON_THE_LINE = 120


def verdict_line(result: ScenarioOutcome) -> str:
    """Return the line of stdout about a scenario."""
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
        data = result.row.data.text
        return f"  EXECUTION ERROR{'  ' if data else ''}{data}"
    return "  transport-only" if result.selected.pack.transport_only else ""


def explanation(result: ScenarioOutcome) -> Iterator[str]:
    """Yield why a scenario did not pass: the first such run, its layers, its trace."""
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
        yield from _doubts(name, result.runs)
        yield from _counted_all_the_same(name, result.row.experiment)
        return
    yield f"{name}: {len(bad)} of {len(result.runs)} run(s) did not pass; the first of them:"
    yield from _of_run(bad[0])
    yield f"  trace: {one_line(bad[0].trace)}"


def _doubts(name: str, runs: Iterable[RunSummary]) -> Iterator[str]:
    """Yield the first warning of runs that passed: a fact that the answer only denies."""
    for run in runs:
        _, found, warning = run.score.outcome.detail.partition(DETAIL_WARNING)
        if found:
            yield f"warning: {name}: {one_line(warning, _MOST_DETAIL)}"
            return


def _counted_all_the_same(name: str, experiment: Experiment) -> Iterator[str]:
    """Yield why a scenario counts as a failure although all of its runs passed."""
    check = experiment.cache_check
    if experiment.counts_as_failure and check is not None:
        yield (
            f"{name}: counts as a failure with any verdict: cache check: {check.result} "
            f"({one_line(check.reason or 'no reason', _MOST_DETAIL)})"
        )


def _of_run(run: RunSummary) -> Iterator[str]:
    if run.execution_error is not None:
        of_class = "" if run.failure_class in {None, "harness"} else f" ({run.failure_class})"
        yield f"  execution error{of_class}: {one_line(run.execution_error, _MOST_DETAIL)}"
        return
    failed = [layer for layer in run.layers() if not layer.passed]
    for layer in failed:
        diagnostic = "" if layer.gates else " (diagnostic, does not gate)"
        yield f"  {layer.name}{diagnostic}: {one_line(layer.detail, _MOST_DETAIL)}"
    if run.answer is not None and not any("(the answer: " in layer.detail for layer in failed):
        yield f"  the answer: {one_line(run.answer, _MOST_ANSWER) or '(empty)'}"


def admission_line(prepared: Prepared) -> str:
    """Return why the sweep of a dry run would be admitted."""
    earned = prepared.earned
    if earned is None:
        return "would run:  yes, a sweep of this tier need not be earned"
    if earned.earned_by is None:
        return "would run:  yes, the first experiment against a target need not be earned"
    return f"would run:  yes, earned by the focused sweep {earned.earned_by}"


def closing_lines(outcome: SweepOutcome, elapsed_s: float) -> Iterator[str]:
    """Yield the last lines about a sweep: its outcome, and problems around it."""
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
    """Yield whether the prediction held, the plan for this outcome, and the cost."""
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


def _ends(row: LedgerRow) -> str:
    """Return how a scenario ended; one that passes lacks something where a run is no data."""
    if row.experiment.counts_as_failure:
        return "failed"
    if row.data.runs < row.data.of:
        return "incomplete" if row.data.runs else "without data"
    return "passed"


def _summary(outcome: SweepOutcome, elapsed_s: float) -> str:
    rows = outcome.rows()
    counts = [
        (sum(_ends(row) == "passed" for row in rows), "passed"),
        (sum(_ends(row) == "failed" for row in rows), "failed"),
        (sum(_ends(row) == "incomplete" for row in rows), "incomplete"),
        (sum(_ends(row) == "without data" for row in rows), "without data"),
        (len(outcome.results) - len(rows), "could not be run"),
        (len(outcome.not_started), "not started"),
    ]
    said = ", ".join(f"{count} {what}" for count, what in counts if count) or "nothing ran"
    return f"{said} in {elapsed_s:.1f}s"
