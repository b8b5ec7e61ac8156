"""The document of `wt report`, and the detail of each run on its page (docs/files.md, "Report").

A row is made, written and let go before the next one, so that a report of thousands of runs is never
held whole: `ReportHead` and `ScenarioRow` are made, `Report` is the sum of both.
"""

from __future__ import annotations

from typing import Any, TypedDict

from wt_git.records.documents.document import Document, Facts, IntervalTotals, PassHatK, Text
from wt_git.records.documents.ladder import TierTotals
from wt_git.records.documents.results import ResultRun, Selection

REPORT_VERSION = 1


class LayerTotals(Document):
    """A layer over the runs that count; `detail` is what it said of the latest of them."""

    passed: bool
    pass_rate: float
    detail: Text


class Robustness(Document):
    """Whether a scenario with adverse conditions held; `pass_rate` is null where none happened."""

    applicable: bool
    passed: bool
    pass_rate: float | None


class FailureCostFacts(Document):
    """What a failure of the scenario would cost, as its author declared it."""

    severity: Text
    customer_visible: bool
    reversible: bool
    side_effect_performed: bool
    risk_weight: int


class SampleTrace(Document):
    """The latest run that counts, and its whole conversation."""

    run_id: Text
    started_at: Text
    finished_at: Text
    model: Text
    quant: Text
    turns: list[Facts]


class ReportRun(ResultRun):
    """One run that was counted; its detail on the page stands under the key `data`."""

    data: str


class Cell(Document):
    """A scenario under a label. `verdict` is as in results; `aggregate` is the ledger row, if any.

    `tier`, `pack` and `sweep_id` are the row's. `runs`, `passed` and `invalid` are counted from the
    runs that are there. `interval` and `pass_hat_k` are about the valid ones among them.
    """

    verdict: Text
    gate_layers: list[str]
    gate_pass_rate: float
    tool_call_count: int
    layers: dict[str, LayerTotals]
    robustness: Robustness
    failure_cost: FailureCostFacts
    failure_risk: float
    trace: SampleTrace
    aggregate: Facts | None
    selection: Selection
    runs: int
    passed: int
    invalid: int
    interval: IntervalTotals | None
    pass_hat_k: PassHatK | None
    tier: Text | None
    pack: Text | None
    sweep_id: Text | None
    rescored: bool
    diagnostic_failures: list[Text]
    run_list: list[ReportRun]


class ScenarioRow(Document):
    """A scenario under every label that has it.

    `name` is unique in a report: the scenario's, after its pack's where two packs own one.
    """

    scenario_id: Text
    name: Text
    pack: Text | None
    cells: dict[Text, Cell]


class ReportSummary(Document):
    """Means over all cells; robustness over those where adverse conditions happened."""

    outcome_pass_rate: float
    trajectory_pass_rate: float
    constraint_pass_rate: float
    integrity_pass_rate: float
    robustness_pass_rate: float | None
    total_failure_risk: float


class Failure(Document):
    """A cell whose verdict is not `PASS`, and what the first of its failed runs failed by.

    `run_id` is null, and `decided_by` empty, where no such run is there any more.
    """

    scenario_id: Text
    name: Text
    label: Text
    verdict: Text
    failure_risk: float
    severity: Text
    runs: int
    passed: int
    interval: IntervalTotals | None
    run_id: Text | None
    decided_by: list[str]
    detail: Text


class Flaky(Document):
    """A scenario of whose valid runs under a label some passed and some did not."""

    scenario_id: Text
    name: Text
    label: Text
    runs: int
    passed: int
    pass_rate: float
    interval: IntervalTotals | None


class SweepCost(Document):
    """What a finished sweep cost and found; null where it is not known."""

    sweep_id: Text
    ended_at: Text | None
    tier: Text
    label: Text | None
    wall_s: float | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    outcome: Text | None
    prediction_held: bool | None


class ReportHead(Document):
    """A report without its rows. `remarks` are sentences about what was left out."""

    windtunnel_report: int = REPORT_VERSION
    runs_dir: Text
    generated_at: str
    latest_run_ts: Text
    scenario_count: int
    variants: list[Text]
    summary: ReportSummary
    verdict_totals: dict[Text, int]
    failures: list[Failure]
    flaky: list[Flaky]
    predictions: dict[Text, TierTotals] | None
    cost_history: list[SweepCost]
    remarks: list[Text]


class Report(ReportHead):
    """The whole document; `variants` stand in the order in which the rows first name them."""

    scenarios: list[ScenarioRow]


class DetailLayer(TypedDict):
    """A layer of one run; `gate`: it decides. `evidence` is what its answer rests on, if known."""

    passed: bool
    detail: str
    gate: bool
    evidence: str | None


class RunDetail(TypedDict):
    """One run with its conversation, and where in it the run failed.

    `failed_turn` is an index into `turns`, null where no turn can be named. `evidence` says whose
    record of the tool calls counts. The first `frozen_turns` turns were replayed, not played. A dict
    and no model, since a report has thousands of them. Each value can be written as JSON and UTF-8.
    """

    data: str
    run_id: str
    path: str
    scenario_id: str
    label: str
    started_at: str
    finished_at: str
    model: str
    quant: str
    verdict: str
    layers: dict[str, DetailLayer]
    metrics: dict[str, Any]
    warnings: list[str]
    turns: list[dict[str, Any]]
    mcp_calls: list[dict[str, Any]]
    failed_turn: int | None
    failed_because: str | None
    evidence: str
    frozen_turns: int
