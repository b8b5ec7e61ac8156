"""The ledger row of a scenario, made from its runs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wt_git import __version__
from wt_git.api.aggregate import data_count
from wt_git.ladder.cache_check import check_cache
from wt_git.ladder.pricing import Tokens, price, run_tokens, total_tokens
from wt_git.records.sweep_records import (
    CacheCheckRecord,
    Cost,
    CostUsd,
    DataRecord,
    Experiment,
    FailureCostRecord,
    LayerPassRates,
    LedgerRow,
    RowVerdict,
    ScenarioKey,
    SnapshotRecord,
    Tier,
)
from wt_git.run_errors import RUNNER_ERROR, is_data

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.api.aggregate import AggregateResult, DataCount, ScenarioRunResult
    from wt_git.api.score import FailureCost
    from wt_git.api.trace import Trace
    from wt_git.config import CacheCheck, Pricing
    from wt_git.evidence.fingerprint import Fingerprint
    from wt_git.ladder.declaration import Declaration
    from wt_git.ladder.gate import Earned
    from wt_git.sweep.selection import Selected

_FAILURE_VERDICTS = {"FAIL"}


def execution_error(trace: Trace) -> str | None:
    """Return the first execution error that `trace` records, or None."""
    marker = RUNNER_ERROR.rstrip()
    for warning in trace.worker_warnings:
        if warning.startswith(marker):
            return warning.removeprefix(marker).strip()
    return None


class SweepFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The fields that all rows of one sweep share.

    `taken` is the fingerprint from before the sweep. `earned` is the answer of the gate; None for
    sweeps that need not be earned. `pricing` and `cache` are None where nothing configures them.
    """

    sweep_id: str
    label: str
    tier: Tier
    declaration: Declaration
    budget_s: float | None
    baseline: bool
    git_sha: str | None
    taken: Fingerprint
    earned: Earned | None = None
    source_trace: str | None = None
    from_turn: int | None = None
    pricing: Pricing | None = None
    cache: CacheCheck | None = None


class RowState(msgspec.Struct, frozen=True, kw_only=True):
    """How the sweep stood when a scenario's last run was in.

    `fingerprint` is its value, or a word in its place where it changed during the sweep.
    """

    ts: str
    wall_s: float
    fingerprint: str
    interrupted: bool
    budget_exhausted: bool


def counts_as_failure(
    verdict: str,
    *,
    errored: bool,
    transport_only: bool,
    cache_blocks: bool = False,
    has_data: bool = True,
) -> bool:
    """Return whether a row is a failure (docs/files.md, "Counts as a failure").

    A run that could not be executed, an invalid experiment and a missed prompt cache that must hit
    always are. A FAIL is, except in a transport-only pack. A row without data never is.
    """
    if not has_data:
        return False
    if errored or verdict == "INVALID" or cache_blocks:
        return True
    return not transport_only and verdict in _FAILURE_VERDICTS


def cost_of(wall_s: float, parts: Sequence[Tokens]) -> Cost:
    """Return the cost record of `parts` that together took `wall_s` seconds."""
    tokens = total_tokens(parts)
    return Cost(
        wall_s=round(wall_s, 3),
        input_tokens=tokens.input,
        cached_tokens=tokens.cached,
        output_tokens=tokens.output,
        cache_write_tokens=tokens.written or msgspec.UNSET,
    )


def tokens_of(cost: Cost) -> Tokens:
    """Return the token counts of a cost record."""
    written = 0 if cost.cache_write_tokens is msgspec.UNSET else cost.cache_write_tokens
    return Tokens(cost.input_tokens, cost.cached_tokens, cost.output_tokens, written)


def priced(cost: Cost, model: str | None, pricing: Pricing | None) -> CostUsd | None:
    """Return the price of `cost` on the model of that label; None without a pricing table."""
    return None if pricing is None else price(tokens_of(cost), cost.wall_s, model, pricing)


def ledger_row(
    selected: Selected,
    runs: Sequence[ScenarioRunResult],
    aggregate: AggregateResult,
    *,
    facts: SweepFacts,
    state: RowState,
) -> LedgerRow:
    """Return the row of a scenario whose last run is in."""
    pack, scenario = selected
    first = runs[0].trace if runs else None
    verdict: RowVerdict = aggregate.verdict  # type: ignore[assignment]
    return LedgerRow(
        ts=state.ts,
        scenario_id=scenario.name,
        pack=pack.name,
        owner=pack.owner,
        label=facts.label,
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
        data=_data(aggregate.data or data_count([])),
        origin=_origin(scenario.tags),
        git_sha=facts.git_sha,
        wt_version=__version__,
        sweep_id=facts.sweep_id,
        experiment=_experiment(selected, runs, verdict, facts=facts, state=state),
    )


def _experiment(
    selected: Selected,
    runs: Sequence[ScenarioRunResult],
    verdict: RowVerdict,
    *,
    facts: SweepFacts,
    state: RowState,
) -> Experiment:
    traces = [run.trace for run in runs]
    cost = cost_of(state.wall_s, [run_tokens(one.usage, one.model_calls) for one in traces])
    cache = check_cache([one.model_calls for one in traces], facts.cache) if facts.cache else None
    earned = facts.earned
    excluded = earned.excluded if earned else ()
    return Experiment(
        tier=facts.tier,
        counts_as_failure=counts_as_failure(
            verdict,
            errored=any(
                execution_error(one) is not None for one in traces if is_data(one.worker_warnings)
            ),
            has_data=not traces or any(is_data(one.worker_warnings) for one in traces),
            transport_only=selected.pack.transport_only,
            cache_blocks=_blocks(cache, facts.cache),
        ),
        interrupted=state.interrupted,
        question=facts.declaration.question,
        expect=facts.declaration.expect,
        if_pass=facts.declaration.if_pass,
        if_fail=facts.declaration.if_fail,
        cost=cost,
        cost_usd=priced(cost, facts.taken.parts.model, facts.pricing),
        cache_check=cache,
        budget_s=facts.budget_s,
        budget_exhausted=state.budget_exhausted,
        fingerprint=state.fingerprint,
        fingerprint_parts=facts.taken.parts.as_record(),
        baseline=facts.baseline,
        tree_under_test=facts.taken.tree_under_test,
        snapshot=_snapshot_record(facts.taken),
        sources=dict(facts.taken.sources),
        source_trace=facts.source_trace,
        from_turn=facts.from_turn,
        evidence_for=list(earned.evidence_for) if earned else [],
        earned_by=earned.earned_by if earned else None,
        excluded_failing=[one.name for one in excluded],
        excluded_failing_ids=[ScenarioKey(pack=one.pack, scenario=one.name) for one in excluded],
    )


def _blocks(found: CacheCheckRecord | None, config: CacheCheck | None) -> bool:
    """Whether the prompt cache makes the row a failure; an unknown result is no pass."""
    wanted = config is not None and config.fail_on_miss
    return wanted and found is not None and found.result != "pass"


def _data(count: DataCount) -> DataRecord:
    return DataRecord(runs=count.runs, of=count.of, by_class=dict(count.by_class))


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
