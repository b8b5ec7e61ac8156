"""The document of `wt compare --json` (docs/files.md, "Compare")."""

from __future__ import annotations

from typing import Literal

from wt_git.records.documents.document import Document, IntervalTotals
from wt_git.records.documents.results import MetricTotals

COMPARE_VERSION = 1

Direction = Literal["regression", "improvement"]
MetricKind = Literal["bool", "number", "string", "mixed"]
Found = Literal["better", "worse", "alike", "cannot_tell", "no_valid_runs"]


class ComparedScenario(Document, frozen=True, kw_only=True):
    """A scenario that has runs under some of the labels; null where it has none.

    `tiers` are those of the sweeps that the verdicts rest on, null where no row says so. `rescored`
    are the labels under which a score was made again since the sweep.
    """

    scenario_id: str
    verdicts: dict[str, str | None]
    pack: str | None
    tiers: dict[str, str | None]
    rescored: list[str]


class VerdictChange(Document, frozen=True, kw_only=True):
    """A scenario whose verdict is another one under `label` than under the baseline."""

    label: str
    scenario_id: str
    direction: Direction
    verdict_a: str
    verdict_b: str
    risk_a: float
    risk_b: float
    risk_delta: float
    pack: str | None


class MetricDelta(Document, frozen=True, kw_only=True):
    """A metric of a scenario with runs under both labels, the candidate's less the baseline's.

    `delta` is a difference of means, of rates, or of how often each value came.
    """

    scenario_id: str
    baseline_label: str
    label: str
    metric: str
    kind: MetricKind
    baseline: MetricTotals | None
    candidate: MetricTotals | None
    delta: int | float | dict[str, int] | None
    pack: str | None


class RateTotals(Document, frozen=True, kw_only=True):
    """The valid runs of a scenario under a label; `interval` is for their pass rate."""

    passed: int
    runs: int
    invalid: int
    pass_rate: float | None
    interval: IntervalTotals | None


class RateDelta(Document, frozen=True, kw_only=True):
    """The pass rates of a scenario with runs under both labels, and whether they differ.

    What follows from the runs is null where a label has no valid ones. `runs_needed` of each label
    would probably show a difference of `planned_difference`; null where nothing is missing.
    """

    scenario_id: str
    baseline_label: str
    label: str
    baseline: RateTotals
    candidate: RateTotals
    difference: float | None
    interval: IntervalTotals | None
    p_value: float | None
    p_adjusted: float | None
    finding: Found
    runs_needed: int | None
    planned_difference: float | None
    pack: str | None


class OverallDelta(Document, frozen=True, kw_only=True):
    """All scenarios that have valid runs under both labels, each of them counted once."""

    scenarios: int
    difference: float
    interval: IntervalTotals
    p_value: float
    finding: Found
    scenarios_needed: int | None
    planned_difference: float | None


class Comparison(Document, frozen=True, kw_only=True):
    """What changed from the first of `labels` to each of the others."""

    windtunnel_compare: int = COMPARE_VERSION
    baseline: str
    labels: list[str]
    scenarios: list[ComparedScenario]
    changes: list[VerdictChange]
    metric_deltas: list[MetricDelta]
    regression: bool
    pass_rates: list[RateDelta]
    overall: dict[str, OverallDelta | None]
