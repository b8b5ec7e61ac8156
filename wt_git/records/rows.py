"""The ledger row: what one scenario of one sweep came to (docs/files.md, "Ledger")."""

from __future__ import annotations

from typing import Literal

from wt_git.records.fields import Record, Text

LEDGER_VERSION = 1

Tier = Literal["probe", "focused", "regression"]
Expectation = Literal["pass", "fail"]
RowVerdict = Literal["PASS", "PASS_WITH_VARIANCE", "FAIL", "INVALID"]


class Cost(Record):
    """What a job or sweep used: seconds of wall clock, and tokens, null where anything is unknown.

    `input_tokens` is the whole prompt, cache hits included.
    """

    wall_s: float
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None


class Experiment(Record):
    """The part of a row that says what the sweep was for and what it was about."""

    tier: Tier
    counts_as_failure: bool
    interrupted: bool
    question: Text | None = None
    expect: Expectation | None = None
    if_pass: Text | None = None
    if_fail: Text | None = None
    cost: Cost


class LayerPassRates(Record):
    """The share of runs that passed each layer, gated or not."""

    outcome: float
    trajectory: float
    constraint: float
    integrity: float


class FailureCostRecord(Record):
    """What a failure of the scenario would cost in production, as its author declared it."""

    severity: Text
    customer_visible: bool
    reversible: bool
    side_effect_performed: bool
    risk_weight: int


class LedgerRow(Record):
    """One finished scenario of one sweep."""

    windtunnel_ledger: int = LEDGER_VERSION
    ts: str
    scenario_id: Text
    pack: Text | None
    owner: Text | None
    label: Text
    model: Text | None
    quant: Text | None
    verdict: RowVerdict
    gate_layers: list[str]
    runs: int
    passed: int
    pass_rate: float
    stddev: float
    layer_pass_rates: LayerPassRates
    robustness_pass_rate: float | None
    failure_cost: FailureCostRecord
    failure_risk: float
    run_ids: list[str]
    origin: Text | None
    git_sha: str | None
    wt_version: str
    sweep_id: str
    experiment: Experiment
