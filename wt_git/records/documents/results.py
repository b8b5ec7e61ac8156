"""The documents of `wt results`, `wt results --ladder` and `wt compare` (docs/files.md)."""

from __future__ import annotations

from typing import Literal

from wt_git.records.documents.document import Document, IntervalTotals, PassHatK
from wt_git.run_errors import data_text

RESULTS_VERSION = 1

Selection = Literal["latest_aggregate", "all_traces"]
Metric = bool | int | float | str


class MetricTotals(Document, frozen=True, kw_only=True, omit_defaults=True):
    """One metric over the runs that reported it; which keys there are follows from `kind`."""

    kind: Literal["bool", "number", "string", "mixed"]
    count: int
    true_count: int | None = None
    rate: float | None = None
    mean: int | float | None = None
    min: int | float | None = None
    max: int | float | None = None
    counts: dict[str, int] | None = None


class ResultRun(Document, frozen=True, kw_only=True):
    """One run that was counted."""

    path: str
    run_id: str
    started_at: str
    verdict: str
    metrics: dict[str, Metric]


class DataTotals(Document, frozen=True, kw_only=True):
    """How many runs are data, of how many; `by_class` counts runs with an error by its class.

    Rates are over the runs that are data (docs/failure-classes.md).
    """

    runs: int
    of: int
    by_class: dict[str, int]

    @property
    def text(self) -> str:
        """A clause for people; empty where every run is data."""
        return data_text(self.runs, self.of, self.by_class)


class ScenarioTotals(Document, frozen=True, kw_only=True):
    """A scenario under a label. `verdict` is that of the latest row, else derived from the runs.

    `pack`, `tier`, `sweep_id`, `budget_exhausted`, `interrupted` and `counts_as_failure` are the
    row's, null without one. `rescored`: a score was made again later, so the verdict is derived from the scores.
    `diagnostic_failures` are layers that failed in some valid run and do not gate. `interval` and
    `pass_hat_k` are of the valid runs, null where there are none.
    """

    scenario_id: str
    label: str
    verdict: str
    runs: int
    passed: int
    failed: int
    invalid: int
    pass_rate: float
    selection: Selection
    metrics: dict[str, MetricTotals]
    traces: list[ResultRun]
    tier: str | None
    pack: str | None
    sweep_id: str | None
    budget_exhausted: bool | None
    interrupted: bool | None
    counts_as_failure: bool | None
    rescored: bool
    diagnostic_failures: list[str]
    failure_risk: float
    interval: IntervalTotals | None
    pass_hat_k: PassHatK | None
    data: DataTotals


class Results(Document, frozen=True, kw_only=True):
    """The labels that are shown, and under each the scenarios that were asked for, by name."""

    windtunnel_results: int = RESULTS_VERSION
    runs_dir: str
    labels: list[str]
    results: list[ScenarioTotals]


LADDER_RESULTS_VERSION = 1


class TierTotals(Document, frozen=True, kw_only=True):
    """The cost and the worth of the finished sweeps of a tier.

    A sum is null where no sweep reported a value; the count beside it says how many did.
    """

    sweeps: int
    wall_s: float
    input_tokens: int | None
    output_tokens: int | None
    tokens_reported: int
    cached_tokens: int | None
    cached_reported: int
    predictions: int
    predictions_held: int
    reviewed: int
    changed_decision: int
    cost_usd: float | None
    priced_sweeps: int
    tokens_unknown_sweeps: int
    uncached_input_usd: float | None
    cache_read_usd: float | None
    output_usd: float | None
    time_usd: float | None
    cache_fail_sweeps: int
    cache_unknown_sweeps: int


class LadderResults(Document, frozen=True, kw_only=True):
    """The tiers that have sweeps, the smallest first. `cumulative_cost_usd`: null without prices."""

    windtunnel_ladder_results: int = LADDER_RESULTS_VERSION
    runs_dir: str
    tiers: dict[str, TierTotals]
    cumulative_cost_usd: float | None


COMPARE_VERSION = 1

Direction = Literal["regression", "improvement"]
MetricKind = Literal["bool", "number", "string", "mixed"]
Found = Literal["better", "worse", "alike", "cannot_tell", "no_valid_runs"]


class ComparedScenario(Document, frozen=True, kw_only=True):
    """A scenario that has runs under some of the labels; null where it has none.

    `tiers` are those of the sweeps that the verdicts rest on, null where no row says so. `rescored`
    are the labels under which a score was made again since the sweep.
    """

    scenario_id: str
    verdicts: dict[str, str | None]
    pack: str | None
    tiers: dict[str, str | None]
    rescored: list[str]


class VerdictChange(Document, frozen=True, kw_only=True):
    """A scenario with another verdict under `label` than under the baseline."""

    label: str
    scenario_id: str
    direction: Direction
    verdict_a: str
    verdict_b: str
    risk_a: float
    risk_b: float
    risk_delta: float
    pack: str | None


class MetricDelta(Document, frozen=True, kw_only=True):
    """A metric of a scenario with runs under both labels, the candidate's less the baseline's.

    `delta` is a difference of means, of rates, or of how often each value came.
    """

    scenario_id: str
    baseline_label: str
    label: str
    metric: str
    kind: MetricKind
    baseline: MetricTotals | None
    candidate: MetricTotals | None
    delta: int | float | dict[str, int] | None
    pack: str | None


class RateTotals(Document, frozen=True, kw_only=True):
    """The valid runs of a scenario under a label; `interval` is for their pass rate."""

    passed: int
    runs: int
    invalid: int
    data: DataTotals
    pass_rate: float | None
    interval: IntervalTotals | None


class RateDelta(Document, frozen=True, kw_only=True):
    """The pass rates of a scenario with runs under both labels, and whether they differ.

    Statistics are null where a label has no valid runs. `runs_needed` of each label
    would probably show a difference of `planned_difference`; null where nothing is missing.
    """

    scenario_id: str
    baseline_label: str
    label: str
    baseline: RateTotals
    candidate: RateTotals
    difference: float | None
    interval: IntervalTotals | None
    p_value: float | None
    p_adjusted: float | None
    finding: Found
    runs_needed: int | None
    planned_difference: float | None
    pack: str | None


class OverallDelta(Document, frozen=True, kw_only=True):
    """All scenarios that have valid runs under both labels, each of them counted once."""

    scenarios: int
    difference: float
    interval: IntervalTotals
    p_value: float
    finding: Found
    scenarios_needed: int | None
    planned_difference: float | None


class Comparison(Document, frozen=True, kw_only=True):
    """The changes from the first of `labels` to each of the others."""

    windtunnel_compare: int = COMPARE_VERSION
    baseline: str
    labels: list[str]
    scenarios: list[ComparedScenario]
    changes: list[VerdictChange]
    metric_deltas: list[MetricDelta]
    regression: bool
    pass_rates: list[RateDelta]
    overall: dict[str, OverallDelta | None]
