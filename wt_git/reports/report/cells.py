"""From a scored group to its cell of a report. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.api.json_values import json_value
from wt_git.api.score import SCORE_LAYER_ORDER
from wt_git.records.report import (
    Cell,
    LayerTotals,
    ReportRun,
    Robustness,
    SampleTrace,
)
from wt_git.reports.counted.totals import scenario_totals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.records.results import ScenarioTotals
    from wt_git.reports.report.scored_groups import ScoredGroup

_CERTAIN = 1.0


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
        layers=_layers(scored, totals),
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


def _layers(scored: ScoredGroup, totals: ScenarioTotals) -> dict[str, LayerTotals]:
    is_one_run = scored.group.row is None and totals.runs == 1
    found = {}
    for name in SCORE_LAYER_ORDER:
        rate = getattr(scored.rates, name)
        said = scored.sample.details.get(name, "")
        detail = said if is_one_run else f"{rate:.0%} of runs passed; the latest run: {said}"
        found[name] = LayerTotals(passed=rate == _CERTAIN, pass_rate=rate, detail=detail)
    return found


def robustness(scored: ScoredGroup) -> Robustness:
    """Return how a disturbed scenario held; where the disturbance did not happen, nobody knows."""
    applicable = scored.sample.has_perturbations
    happened = applicable and scored.rates.integrity == _CERTAIN
    rate = scored.gate_pass_rate if happened else None
    return Robustness(applicable=applicable, passed=rate == _CERTAIN, pass_rate=rate)
