"""The scores of a group: layer rates, gate pass rate, latest run and first failure.

Only the scores of the latest run and of the first failed run are read; those of all runs only where
no row of the ledger has their rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.api.score import GATE_LAYER_ORDER, SCORE_LAYER_ORDER
from wt_git.records.decoding import within
from wt_git.records.documents.report import FailureCostFacts
from wt_git.records.runs.saved_runs import (
    UnreadableRunError,
    gate_layers,
    load_saved_trace,
    load_score,
)
from wt_git.reports.run_groups.totals import scenario_totals

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wt_git.records.documents.results import ScenarioTotals
    from wt_git.records.runs.fast_decode import SidecarFacts
    from wt_git.records.runs.saved_runs import SavedRun
    from wt_git.reports.run_groups.groups import RunGroup


class LayerRates(NamedTuple):
    """The share of runs that passed each layer, gated or not."""

    outcome: float
    trajectory: float
    constraint: float
    integrity: float


def rates_of_row(record: Mapping[str, Any]) -> LayerRates | None:
    """Return the rates that a ledger row of any age states; None unless it states all four.

    The fourth layer of the oldest rows is called robustness.
    """
    said = within(record.get("layer_pass_rates"))
    integrity = said.get("integrity", said.get("robustness"))
    found = [_valid_rate(said.get(name)) for name in ("outcome", "trajectory", "constraint")]
    rates = [rate for rate in (*found, _valid_rate(integrity)) if rate is not None]
    return LayerRates(*rates) if len(rates) == len(LayerRates._fields) else None


def rates_of_runs(runs: Iterable[Iterable[bool]]) -> LayerRates:
    """Return the rates over runs, of each whether its four layers passed; there is at least one."""
    counts, total = [0, 0, 0, 0], 0
    for layers in runs:
        total += 1
        counts = [count + passed for count, passed in zip(counts, layers, strict=True)]
    return LayerRates(*(count / total for count in counts))


def gate_pass_rate(record: Mapping[str, Any], *, passed: int, runs: int) -> float:
    """Return the share of runs that passed every gate, as the row says, else as counted.

    The oldest rows know only the outcome's rate.
    """
    for said in (record.get("pass_rate"), within(record.get("layer_pass_rates")).get("outcome")):
        rate = _valid_rate(said)
        if rate is not None:
            return rate
    return passed / runs


def _valid_rate(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


_PASS = "PASS"  # noqa: S105 - a verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class LatestRun:
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
    """The first run that failed, the layers that decided it, and what they said."""

    run_id: str
    decided_by: tuple[str, ...]
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredGroup:
    """A group with its rates, its risk, its latest run, and its first failure if it has one."""

    group: RunGroup
    verdict: str
    rates: LayerRates
    gate_pass_rate: float
    failure_risk: float
    sample: LatestRun
    failure: FailedRun | None


def scored_group(group: RunGroup) -> ScoredGroup:
    """Return what the scores of `group` say, of which there is at least one.

    What vanished since the group was read is shown as having said nothing.
    """
    totals = scenario_totals(group)
    record = authoritative_row(group, totals)
    return ScoredGroup(
        group=group,
        verdict=totals.verdict,
        rates=rates_of_row(record) or _counted_rates(group),
        gate_pass_rate=gate_pass_rate(record, passed=totals.passed, runs=totals.runs),
        failure_risk=totals.failure_risk,
        sample=_sample_facts(group.runs[-1]),
        failure=None if totals.verdict == _PASS else _first_failure(group, totals.verdict),
    )


def authoritative_row(group: RunGroup, totals: ScenarioTotals) -> Mapping[str, Any]:
    """Return the ledger row whose numbers hold for `group`; empty where its runs speak for it.

    A row says what the scores were when the sweep ran, which is not what they are after a rescore.
    """
    return {} if group.row is None or totals.rescored else group.row.record


def _counted_rates(group: RunGroup) -> LayerRates:
    scores = (_score_of(run) for run in group.runs)
    return rates_of_runs(
        [
            [
                score is not None and getattr(score.score, layer).passed
                for layer in SCORE_LAYER_ORDER
            ]
            for score in scores
        ]
    )


def _sample_facts(run: SavedRun) -> LatestRun:
    score, trace = _score_of(run), None
    try:
        trace = load_saved_trace(run.path)
    except UnreadableRunError:
        trace = None
    layers = (
        {} if score is None else {name: getattr(score.score, name) for name in SCORE_LAYER_ORDER}
    )
    return LatestRun(
        details={name: layer.detail for name, layer in layers.items()},
        gates=GATE_LAYER_ORDER if score is None else gate_layers(score),
        has_perturbations=score is not None
        and within(score.scenario).get("has_perturbations") is True,
        cost=_failure_cost(run, score),
        tool_calls=0 if trace is None else trace.tool_calls,
        finished_at="" if trace is None else trace.finished_at,
        model="" if trace is None else trace.model,
        quant="" if trace is None else trace.quant,
    )


def _failure_cost(run: SavedRun, score: SidecarFacts | None) -> FailureCostFacts:
    cost = None if score is None else score.score.failure_cost
    return FailureCostFacts(
        severity="low" if cost is None else cost.severity,
        customer_visible=cost is not None and cost.customer_visible,
        reversible=cost is None or cost.reversible,
        side_effect_performed=cost is not None and cost.side_effect_performed,
        risk_weight=int(run.risk_weight),
    )


def _first_failure(group: RunGroup, verdict: str) -> FailedRun | None:
    """Return the first run with the verdict of the group, else the first that did not pass."""
    failed = [run for run in group.runs if run.verdict != _PASS]
    chosen = next((run for run in failed if run.verdict == verdict), next(iter(failed), None))
    if chosen is None:
        return None
    score = _score_of(chosen)
    if score is None:
        return FailedRun(chosen.run_id, (), "")
    deciding = ("integrity",) if chosen.verdict == "INVALID" else gate_layers(score)
    failing = tuple(name for name in deciding if not getattr(score.score, name).passed)
    said = "; ".join(f"{name}: {getattr(score.score, name).detail}" for name in failing)
    return FailedRun(chosen.run_id, failing, said)


def _score_of(run: SavedRun) -> SidecarFacts | None:
    try:
        return load_score(run.path)
    except UnreadableRunError:
        return None
