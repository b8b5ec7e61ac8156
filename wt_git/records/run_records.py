"""What `wt run --json` prints, one record a line (docs/ladder.md, "For programs")."""

from __future__ import annotations

from typing import Any, Literal

from wt_git.records.fields import Record, Text
from wt_git.records.rows import Cost, CostUsd, Tier, without_unconfigured

RUN_VERSION = 1


class RunRecord(Record):
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


class ScenarioVerdict(Record):
    """What came of one scenario: a row's verdict, `ERROR`, `WORLD`, or `NOT_STARTED`."""

    pack: Text
    scenario: Text
    verdict: str


class Failure(Record):
    """Why nothing was run, or nothing more: what was seen, and what to run instead.

    `code` is an entry of docs/messages.md. `retryable`: the same command may succeed later although
    nobody changes anything.
    """

    code: str
    message: Text
    facts: dict[str, Any]
    commands: list[Text] = []  # noqa: RUF012 - each record gets its own
    retryable: bool = False


class Finished(RunRecord):
    """The sweep ended, and what it came to. `cost` is null for a sweep without a record.

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
    verdicts: list[ScenarioVerdict]
    problems: list[Text]
    failure: Failure | None = None

    def as_document(self) -> dict[str, Any]:
        """Return the record as JSON holds it, without what nothing configures."""
        return without_unconfigured(super().as_document())


class Refused(RunRecord):
    """Nothing was run, or no scenario came to an end; the keys are those of `Failure`."""

    kind: str = "refused"
    code: str
    message: Text
    facts: dict[str, Any]
    commands: list[Text]
    retryable: bool


class ForecastScenario(Record):
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
