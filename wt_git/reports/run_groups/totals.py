"""The totals of a scenario under a label, computed from the runs that count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.aggregate import aggregate_metrics, data_count
from wt_git.api.score import GATE_LAYER_ORDER
from wt_git.records.documents.document import IntervalTotals, PassHatK
from wt_git.records.documents.results import DataTotals, MetricTotals, ResultRun, ScenarioTotals
from wt_git.records.record import as_recorded
from wt_git.records.runs.sidecars import RESCORED
from wt_git.run_errors import NO_DATA
from wt_git.stats.intervals import CONFIDENCE, Sample, pass_hat_k, shown_k, wilson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.records.documents.document import Method
    from wt_git.records.runs.saved_runs import SavedRun
    from wt_git.reports.run_groups.groups import RunGroup
    from wt_git.stats.intervals import Interval

_VARIANCE = "PASS_WITH_VARIANCE"


def scenario_totals(group: RunGroup) -> ScenarioTotals:
    """Return the totals of `group`, which has at least one run, over the runs that are data."""
    row, data = group.row, data_count([run.failure_class for run in group.runs])
    runs = [run for run in group.runs if run.failure_class not in NO_DATA]
    passed = _verdict_count(runs, "PASS")
    invalid = _verdict_count(runs, "INVALID")
    pass_rate = passed / len(runs) if runs else 0.0
    rescored = any(run.origin == RESCORED for run in runs)
    verdict = _verdict(group, rescored=rescored)
    only_probes = all(run.is_probe for run in group.runs)
    valid = valid_runs(passed=passed, runs=len(runs), invalid=invalid)
    return ScenarioTotals(
        scenario_id=as_recorded(group.runs[0].scenario),
        label=as_recorded(group.runs[0].label),
        verdict=verdict,
        runs=len(runs),
        passed=passed,
        failed=len(runs) - passed - invalid,
        invalid=invalid,
        data=DataTotals(runs=data.runs, of=data.of, by_class=data.by_class),
        pass_rate=pass_rate,
        selection="all_traces" if row is None else "latest_aggregate",
        metrics={
            name: MetricTotals(**summary.to_dict())
            for name, summary in aggregate_metrics(run.metrics for run in runs).items()
        },
        traces=[_result_run(run) for run in group.runs],
        tier=row.tier if row is not None else "probe" if only_probes else None,
        pack=None if row is None else row.pack,
        sweep_id=None if row is None else row.sweep_id,
        budget_exhausted=None if row is None else row.experiment.budget_exhausted,
        interrupted=None if row is None else row.experiment.interrupted,
        # A row says this of its own verdict, which a rescore may have replaced.
        counts_as_failure=row.experiment.counts_as_failure
        if row and row.verdict == verdict
        else None,
        rescored=rescored,
        # A run that broke fails every layer, so its layers say nothing about the agent.
        diagnostic_failures=[
            layer
            for layer in GATE_LAYER_ORDER
            if any(layer in run.diagnostic_failures for run in runs if run.verdict != "INVALID")
        ],
        failure_risk=_failure_risk(group, verdict, pass_rate, rescored=rescored),
        interval=None if valid is None else interval_totals(wilson(valid), "wilson"),
        pass_hat_k=None if valid is None else _pass_hat_k(valid),
    )


def valid_runs(*, passed: int, runs: int, invalid: int) -> Sample | None:
    """Return the runs that are not invalid, with the passes among them; None when there are none."""
    return Sample(passed, runs - invalid) if runs > invalid else None


def interval_totals(of: Interval, method: Method) -> IntervalTotals:
    """Return an interval in the form of the documents."""
    return IntervalTotals(low=of.low, high=of.high, confidence=CONFIDENCE, method=method)


def _pass_hat_k(valid: Sample) -> PassHatK:
    k = shown_k(valid.runs)
    return PassHatK(k=k, value=pass_hat_k(valid, k))


def _failure_risk(group: RunGroup, verdict: str, pass_rate: float, *, rescored: bool) -> float:
    """Return the risk in the row, where it still holds, else the risk of the failed runs.

    An invalid scenario says nothing about the agent and has no risk.
    """
    recorded = None if group.row is None or rescored else group.row.failure_risk
    if recorded is not None:
        return float(recorded)
    if verdict == "INVALID":
        return 0.0
    return max(run.risk_weight for run in group.runs) * (1 - pass_rate)


def _verdict(group: RunGroup, *, rescored: bool) -> str:
    """Return the verdict in the row, or that of the runs where there is none or they were rescored.

    Whether a scenario may vary is not recorded in its runs, only in its row.
    """
    recorded = None if group.row is None else group.row.verdict
    if recorded is not None and not rescored:
        return recorded
    verdicts = {run.verdict for run in group.runs if run.failure_class not in NO_DATA}
    if not verdicts or "INVALID" in verdicts:
        return "INVALID"
    if verdicts == {"PASS"}:
        return "PASS"
    return _VARIANCE if recorded == _VARIANCE else "FAIL"


def _verdict_count(runs: Sequence[SavedRun], verdict: str) -> int:
    return sum(run.verdict == verdict for run in runs)


def _result_run(run: SavedRun) -> ResultRun:
    return ResultRun(
        path=as_recorded(run.path),
        run_id=as_recorded(run.run_id),
        started_at=as_recorded(run.started_at),
        verdict=run.verdict,
        metrics=dict(run.metrics),
    )
