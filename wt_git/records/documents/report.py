"""The document of `wt report`, and the detail of each run on its page (docs/files.md, "Report").

A row is made, written and let go before the next one, so that a report of thousands of runs is never
held whole: `ReportHead` and `ScenarioRow` are made, `Report` is the sum of both.
"""

from __future__ import annotations

from typing import Any, TypedDict

from wt_git.records.documents.document import Document, IntervalTotals, PassHatK
from wt_git.records.documents.results import DataTotals, ResultRun, Selection, TierTotals

REPORT_VERSION = 1


class LayerTotals(Document, frozen=True, kw_only=True):
    """A layer over the runs that count; `detail` is from the latest of them."""

    passed: bool
    pass_rate: float
    detail: str


class Robustness(Document, frozen=True, kw_only=True):
    """Whether a scenario with adverse conditions held; `pass_rate` is null where none happened."""

    applicable: bool
    passed: bool
    pass_rate: float | None


class FailureCostFacts(Document, frozen=True, kw_only=True):
    """The cost of a failure of the scenario, as its author declared it."""

    severity: str
    customer_visible: bool
    reversible: bool
    side_effect_performed: bool
    risk_weight: int


class SampleTrace(Document, frozen=True, kw_only=True):
    """The latest run that counts, and its whole conversation."""

    run_id: str
    started_at: str
    finished_at: str
    model: str
    quant: str
    turns: list[dict[str, Any]]


class ReportRun(ResultRun, frozen=True, kw_only=True):
    """One run that was counted; its detail on the page has the key `data`."""

    data: str


class Cell(Document, frozen=True, kw_only=True):
    """A scenario under a label. `verdict` is as in results; `aggregate` is the ledger row, if any.

    `tier`, `pack` and `sweep_id` are the row's. `runs`, `passed` and `invalid` are counted from the
    runs that are there. `interval` and `pass_hat_k` are about the valid ones among them.
    """

    verdict: str
    gate_layers: list[str]
    gate_pass_rate: float
    tool_call_count: int
    layers: dict[str, LayerTotals]
    robustness: Robustness
    failure_cost: FailureCostFacts
    failure_risk: float
    trace: SampleTrace
    aggregate: dict[str, Any] | None
    selection: Selection
    runs: int
    passed: int
    invalid: int
    data: DataTotals
    interval: IntervalTotals | None
    pass_hat_k: PassHatK | None
    tier: str | None
    pack: str | None
    sweep_id: str | None
    rescored: bool
    diagnostic_failures: list[str]
    run_list: list[ReportRun]


class ScenarioRow(Document, frozen=True, kw_only=True):
    """A scenario under every label that has it.

    `name` is unique in a report: the scenario's, after its pack's where two packs own one.
    """

    scenario_id: str
    name: str
    pack: str | None
    cells: dict[str, Cell]


class ReportSummary(Document, frozen=True, kw_only=True):
    """Means over all cells; robustness over those where adverse conditions happened."""

    outcome_pass_rate: float
    trajectory_pass_rate: float
    constraint_pass_rate: float
    integrity_pass_rate: float
    robustness_pass_rate: float | None
    total_failure_risk: float


class Failure(Document, frozen=True, kw_only=True):
    """A cell with another verdict than `PASS`, and the reason of its first failed run.

    `run_id` is null, and `decided_by` empty, where no such run is there any more.
    """

    scenario_id: str
    name: str
    label: str
    verdict: str
    failure_risk: float
    severity: str
    runs: int
    passed: int
    interval: IntervalTotals | None
    run_id: str | None
    decided_by: list[str]
    detail: str


class Flaky(Document, frozen=True, kw_only=True):
    """A scenario with valid runs under a label of which some passed and some did not."""

    scenario_id: str
    name: str
    label: str
    runs: int
    passed: int
    pass_rate: float
    interval: IntervalTotals | None


class SweepCost(Document, frozen=True, kw_only=True):
    """The cost and the outcome of a finished sweep; null where unknown."""

    sweep_id: str
    ended_at: str | None
    tier: str
    label: str | None
    wall_s: float | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    outcome: str | None
    prediction_held: bool | None


class ReportHead(Document, frozen=True, kw_only=True):
    """A report without its rows. `remarks` are sentences about things left out."""

    windtunnel_report: int = REPORT_VERSION
    runs_dir: str
    generated_at: str
    latest_run_ts: str
    scenario_count: int
    variants: list[str]
    summary: ReportSummary
    verdict_totals: dict[str, int]
    failures: list[Failure]
    flaky: list[Flaky]
    predictions: dict[str, TierTotals] | None
    cost_history: list[SweepCost]
    remarks: list[str]


class Report(ReportHead, frozen=True, kw_only=True):
    """The whole document; `variants` are in the order in which the rows first name them."""

    scenarios: list[ScenarioRow]


class DetailLayer(TypedDict):
    """A layer of one run; `gate`: it decides. `evidence` is the source of its answer, if known."""

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
