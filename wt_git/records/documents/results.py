"""The document of `wt results --json` (docs/files.md, "Results")."""

from __future__ import annotations

from typing import Literal

from wt_git.records.documents.document import Document, IntervalTotals, PassHatK

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


class Results(Document, frozen=True, kw_only=True):
    """The labels that are shown, and under each the scenarios that were asked for, by name."""

    windtunnel_results: int = RESULTS_VERSION
    runs_dir: str
    labels: list[str]
    results: list[ScenarioTotals]
