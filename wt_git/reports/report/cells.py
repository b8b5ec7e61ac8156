"""The cells of a report: a scenario under a label, its rates and runs; summary, failures and flaky scenarios."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import asdict

from wt_git.api.json_values import json_value
from wt_git.api.score import GATE_LAYER_ORDER, SCORE_LAYER_ORDER
from wt_git.decoding import within
from wt_git.records.documents.report import (
    Cell,
    Failure,
    FailureCostFacts,
    Flaky,
    LayerTotals,
    ReportRun,
    ReportSummary,
    Robustness,
    SampleTrace,
)
from wt_git.records.runs.run_files import UnreadableRunError
from wt_git.records.runs.saved_runs import load_saved_trace
from wt_git.records.runs.saved_scores import gate_layers, load_score
from wt_git.reports.run_groups.totals import scenario_totals, valid_runs
from wt_git.reports.wording import VERDICTS
from wt_git.run_errors import NO_DATA

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wt_git.records.documents.results import ScenarioTotals
    from wt_git.records.runs.saved_runs import SavedRun
    from wt_git.records.runs.saved_scores import SidecarFacts
    from wt_git.reports.run_groups.groups import RunGroup

PASS = "PASS"  # noqa: S105 - a verdict
_EVERY_RUN = 1.0


class LayerRates(NamedTuple):
    """The share of runs that passed each layer, gated or not."""

    outcome: float
    trajectory: float
    constraint: float
    integrity: float


class LatestRun(NamedTuple):
    """The latest run of a group, without its conversation."""

    details: Mapping[str, str]
    gates: tuple[str, ...]
    has_perturbations: bool
    cost: FailureCostFacts
    tool_calls: int
    finished_at: str
    model: str
    quant: str


class FailedRun(NamedTuple):
    """The first run that failed, the layers that decided it, and their details."""

    run_id: str
    decided_by: tuple[str, ...]
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredGroup:
    """A group with its totals, its rates, its latest run, and its first failure if it has one."""

    group: RunGroup
    totals: ScenarioTotals
    rates: LayerRates
    gate_pass_rate: float
    latest: LatestRun
    failure: FailedRun | None


def scored_group(group: RunGroup) -> ScoredGroup:
    """Return `group`, which has at least one run, with its scores.

    A run that vanished since the group was read has no details.
    """
    totals = scenario_totals(group)
    # A row has the scores of its sweep, which no longer hold after a rescore.
    record = {} if group.row is None or totals.rescored else group.row.record
    return ScoredGroup(
        group=group,
        totals=totals,
        rates=rates_of_row(record) or _counted_rates(group),
        gate_pass_rate=gate_pass_rate(record, passed=totals.passed, runs=totals.runs),
        latest=_latest_run(group.runs[-1]),
        failure=None if totals.verdict == PASS else _first_failure(group, totals.verdict),
    )


def rates_of_row(record: Mapping[str, Any]) -> LayerRates | None:
    """Return the rates in a ledger row of any age; None unless it has all four.

    The fourth layer of the oldest rows is called robustness.
    """
    stored = within(record.get("layer_pass_rates"))
    integrity = stored.get("integrity", stored.get("robustness"))
    values = (*(stored.get(name) for name in ("outcome", "trajectory", "constraint")), integrity)
    rates = [rate for value in values if (rate := _valid_rate(value)) is not None]
    return LayerRates(*rates) if len(rates) == len(LayerRates._fields) else None


def rates_of_runs(runs: Iterable[Iterable[bool]]) -> LayerRates:
    """Return the rates over at least one run, given which of its four layers each run passed."""
    layers = list(zip(*runs, strict=True))
    return LayerRates(*(sum(passed) / len(passed) for passed in layers))


def gate_pass_rate(record: Mapping[str, Any], *, passed: int, runs: int) -> float:
    """Return the share of runs that passed every gate, from the row, else as counted.

    The oldest rows have only the rate of the outcome.
    """
    for value in (record.get("pass_rate"), within(record.get("layer_pass_rates")).get("outcome")):
        rate = _valid_rate(value)
        if rate is not None:
            return rate
    return passed / runs if runs else 0.0


def _valid_rate(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


def _counted_rates(group: RunGroup) -> LayerRates:
    """Return the rates over the runs that are data; over all where none is."""
    data = [run for run in group.runs if run.failure_class not in NO_DATA]
    return rates_of_runs(
        [layer not in run.failed_layers for layer in SCORE_LAYER_ORDER]
        for run in data or group.runs
    )


def _latest_run(run: SavedRun) -> LatestRun:
    sidecar = _sidecar(run)
    try:
        trace = load_saved_trace(run.path)
    except UnreadableRunError:
        trace = None
    details = {}
    if sidecar is not None:
        details = {name: getattr(sidecar.score, name).detail for name in SCORE_LAYER_ORDER}
    scenario = within(None if sidecar is None else sidecar.scenario)
    return LatestRun(
        details=details,
        gates=GATE_LAYER_ORDER if sidecar is None else gate_layers(sidecar),
        has_perturbations=scenario.get("has_perturbations") is True,
        cost=_failure_cost(run, sidecar),
        tool_calls=0 if trace is None else trace.tool_calls,
        finished_at="" if trace is None else trace.finished_at,
        model="" if trace is None else trace.model,
        quant="" if trace is None else trace.quant,
    )


def _failure_cost(run: SavedRun, sidecar: SidecarFacts | None) -> FailureCostFacts:
    cost = None if sidecar is None else sidecar.score.failure_cost
    return FailureCostFacts(
        severity="low" if cost is None else cost.severity,
        customer_visible=cost is not None and cost.customer_visible,
        reversible=cost is None or cost.reversible,
        side_effect_performed=cost is not None and cost.side_effect_performed,
        risk_weight=int(run.risk_weight),
    )


def _first_failure(group: RunGroup, verdict: str) -> FailedRun | None:
    """Return the first run with the verdict of the group, else the first that did not pass."""
    failed = [run for run in group.runs if run.verdict != PASS]
    chosen = next((run for run in failed if run.verdict == verdict), next(iter(failed), None))
    if chosen is None:
        return None
    sidecar = _sidecar(chosen)
    if sidecar is None:
        return FailedRun(chosen.run_id, (), "")
    deciding = ("integrity",) if chosen.verdict == "INVALID" else gate_layers(sidecar)
    failing = tuple(name for name in deciding if not getattr(sidecar.score, name).passed)
    details = "; ".join(f"{name}: {getattr(sidecar.score, name).detail}" for name in failing)
    return FailedRun(chosen.run_id, failing, details)


def _sidecar(run: SavedRun) -> SidecarFacts | None:
    try:
        return load_score(run.path)
    except UnreadableRunError:
        return None


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
        data=totals.data,
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
