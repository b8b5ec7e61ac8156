"""The cells of a report, their summary, and the lists of failures and flaky scenarios. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

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
from wt_git.reports.report.scored_groups import PASS
from wt_git.reports.run_groups.totals import valid_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wt_git.reports.report.scored_groups import ScoredGroup

VERDICTS = ("PASS", "PASS_WITH_VARIANCE", "FAIL", "INVALID")
_EVERY_RUN = 1.0


def cell(scored: ScoredGroup, first_number: int, turns: Sequence[dict[str, Any]]) -> Cell:
    """Return the cell of `scored`, whose latest run had these `turns`.

    `first_number` is that of its first run among all runs of the report.
    """
    totals, latest = scored.totals, scored.latest
    run, row = scored.group.runs[-1], scored.group.row
    return Cell(
        verdict=totals.verdict,
        gate_layers=list(latest.gates),
        gate_pass_rate=scored.gate_pass_rate,
        tool_call_count=latest.tool_calls,
        layers=_layer_totals(scored),
        robustness=robustness(scored),
        failure_cost=latest.cost,
        failure_risk=totals.failure_risk,
        trace=SampleTrace(
            run_id=run.run_id,
            started_at=run.started_at,
            finished_at=latest.finished_at,
            model=latest.model,
            quant=latest.quant,
            turns=list(turns),
        ),
        aggregate=None if row is None else json_value(row.record),
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
            ReportRun(**asdict(counted), data=run_key(first_number + index))
            for index, counted in enumerate(totals.traces)
        ],
    )


def run_key(number: int) -> str:
    """Return the key of the detail of run `number`, counted from 1 over a whole report."""
    return f"run-{number}"


def _layer_totals(scored: ScoredGroup) -> dict[str, LayerTotals]:
    is_one_run = scored.group.row is None and scored.totals.runs == 1
    found = {}
    for name in SCORE_LAYER_ORDER:
        rate = getattr(scored.rates, name)
        of_latest = scored.latest.details.get(name, "")
        detail = (
            of_latest if is_one_run else f"{rate:.0%} of runs passed; the latest run: {of_latest}"
        )
        found[name] = LayerTotals(passed=rate == _EVERY_RUN, pass_rate=rate, detail=detail)
    return found


def robustness(scored: ScoredGroup) -> Robustness:
    """Return how a perturbed scenario held; without a rate where the perturbation failed."""
    applicable = scored.latest.has_perturbations
    happened = applicable and scored.rates.integrity == _EVERY_RUN
    rate = scored.gate_pass_rate if happened else None
    return Robustness(applicable=applicable, passed=rate == _EVERY_RUN, pass_rate=rate)


def summary(cells: Sequence[ScoredGroup]) -> ReportSummary:
    """Return the means over `cells`; robustness over those whose perturbation happened."""
    means = {
        f"{name}_pass_rate": _mean([getattr(scored.rates, name) for scored in cells])
        for name in SCORE_LAYER_ORDER
    }
    held = [rate for scored in cells if (rate := robustness(scored).pass_rate) is not None]
    return ReportSummary(
        **means,
        robustness_pass_rate=_mean(held) if held else None,
        total_failure_risk=sum((scored.totals.failure_risk for scored in cells), 0.0),
    )


def verdict_totals(verdicts: Iterable[str]) -> dict[str, int]:
    """Return how many cells have each verdict; those of newer versions come after the known ones."""
    counts = Counter(verdicts)
    known = {verdict: counts.pop(verdict, 0) for verdict in VERDICTS}
    return known | dict(sorted(counts.items()))


def _mean(rates: Sequence[float]) -> float:
    return sum(rates) / len(rates) if rates else 0.0


def failures(scored: Iterable[tuple[str, ScoredGroup]]) -> list[Failure]:
    """Return the groups whose verdict is not `PASS`, each with the name of its row.

    The highest risk comes first; an invalid group has no risk and comes last.
    """
    found = [_failure(name, of) for name, of in scored if of.totals.verdict != PASS]
    return sorted(found, key=lambda one: (-one.failure_risk, one.name, one.label))


def _failure(name: str, scored: ScoredGroup) -> Failure:
    totals, failed = scored.totals, scored.failure
    return Failure(
        scenario_id=totals.scenario_id,
        name=name,
        label=totals.label,
        verdict=totals.verdict,
        failure_risk=totals.failure_risk,
        severity=scored.latest.cost.severity,
        runs=totals.runs,
        passed=totals.passed,
        interval=totals.interval,
        run_id=None if failed is None else failed.run_id,
        decided_by=[] if failed is None else list(failed.decided_by),
        detail="" if failed is None else failed.detail,
    )


def flaky(scored: Iterable[tuple[str, ScoredGroup]]) -> list[Flaky]:
    """Return the groups with both passed and failed valid runs, those nearest to one half first."""
    found = [one for name, of in scored if (one := _flaky(name, of)) is not None]
    return sorted(found, key=lambda one: (abs(one.pass_rate - 0.5), one.name, one.label))


def _flaky(name: str, scored: ScoredGroup) -> Flaky | None:
    totals = scored.totals
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
