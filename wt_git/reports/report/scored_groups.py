"""What a report says of a group beyond its totals: read from the scores that it needs, one at a time.

That is the score of the latest run and of the first that failed, and of all runs only where no row
of the ledger has their rates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.api.score import GATE_LAYER_ORDER, SCORE_LAYER_ORDER
from wt_git.records.lenient import within
from wt_git.records.report import FailureCostFacts
from wt_git.records.saved_runs import UnreadableRunError, gate_layers, load_score
from wt_git.records.saved_traces import load_saved_trace
from wt_git.reports.counted.totals import scenario_totals
from wt_git.reports.report.cell_rates import (
    LayerRates,
    gate_pass_rate,
    rates_of_row,
    rates_of_runs,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.records.quick_runs import SidecarFacts
    from wt_git.records.results import ScenarioTotals
    from wt_git.records.saved_runs import SavedRun
    from wt_git.reports.counted.groups import Group

_PASS = "PASS"  # noqa: S105 - a verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleFacts:
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

    group: Group
    verdict: str
    rates: LayerRates
    gate_pass_rate: float
    failure_risk: float
    sample: SampleFacts
    failure: FailedRun | None


def scored_group(group: Group) -> ScoredGroup:
    """Return what the scores of `group` say, of which there is at least one.

    What vanished since the group was read is shown as having said nothing.
    """
    totals = scenario_totals(group)
    record = row_record(group, totals)
    return ScoredGroup(
        group=group,
        verdict=totals.verdict,
        rates=rates_of_row(record) or _counted_rates(group),
        gate_pass_rate=gate_pass_rate(record, passed=totals.passed, runs=totals.runs),
        failure_risk=totals.failure_risk,
        sample=_sample(group.runs[-1]),
        failure=None if totals.verdict == _PASS else _first_failure(group, totals.verdict),
    )


def row_record(group: Group, totals: ScenarioTotals) -> Mapping[str, Any]:
    """Return the ledger row whose numbers hold for `group`; empty where its runs speak for it.

    A row says what the scores were when the sweep ran, which is not what they are after a rescore.
    """
    return {} if group.row is None or totals.rescored else group.row.record


def _counted_rates(group: Group) -> LayerRates:
    scores = (_score(run) for run in group.runs)
    return rates_of_runs(
        [
            [
                score is not None and getattr(score.score, layer).passed
                for layer in SCORE_LAYER_ORDER
            ]
            for score in scores
        ]
    )


def _sample(run: SavedRun) -> SampleFacts:
    score, trace = _score(run), None
    try:
        trace = load_saved_trace(run.path)
    except UnreadableRunError:
        trace = None
    layers = (
        {} if score is None else {name: getattr(score.score, name) for name in SCORE_LAYER_ORDER}
    )
    return SampleFacts(
        details={name: layer.detail for name, layer in layers.items()},
        gates=GATE_LAYER_ORDER if score is None else gate_layers(score),
        has_perturbations=score is not None
        and within(score.scenario).get("has_perturbations") is True,
        cost=_cost(run, score),
        tool_calls=0 if trace is None else trace.tool_calls,
        finished_at="" if trace is None else trace.finished_at,
        model="" if trace is None else trace.model,
        quant="" if trace is None else trace.quant,
    )


def _cost(run: SavedRun, score: SidecarFacts | None) -> FailureCostFacts:
    cost = None if score is None else score.score.failure_cost
    return FailureCostFacts(
        severity="low" if cost is None else cost.severity,
        customer_visible=cost is not None and cost.customer_visible,
        reversible=cost is None or cost.reversible,
        side_effect_performed=cost is not None and cost.side_effect_performed,
        risk_weight=int(run.risk_weight),
    )


def _first_failure(group: Group, verdict: str) -> FailedRun | None:
    """Return the first run with the verdict of the group, else the first that did not pass."""
    failed = [run for run in group.runs if run.verdict != _PASS]
    chosen = next((run for run in failed if run.verdict == verdict), next(iter(failed), None))
    if chosen is None:
        return None
    score = _score(chosen)
    if score is None:
        return FailedRun(chosen.run_id, (), "")
    deciding = ("integrity",) if chosen.verdict == "INVALID" else gate_layers(score)
    failing = tuple(name for name in deciding if not getattr(score.score, name).passed)
    said = "; ".join(f"{name}: {getattr(score.score, name).detail}" for name in failing)
    return FailedRun(chosen.run_id, failing, said)


def _score(run: SavedRun) -> SidecarFacts | None:
    try:
        return load_score(run.path)
    except UnreadableRunError:
        return None
