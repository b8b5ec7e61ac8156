"""From the runs of a scenario to its ledger row. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git import __version__
from wt_git.ladder.tokens import Tokens, run_tokens, total
from wt_git.records.rows import (
    Cost,
    Experiment,
    FailureCostRecord,
    LayerPassRates,
    LedgerRow,
    RowVerdict,
    SnapshotRecord,
    Tier,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.api.aggregate import AggregateResult, ScenarioRunResult
    from wt_git.api.score import FailureCost
    from wt_git.api.trace import Trace
    from wt_git.evidence.fingerprint import Fingerprint
    from wt_git.sweep.selection import Selected

ERROR_MARKER = "runner_error:"
_FAILURE_VERDICTS = {"FAIL"}


def execution_error(trace: Trace) -> str | None:
    """Return the first execution error that `trace` records, or None."""
    for warning in trace.worker_warnings:
        if warning.startswith(ERROR_MARKER):
            return warning.removeprefix(ERROR_MARKER).strip()
    return None


def counts_as_failure(verdict: str, *, errored: bool, transport_only: bool) -> bool:
    """Return whether a row makes its sweep exit 1 (docs/files.md, "Counts as a failure").

    A run that could not be executed and an invalid experiment always do; beyond that, what a
    transport-only pack says about the model does not.
    """
    if errored or verdict == "INVALID":
        return True
    return not transport_only and verdict in _FAILURE_VERDICTS


def cost_of(wall_s: float, parts: Sequence[Tokens]) -> Cost:
    """Return the cost record of `parts` that together took `wall_s` seconds."""
    tokens = total(parts)
    return Cost(
        wall_s=round(wall_s, 3),
        input_tokens=tokens.input,
        cached_tokens=tokens.cached,
        output_tokens=tokens.output,
    )


def ledger_row(
    selected: Selected,
    runs: Sequence[ScenarioRunResult],
    aggregate: AggregateResult,
    *,
    ts: str,
    sweep_id: str,
    label: str,
    tier: Tier,
    wall_s: float,
    interrupted: bool,
    baseline: bool,
    git_sha: str | None,
    taken: Fingerprint,
    fingerprint: str,
) -> LedgerRow:
    """Return the row of a scenario whose last run is in.

    `taken` is the fingerprint from before the sweep, `fingerprint` what stands for it in the row:
    its value, or a word where it changed meanwhile.
    """
    pack, scenario = selected
    first = runs[0].trace if runs else None
    verdict: RowVerdict = aggregate.verdict  # type: ignore[assignment]
    errored = any(execution_error(run.trace) is not None for run in runs)
    return LedgerRow(
        ts=ts,
        scenario_id=scenario.name,
        pack=pack.name,
        owner=pack.owner,
        label=label,
        model=first.model if first else None,
        quant=first.quant if first else None,
        verdict=verdict,
        gate_layers=list(aggregate.gate_layers),
        runs=aggregate.total,
        passed=aggregate.passed,
        pass_rate=aggregate.pass_rate,
        stddev=aggregate.stddev,
        layer_pass_rates=_layer_rates(aggregate),
        robustness_pass_rate=_robustness(selected, aggregate),
        failure_cost=_failure_cost(scenario.failure_cost),
        failure_risk=aggregate.failure_risk,
        run_ids=[run.trace.run_id for run in runs],
        origin=_origin(scenario.tags),
        git_sha=git_sha,
        wt_version=__version__,
        sweep_id=sweep_id,
        experiment=Experiment(
            tier=tier,
            counts_as_failure=counts_as_failure(
                verdict, errored=errored, transport_only=pack.transport_only
            ),
            interrupted=interrupted,
            cost=cost_of(
                wall_s, [run_tokens(run.trace.usage, run.trace.model_calls) for run in runs]
            ),
            fingerprint=fingerprint,
            fingerprint_parts=taken.parts.as_record(),
            baseline=baseline,
            tree_under_test=taken.tree_under_test,
            snapshot=_snapshot_record(taken),
            sources=dict(taken.sources),
        ),
    )


def _layer_rates(aggregate: AggregateResult) -> LayerPassRates:
    return LayerPassRates(
        outcome=aggregate.outcome_pass_rate,
        trajectory=aggregate.trajectory_pass_rate,
        constraint=aggregate.constraint_pass_rate,
        integrity=aggregate.integrity_pass_rate,
    )


def _failure_cost(cost: FailureCost) -> FailureCostRecord:
    return FailureCostRecord(
        severity=cost.severity,
        customer_visible=cost.customer_visible,
        reversible=cost.reversible,
        side_effect_performed=cost.side_effect_performed,
        risk_weight=cost.risk_weight,
    )


def _snapshot_record(taken: Fingerprint) -> SnapshotRecord | None:
    snapshot = taken.snapshot
    if snapshot is None:
        return None
    return SnapshotRecord(
        method=snapshot.method,
        absent=list(snapshot.absent),
        dirty_submodules=list(snapshot.dirty_submodules),
        hidden_edits=list(snapshot.hidden_edits),
        ignored=len(snapshot.ignored),
    )


def _robustness(selected: Selected, aggregate: AggregateResult) -> float | None:
    """How often the gate held under a disturbance that really happened; absent without one."""
    if not selected.scenario.perturbations or aggregate.integrity_pass_rate != 1.0:
        return None
    return aggregate.pass_rate


def _origin(tags: Sequence[str]) -> str | None:
    origins = (tag.removeprefix("origin:") for tag in tags if tag.startswith("origin:"))
    return next((origin for origin in origins if origin), None)
