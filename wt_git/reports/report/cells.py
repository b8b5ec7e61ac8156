"""The cells of a report, their summary, and the lists of failures and flaky scenarios. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from wt_git.api.json_values import json_value
from wt_git.api.score import SCORE_LAYER_ORDER
from wt_git.records.documents.report import (
    Cell,
    Failure,
    Flaky,
    LayerTotals,
    ReportRun,
    ReportSummary,
    Robustness,
    SampleTrace,
)
from wt_git.reports.run_groups.totals import scenario_totals, valid_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wt_git.records.documents.results import ScenarioTotals
    from wt_git.reports.report.scored_groups import ScoredGroup

_EVERY_RUN = 1.0


def cell(scored: ScoredGroup, first_number: int, turns: Sequence[dict[str, Any]]) -> Cell:
    """Return the cell of `scored`, whose latest run had these `turns`.

    `first_number` is that of its first run among all runs of the report.
    """
    totals = scenario_totals(scored.group)
    sample, latest = scored.sample, scored.group.runs[-1]
    return Cell(
        verdict=scored.verdict,
        gate_layers=list(sample.gates),
        gate_pass_rate=scored.gate_pass_rate,
        tool_call_count=sample.tool_calls,
        layers=_layer_totals(scored, totals),
        robustness=robustness(scored),
        failure_cost=sample.cost,
        failure_risk=totals.failure_risk,
        trace=SampleTrace(
            run_id=latest.run_id,
            started_at=latest.started_at,
            finished_at=sample.finished_at,
            model=sample.model,
            quant=sample.quant,
            turns=list(turns),
        ),
        aggregate=None if scored.group.row is None else json_value(scored.group.row.record),
        selection=totals.selection,
        runs=totals.runs,
        passed=totals.passed,
        invalid=totals.invalid,
        interval=totals.interval,
        pass_hat_k=totals.pass_hat_k,
        tier=totals.tier,
        pack=totals.pack,
        sweep_id=totals.sweep_id,
        rescored=totals.rescored,
        diagnostic_failures=totals.diagnostic_failures,
        run_list=[
            ReportRun(**dict(run), data=run_key(first_number + index))
            for index, run in enumerate(totals.traces)
        ],
    )


def run_key(number: int) -> str:
    """Return the key of the detail of run `number`, counted from 1 over a whole report."""
    return f"run-{number}"


def _layer_totals(scored: ScoredGroup, totals: ScenarioTotals) -> dict[str, LayerTotals]:
    is_one_run = scored.group.row is None and totals.runs == 1
    found = {}
    for name in SCORE_LAYER_ORDER:
        rate = getattr(scored.rates, name)
        said = scored.sample.details.get(name, "")
        detail = said if is_one_run else f"{rate:.0%} of runs passed; the latest run: {said}"
        found[name] = LayerTotals(passed=rate == _EVERY_RUN, pass_rate=rate, detail=detail)
    return found


def robustness(scored: ScoredGroup) -> Robustness:
    """Return how a disturbed scenario held; where the disturbance did not happen, nobody knows."""
    applicable = scored.sample.has_perturbations
    happened = applicable and scored.rates.integrity == _EVERY_RUN
    rate = scored.gate_pass_rate if happened else None
    return Robustness(applicable=applicable, passed=rate == _EVERY_RUN, pass_rate=rate)


VERDICTS = ("PASS", "PASS_WITH_VARIANCE", "FAIL", "INVALID")


def summary(cells: Sequence[ScoredGroup]) -> ReportSummary:
    """Return the means over `cells`; robustness over those where a disturbance happened."""
    means = {
        name: _mean([getattr(scored.rates, name) for scored in cells]) for name in SCORE_LAYER_ORDER
    }
    held = [rate for scored in cells if (rate := robustness(scored).pass_rate) is not None]
    return ReportSummary(
        outcome_pass_rate=means["outcome"],
        trajectory_pass_rate=means["trajectory"],
        constraint_pass_rate=means["constraint"],
        integrity_pass_rate=means["integrity"],
        robustness_pass_rate=_mean(held) if held else None,
        total_failure_risk=sum(scored.failure_risk for scored in cells),
    )


def verdict_totals(verdicts: Iterable[str]) -> dict[str, int]:
    """Return how many cells have each verdict; what newer writers say comes after the known ones."""
    counts = Counter(verdicts)
    known = {verdict: counts.pop(verdict, 0) for verdict in VERDICTS}
    return known | dict(sorted(counts.items()))


def _mean(rates: Sequence[float]) -> float:
    return sum(rates) / len(rates) if rates else 0.0


_PASS = "PASS"  # noqa: S105 - a verdict


def failures(scored: Iterable[tuple[str, ScoredGroup]]) -> list[Failure]:
    """Return the groups whose verdict is not `PASS`, each with the name of its row.

    The one with the highest risk is the first; what is invalid is no risk, and comes last.
    """
    found = [_failure_entry(name, of) for name, of in scored if of.verdict != _PASS]
    return sorted(found, key=lambda one: (-one.failure_risk, one.name, one.label))


def _failure_entry(name: str, scored: ScoredGroup) -> Failure:
    totals = scenario_totals(scored.group)
    failed = scored.failure
    return Failure(
        scenario_id=totals.scenario_id,
        name=name,
        label=totals.label,
        verdict=scored.verdict,
        failure_risk=scored.failure_risk,
        severity=scored.sample.cost.severity,
        runs=totals.runs,
        passed=totals.passed,
        interval=totals.interval,
        run_id=None if failed is None else failed.run_id,
        decided_by=[] if failed is None else list(failed.decided_by),
        detail="" if failed is None else failed.detail,
    )


def flaky(scored: Iterable[tuple[str, ScoredGroup]]) -> list[Flaky]:
    """Return the groups of whose valid runs some passed and some did not, the most even first."""
    found = [one for name, of in scored if (one := _flaky_entry(name, of)) is not None]
    return sorted(found, key=lambda one: (abs(one.pass_rate - 0.5), one.name, one.label))


def _flaky_entry(name: str, scored: ScoredGroup) -> Flaky | None:
    totals = scenario_totals(scored.group)
    valid = valid_runs(passed=totals.passed, runs=totals.runs, invalid=totals.invalid)
    if valid is None or not 0 < valid.passed < valid.runs:
        return None
    return Flaky(
        scenario_id=totals.scenario_id,
        name=name,
        label=totals.label,
        runs=valid.runs,
        passed=valid.passed,
        pass_rate=valid.rate,
        interval=totals.interval,
    )
