"""The sweep record: what a finished sweep asked and found (docs/files.md, "Experiments")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from wt_git.records.fields import Record, Text
from wt_git.records.rows import (
    CacheCheckRecord,
    Cost,
    CostUsd,
    Expectation,
    Tier,
    without_unconfigured,
)

EXPERIMENT_VERSION = 1

SweepStatus = Literal["completed", "aborted", "busy", "error", "interrupted", "refused"]


@dataclass(frozen=True, kw_only=True)
class SweepRecord(Record):
    """One sweep that ended: by itself, by the circuit breaker, or by a signal.

    `scenarios` counts what was selected, `not_started` names what never began, `errors` counts the
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
        """Return the record as JSON holds it, without what nothing configures."""
        return without_unconfigured(super().as_document())
