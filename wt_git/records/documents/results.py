"""The document of `wt results --json` (docs/files.md, "Results")."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import model_serializer

from wt_git.records.documents.document import Document, IntervalTotals, PassHatK, Text

RESULTS_VERSION = 1

Selection = Literal["latest_aggregate", "all_traces"]
Metric = bool | int | float | Text


class MetricTotals(Document):
    """One metric over the runs that reported it; which keys there are follows from `kind`."""

    kind: Literal["bool", "number", "string", "mixed"]
    count: int
    true_count: int | None = None
    rate: float | None = None
    mean: int | float | None = None
    min: int | float | None = None
    max: int | float | None = None
    counts: dict[Text, int] | None = None

    @model_serializer(mode="wrap")
    def _of_its_kind(self, handler: Any) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if value is not None}


class ResultRun(Document):
    """One run that was counted."""

    path: Text
    run_id: Text
    started_at: Text
    verdict: Text
    metrics: dict[Text, Metric]


class ScenarioTotals(Document):
    """A scenario under a label. `verdict` is that of the latest row, else derived from the runs.

    `pack`, `tier`, `sweep_id`, `budget_exhausted`, `interrupted` and `counts_as_failure` are the
    row's, null without one. `rescored`: a score was made again later, so the verdict is derived from the scores.
    `diagnostic_failures` are layers that failed in some valid run and do not gate. `interval` and
    `pass_hat_k` are of the valid runs, null where there are none.
    """

    scenario_id: Text
    label: Text
    verdict: Text
    runs: int
    passed: int
    failed: int
    invalid: int
    pass_rate: float
    selection: Selection
    metrics: dict[Text, MetricTotals]
    traces: list[ResultRun]
    tier: Text | None
    pack: Text | None
    sweep_id: Text | None
    budget_exhausted: bool | None
    interrupted: bool | None
    counts_as_failure: bool | None
    rescored: bool
    diagnostic_failures: list[Text]
    failure_risk: float
    interval: IntervalTotals | None
    pass_hat_k: PassHatK | None


class Results(Document):
    """The labels that are shown, and under each the scenarios that were asked for, by name."""

    windtunnel_results: int = RESULTS_VERSION
    runs_dir: Text
    labels: list[Text]
    results: list[ScenarioTotals]
