"""The document of `wt compare --json` (docs/files.md, "Compare")."""

from __future__ import annotations

from typing import Literal

from wt_git.records.documents.document import Document, IntervalTotals, Text
from wt_git.records.documents.results import MetricTotals

COMPARE_VERSION = 1

Direction = Literal["regression", "improvement"]
MetricKind = Literal["bool", "number", "string", "mixed"]
Found = Literal["better", "worse", "alike", "cannot_tell", "no_valid_runs"]


class ComparedScenario(Document):
    """A scenario that has runs under some of the labels; null where it has none.

    `tiers` are those of the sweeps that the verdicts rest on, null where no row says so. `rescored`
    are the labels under which a score was made again since the sweep.
    """

    scenario_id: Text
    verdicts: dict[Text, Text | None]
    pack: Text | None
    tiers: dict[Text, Text | None]
    rescored: list[Text]


class VerdictChange(Document):
    """A scenario whose verdict is another one under `label` than under the baseline."""

    label: Text
    scenario_id: Text
    direction: Direction
    verdict_a: Text
    verdict_b: Text
    risk_a: float
    risk_b: float
    risk_delta: float
    pack: Text | None


class MetricDelta(Document):
    """A metric of a scenario with runs under both labels, the candidate's less the baseline's.

    `delta` is a difference of means, of rates, or of how often each value came.
    """

    scenario_id: Text
    baseline_label: Text
    label: Text
    metric: Text
    kind: MetricKind
    baseline: MetricTotals | None
    candidate: MetricTotals | None
    delta: int | float | dict[Text, int] | None
    pack: Text | None


class RateTotals(Document):
    """The valid runs of a scenario under a label; `interval` is for their pass rate."""

    passed: int
    runs: int
    invalid: int
    pass_rate: float | None
    interval: IntervalTotals | None


class RateDelta(Document):
    """The pass rates of a scenario with runs under both labels, and whether they differ.

    What follows from the runs is null where a label has no valid ones. `runs_needed` of each label
    would probably show a difference of `planned_difference`; null where nothing is missing.
    """

    scenario_id: Text
    baseline_label: Text
    label: Text
    baseline: RateTotals
    candidate: RateTotals
    difference: float | None
    interval: IntervalTotals | None
    p_value: float | None
    p_adjusted: float | None
    finding: Found
    runs_needed: int | None
    planned_difference: float | None
    pack: Text | None


class OverallDelta(Document):
    """All scenarios that have valid runs under both labels, each of them counted once."""

    scenarios: int
    difference: float
    interval: IntervalTotals
    p_value: float
    finding: Found
    scenarios_needed: int | None
    planned_difference: float | None


class Comparison(Document):
    """What changed from the first of `labels` to each of the others."""

    windtunnel_compare: int = COMPARE_VERSION
    baseline: Text
    labels: list[Text]
    scenarios: list[ComparedScenario]
    changes: list[VerdictChange]
    metric_deltas: list[MetricDelta]
    regression: bool
    pass_rates: list[RateDelta]
    overall: dict[Text, OverallDelta | None]
