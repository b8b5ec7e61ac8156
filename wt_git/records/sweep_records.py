"""The records that a sweep writes: a ledger row for each scenario, and the sweep record.

See docs/files.md, "Ledger" and "Experiments".
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from wt_git.records.layout import EXPERIMENT_VERSION, LEDGER_VERSION
from wt_git.records.record import Record, Text
from wt_git.run_errors import data_text

Tier = Literal["probe", "focused", "regression"]
Expectation = Literal["pass", "fail"]
RowVerdict = Literal["PASS", "PASS_WITH_VARIANCE", "FAIL", "INVALID"]


class Cost(Record, frozen=True, kw_only=True):
    """The use of a job or sweep: seconds of wall clock, and tokens, null where any are unknown.

    `input_tokens` is the whole prompt, cache hits included. `cache_write_tokens` is absent where
    nothing was written to the cache.
    """

    wall_s: float
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cache_write_tokens: int | msgspec.UnsetType = msgspec.UNSET


class CostUsd(Record, frozen=True, kw_only=True):
    """The cost of a job or sweep in the currency of the pricing table, each part null where unknown.

    `tokens_known` false: `total` is the time alone. `cache_split_known` false: every input token is
    priced as uncached (docs/ladder.md, "Pricing"). `cache_write` is what writing to the cache cost
    beyond the price of the input, absent without a rate for it.
    """

    uncached_input: float | None
    cache_read: float | None
    output: float | None
    time: float
    total: float
    tokens_known: bool
    cache_split_known: bool
    cache_write: float | msgspec.UnsetType = msgspec.UNSET


class CacheCheckRecord(Record, frozen=True, kw_only=True):
    """Whether the prompts of a conversation came from the model's cache after its first call."""

    result: Literal["pass", "fail", "unknown"]
    reason: Text | None
    calls: list[str]


class ScenarioKey(Record, frozen=True, kw_only=True):
    """A scenario: the pack that owns it, and its name."""

    pack: Text | None
    scenario: Text


class SnapshotRecord(Record, frozen=True, kw_only=True):
    """How the tree was taken, and paths that differ on disk.

    `absent` are in the tree and not on disk, `hidden_edits` on disk and not in the tree; `ignored`
    counts the paths that git ignores.
    """

    method: Literal["libgit2", "git"]
    absent: list[Text]
    dirty_submodules: list[Text]
    hidden_edits: list[Text]
    ignored: int


class Experiment(Record, frozen=True, kw_only=True):
    """The experiment of a row: the purpose of its sweep, and the code under test.

    `fingerprint` is the hash of `fingerprint_parts`, or a word that says why there is none. `baseline`: the ledger held no earlier row of this target. `tree_under_test` is the
    tree without the paths that no experiment depends on. `sources` has an in-tree path or `outside`
    for each file that decided the sweep.
    """

    counts_as_failure: bool
    tier: Tier
    question: Text | None = None
    expect: Expectation | None = None
    if_pass: Text | None = None
    if_fail: Text | None = None
    cost: Cost
    cost_usd: CostUsd | None = None
    cache_check: CacheCheckRecord | None = None
    budget_s: float | None = None
    budget_exhausted: bool = False
    fingerprint: str
    fingerprint_parts: dict[str, Text | None]
    source_trace: Text | None = None
    from_turn: int | None = None
    evidence_for: list[str] = msgspec.field(default_factory=list)
    earned_by: str | None = None
    excluded_failing: list[Text] = msgspec.field(default_factory=list)
    excluded_failing_ids: list[ScenarioKey] = msgspec.field(default_factory=list)
    interrupted: bool
    baseline: bool
    tree_under_test: str | None
    snapshot: SnapshotRecord | None
    sources: dict[str, Text]

    def as_document(self) -> dict[str, Any]:
        """Return the record as JSON holds it, without unconfigured keys."""
        return without_unconfigured(super().as_document())


def without_unconfigured(record: dict[str, Any]) -> dict[str, Any]:
    """Return `record` without the keys that are absent, not null, where nothing configures them."""
    for key in ("cost_usd", "cache_check"):
        if record.get(key) is None:
            record.pop(key, None)
    return record


class LayerPassRates(Record, frozen=True, kw_only=True):
    """The share of runs that passed each layer, gated or not."""

    outcome: float
    trajectory: float
    constraint: float
    integrity: float


class FailureCostRecord(Record, frozen=True, kw_only=True):
    """The cost of a failure of the scenario in production, as its author declared it."""

    severity: Text
    customer_visible: bool
    reversible: bool
    side_effect_performed: bool
    risk_weight: int


class DataRecord(Record, frozen=True, kw_only=True):
    """How many of the runs are data, of how many; `by_class` counts runs with an error by its class."""

    runs: int
    of: int
    by_class: dict[str, int]

    @property
    def text(self) -> str:
        """A clause for people; empty where every run is data."""
        return data_text(self.runs, self.of, self.by_class)


class LedgerRow(Record, frozen=True, kw_only=True):
    """One finished scenario of one sweep. `runs` and the rates count the runs that are data."""

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
    data: DataRecord
    origin: Text | None
    git_sha: str | None
    wt_version: str
    sweep_id: str
    experiment: Experiment


SweepStatus = Literal["completed", "aborted", "busy", "error", "interrupted", "refused"]


class SweepRecord(Record, frozen=True, kw_only=True):
    """One sweep that ended: by itself, by the circuit breaker, or by a signal.

    `scenarios` counts the selected ones, `not_started` names those that never began, `errors` counts the
    scenarios that could not be run at all. `outcome` is `pass` exactly when the exit code is 0.
    """

    windtunnel_experiment: int = EXPERIMENT_VERSION
    kind: Literal["sweep"] = "sweep"
    ts: str
    sweep_id: str
    label: Text
    tier: Tier
    model: Text | None
    question: Text | None = None
    expect: Expectation | None = None
    if_pass: Text | None = None
    if_fail: Text | None = None
    outcome: Literal["pass", "fail"]
    prediction_held: bool | None = None
    budget_exhausted: bool = False
    scenarios: int
    cost: Cost
    cost_usd: CostUsd | None = None
    cache_check: CacheCheckRecord | None = None
    exit_code: int
    status: SweepStatus
    errors: int
    not_started: list[Text]
    runtime: Text
    fingerprint: str

    def as_document(self) -> dict[str, Any]:
        """Return the record as JSON holds it, without unconfigured keys."""
        return without_unconfigured(super().as_document())
