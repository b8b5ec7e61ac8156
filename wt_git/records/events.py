"""The progress events that `wt watch` follows (docs/files.md, "Events")."""

from __future__ import annotations

from typing import Any, Literal

from wt_git.records.record import Record, Text
from wt_git.records.sweep_records import Expectation, SweepStatus, Tier

EVENT_VERSION = 1


class Event(Record, frozen=True, kw_only=True):
    """The members of every event: its sweep, label and time."""

    windtunnel_event: int = EVENT_VERSION
    ts: str
    event: str
    sweep_id: str
    label: Text


class SweepStarted(Event, frozen=True, kw_only=True):
    """The last refusal is behind the sweep; it will queue for its runtime or start."""

    event: str = "sweep_started"
    pid: int
    host: Text
    runtime: Text
    scenarios: list[Text]
    runs_per_scenario: int
    scheduler: Text
    max_concurrency: int
    tier: Tier
    question: Text | None = None
    expect: Expectation | None = None
    budget_s: float | None = None


class LockWaiting(Event, frozen=True, kw_only=True):
    """The runtime is in use by `holder` (null when it left no readable record)."""

    event: str = "lock_waiting"
    lock: Text
    holder: dict[str, Any] | None


class LockAcquired(Event, frozen=True, kw_only=True):
    """The wait for the runtime is over after `waited_s` seconds."""

    event: str = "lock_acquired"
    lock: Text
    waited_s: float


class RunStarted(Event, frozen=True, kw_only=True):
    """Run number `run` (from 1) of `runs` begins, before its reset."""

    event: str = "run_started"
    scenario_id: Text
    run: int
    runs: int


class RunFinished(Event, frozen=True, kw_only=True):
    """A run was scored, and its trace and sidecar are on disk. Tokens are null when unknown."""

    event: str = "run_finished"
    scenario_id: Text
    run: int
    runs: int
    run_id: str
    verdict: Literal["PASS", "FAIL", "INVALID"]
    layers: dict[str, bool]
    metrics: dict[str, bool | int | float | Text]
    trace: Text
    duration_s: float | None
    input_tokens: int | None
    output_tokens: int | None


class ScenarioFinished(Event, frozen=True, kw_only=True):
    """All runs of a scenario are in and its ledger row is written."""

    event: str = "scenario_finished"
    scenario_id: Text
    verdict: str
    passed: int
    total: int
    pass_rate: float
    gate_failure: bool


class ScenarioError(Event, frozen=True, kw_only=True):
    """A scenario could not be run; `error` is `<Type>: <text>`."""

    event: str = "scenario_error"
    scenario_id: Text
    kind: Literal["error", "world_mismatch"]
    error: Text


class SweepFinished(Event, frozen=True, kw_only=True):
    """The last event of a sweep, after its lock was released."""

    event: str = "sweep_finished"
    exit_code: int | None
    status: SweepStatus
    scenarios: int
    completed: int
    errors: int
    budget_exhausted: bool = False
