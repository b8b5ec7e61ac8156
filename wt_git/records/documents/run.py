"""The records of `wt run --json`, one a line (docs/ladder.md, "For programs")."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from wt_git.records.documents.document import Document
from wt_git.records.sweep_records import (
    CacheCheckRecord,
    Cost,
    CostUsd,
    DataRecord,
    Tier,
    without_unconfigured,
)

RUN_VERSION = 1


class RunRecord(Document, frozen=True, kw_only=True):
    """The members of every record: the version of its format, and its kind."""

    windtunnel_run: int = RUN_VERSION
    kind: str


class Launched(RunRecord, frozen=True, kw_only=True):
    """The sweep has its id and passed every check; it queues or runs now.

    `events` is the file that its progress is appended to.
    """

    kind: str = "launched"
    sweep_id: str
    tier: Tier
    label: str
    runs_dir: str
    events: str


class ScenarioVerdict(Document, frozen=True, kw_only=True):
    """The result of one scenario: a row's verdict, `ERROR`, `WORLD`, or `NOT_STARTED`.

    `reasons` say why it did not pass, and `trace` is the first run that did not; without a failed
    run it is null. `data` is that of the row, null without one.
    """

    pack: str
    scenario: str
    verdict: str
    reasons: list[str] = msgspec.field(default_factory=list)
    trace: str | None = None
    data: DataRecord | None = None


class Failure(Document, frozen=True, kw_only=True):
    """Why nothing was run, or nothing more: the cause, and the commands to run instead.

    `code` is an entry of docs/messages.md. `retryable`: the same command may succeed later without
    any change.
    """

    code: str
    message: str
    facts: dict[str, Any]
    commands: list[str] = msgspec.field(default_factory=list)
    retryable: bool = False


class Finished(RunRecord, frozen=True, kw_only=True):
    """The end of a sweep, and its result. `cost` is null for a sweep without a record.

    `cost_usd` and `cache_check` are absent where nothing configures them.
    `failure` is the reason of an early end, else null.
    """

    kind: str = "finished"
    sweep_id: str
    exit_code: int
    status: str
    outcome: Literal["pass", "fail"]
    prediction_held: bool | None
    budget_exhausted: bool
    cost: Cost | None
    cost_usd: CostUsd | None = None
    cache_check: CacheCheckRecord | None = None
    verdicts: list[ScenarioVerdict]
    problems: list[str]
    failure: Failure | None = None

    def as_document(self) -> dict[str, Any]:
        """Return the record without the keys that nothing configures."""
        return without_unconfigured(Document.as_document(self))


class Refused(RunRecord, frozen=True, kw_only=True):
    """Nothing was run, or no scenario came to an end; the keys are those of `Failure`."""

    kind: str = "refused"
    code: str
    message: str
    facts: dict[str, Any]
    commands: list[str]
    retryable: bool


class ForecastScenario(Document, frozen=True, kw_only=True):
    """One scenario of a dry run; values that history does not show are null."""

    pack: str
    scenario: str
    earlier_runs: int
    wall_s: float | None
    cost_usd: float | None


class Forecast(RunRecord, frozen=True, kw_only=True):
    """The forecast of a sweep, from a dry run. `wall_s` and `cost_usd` are null where unknown."""

    kind: str = "forecast"
    tier: Tier
    label: str
    runs_dir: str
    runtime: str
    target: str | None
    model: str | None
    budget_s: float | None
    ceiling: float | None
    runs: int
    wall_s: float | None
    cost_usd: float | None
    scenarios: list[ForecastScenario]


class Allowed(RunRecord, frozen=True, kw_only=True):
    """The last record of a dry run that would be admitted. `earned_by` names a focused sweep."""

    kind: str = "allowed"
    earned_by: str | None
    evidence_for: list[str]
    excluded_failing: list[str]
