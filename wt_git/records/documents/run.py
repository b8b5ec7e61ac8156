"""The records of `wt run --json`, one a line (docs/ladder.md, "For programs")."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_serializer

from wt_git.records.documents.document import Document, Facts, Text
from wt_git.records.sweep_records import (
    CacheCheckRecord,
    Cost,
    CostUsd,
    Tier,
    without_unconfigured,
)

RUN_VERSION = 1


class RunRecord(Document):
    """What every record carries: the version of its format, and what it tells."""

    windtunnel_run: int = RUN_VERSION
    kind: str


class Launched(RunRecord):
    """The sweep has its id and passed every check; it queues or runs now.

    `events` is the file that its progress is appended to.
    """

    kind: str = "launched"
    sweep_id: str
    tier: Tier
    label: Text
    runs_dir: Text
    events: Text


class ScenarioVerdict(Document):
    """What came of one scenario: a row's verdict, `ERROR`, `WORLD`, or `NOT_STARTED`."""

    pack: Text
    scenario: Text
    verdict: str


class Failure(Document):
    """Why nothing was run, or nothing more: what was seen, and what to run instead.

    `code` is an entry of docs/messages.md. `retryable`: the same command may succeed later although
    nobody changes anything.
    """

    code: str
    message: Text
    facts: Facts
    commands: list[Text] = Field(default_factory=list)
    retryable: bool = False


class Finished(RunRecord):
    """The sweep ended, and what it came to. `cost` is null for a sweep without a record.

    `cost_usd` and `cache_check` are absent where nothing configures them.
    `failure` is what ended it before its time, null where nothing did.
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
    problems: list[Text]
    failure: Failure | None = None

    @model_serializer(mode="wrap")
    def _without_what_is_not_configured(self, handler: Any) -> dict[str, Any]:
        return without_unconfigured(handler(self))


class Refused(RunRecord):
    """Nothing was run, or no scenario came to an end; the keys are those of `Failure`."""

    kind: str = "refused"
    code: str
    message: Text
    facts: Facts
    commands: list[Text]
    retryable: bool


class ForecastScenario(Document):
    """One scenario of a dry run; what is not known from history is null."""

    pack: Text
    scenario: Text
    earlier_runs: int
    wall_s: float | None
    cost_usd: float | None


class Forecast(RunRecord):
    """What a sweep would be, from a dry run. `wall_s` and `cost_usd` are null where unknown."""

    kind: str = "forecast"
    tier: Tier
    label: Text
    runs_dir: Text
    runtime: Text
    target: Text | None
    model: Text | None
    budget_s: float | None
    ceiling: float | None
    runs: int
    wall_s: float | None
    cost_usd: float | None
    scenarios: list[ForecastScenario]


class Allowed(RunRecord):
    """The last record of a dry run that would be admitted. `earned_by` names a focused sweep."""

    kind: str = "allowed"
    earned_by: str | None
    evidence_for: list[str]
    excluded_failing: list[Text]
