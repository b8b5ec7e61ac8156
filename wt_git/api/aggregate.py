"""The verdict, rates and risk of all runs of one scenario."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from wt_git.api.score import GATE_LAYER_ORDER, GateLayer, MetricValue, Score, check_gate_layers
from wt_git.run_errors import NO_DATA, run_class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from wt_git.api.trace import Trace


@dataclass
class ScenarioRunResult:
    """One scored run: its score, its trace and the artifacts of hooks."""

    score: Score
    trace: Trace
    hook_artifacts: list[Any] = field(default_factory=list, repr=False, compare=False)


@dataclass(frozen=True)
class MetricSummary:
    """One metric over the runs that reported it; `kind` decides which fields are filled.

    `bool` has `true_count` and `rate`, `number` has `mean`, `min` and `max`, `string` has `counts`
    for each value, and `mixed` has `counts` for each value as JSON. Counts are sorted, the most
    frequent first.
    """

    kind: str
    count: int
    true_count: int | None = None
    rate: float | None = None
    mean: float | None = None
    min: float | None = None
    max: float | None = None
    counts: dict[str, int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the filled fields as a JSON object."""
        named = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {name: value for name, value in named if value is not None}


@dataclass(frozen=True)
class DataCount:
    """How many of the runs are data: those that no trouble outside the agent broke.

    `by_class` counts the runs with an error by its class, those of `harness` and `model`, which are
    data, too (docs/failure-classes.md).
    """

    runs: int
    of: int
    by_class: dict[str, int] = field(default_factory=dict)


@dataclass
class AggregateResult:
    """The verdict over the runs of a scenario that are data; rates are shares between 0 and 1.

    `verdict` is `PASS`, `FAIL`, `PASS_WITH_VARIANCE` or `INVALID`. `passed` counts the runs that
    passed every gate, `total` those that are data; a layer has its own rate whether it gates or
    not. `stddev` is the population's. `failure_risk` is the share of failures times the risk weight.
    `data` says how many runs there were in all; None in results made by hand.
    """

    verdict: str
    passed: int
    total: int
    pass_rate: float
    stddev: float
    outcome_pass_rate: float
    trajectory_pass_rate: float
    constraint_pass_rate: float
    integrity_pass_rate: float
    gate_layers: tuple[GateLayer, ...] = GATE_LAYER_ORDER
    risk_weight: int = 0
    failure_risk: float = 0.0
    metrics: dict[str, MetricSummary] = field(default_factory=dict)
    data: DataCount | None = None

    @property
    def robustness_pass_rate(self) -> float:
        """The integrity rate under its older name."""
        return self.integrity_pass_rate


def aggregate_runs(
    runs: Sequence[ScenarioRunResult],
    variance_allowed: bool = False,  # noqa: FBT001, FBT002 - positional in the public contract
    gate_layers: Iterable[GateLayer] = GATE_LAYER_ORDER,
) -> AggregateResult:
    """Aggregate the runs of one scenario by `gate_layers` and integrity.

    A run that an outage broke is no data and is left out; without any data the result is invalid.
    One run without integrity makes the whole invalid, because its test condition was not applied.
    Raises `ValueError` for unknown or repeated gate layers.
    """
    gates = check_gate_layers(gate_layers)
    classes = [run_class(run.trace.worker_warnings) for run in runs]
    scores = [run.score for run, found in zip(runs, classes, strict=True) if found not in NO_DATA]
    passed = sum(score.gate_passed(gates) for score in scores)
    pass_rate = _share(passed, len(scores))
    integrity_rate = _rate(scores, lambda score: score.integrity.passed)
    verdict = _verdict(
        passed, len(scores), intact=integrity_rate == 1.0, variance_allowed=variance_allowed
    )
    weight = max((score.failure_cost.risk_weight for score in scores), default=0)
    return AggregateResult(
        verdict=verdict,
        passed=passed,
        total=len(scores),
        pass_rate=pass_rate,
        stddev=math.sqrt(pass_rate * (1 - pass_rate)),
        outcome_pass_rate=_rate(scores, lambda score: score.outcome.passed),
        trajectory_pass_rate=_rate(scores, lambda score: score.trajectory.passed),
        constraint_pass_rate=_rate(scores, lambda score: score.constraint.passed),
        integrity_pass_rate=integrity_rate,
        gate_layers=gates,
        risk_weight=weight,
        failure_risk=0.0 if verdict == "INVALID" else weight * (1 - pass_rate),
        metrics=aggregate_metrics(score.metrics for score in scores),
        data=data_count(classes) if classes else None,
    )


def data_count(classes: Sequence[str | None]) -> DataCount:
    """Return how many runs are data; `classes` has the class of each run's error, or None."""
    by_class = Counter(one for one in classes if one is not None)
    without = sum(by_class[one] for one in NO_DATA)
    return DataCount(len(classes) - without, len(classes), dict(sorted(by_class.items())))


def _verdict(passed: int, total: int, *, intact: bool, variance_allowed: bool) -> str:
    if total == 0 or not intact:
        return "INVALID"
    if passed == total:
        return "PASS"
    return "PASS_WITH_VARIANCE" if variance_allowed else "FAIL"


def _rate(scores: Sequence[Score], passed: Callable[[Score], bool]) -> float:
    return _share(sum(passed(score) for score in scores), len(scores))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def aggregate_metrics(
    samples: Iterable[Mapping[str, MetricValue]],
) -> dict[str, MetricSummary]:
    """Return a summary per metric name, sorted by name, from one mapping per run.

    Only the runs that reported a metric count for it.
    """
    values: dict[str, list[MetricValue]] = {}
    for sample in samples:
        for name, value in sample.items():
            values.setdefault(name, []).append(value)
    return {name: _summary(values[name]) for name in sorted(values)}


def _summary(values: list[MetricValue]) -> MetricSummary:
    count = len(values)
    booleans = [value for value in values if isinstance(value, bool)]
    if len(booleans) == count:
        true_count = sum(booleans)
        return MetricSummary("bool", count, true_count=true_count, rate=true_count / count)
    numbers = [v for v in values if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(numbers) == count:
        return MetricSummary(
            "number", count, mean=_mean(numbers), min=min(numbers), max=max(numbers)
        )
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) == count:
        return MetricSummary("string", count, counts=_counts(texts))
    rendered = (json.dumps(value, ensure_ascii=False) for value in values)
    return MetricSummary("mixed", count, counts=_counts(rendered))


def _mean(numbers: Sequence[float]) -> float:
    try:
        return math.fsum(numbers) / len(numbers)
    except OverflowError:
        # Large integers and sums of large floats overflow; integers over one denominator do not.
        ratios = [number.as_integer_ratio() for number in numbers]
    unit = max(denominator for _, denominator in ratios)  # a power of two, like the others
    total = sum(numerator * (unit // denominator) for numerator, denominator in ratios)
    divisor = unit * len(numbers)
    try:
        return total / divisor
    except OverflowError:
        whole, rest = divmod(total, divisor)
        return whole + (2 * rest > divisor or (2 * rest == divisor and whole % 2))


def _counts(texts: Iterable[str]) -> dict[str, int]:
    ranked = sorted(Counter(texts).items(), key=lambda item: (-item[1], item[0]))
    return dict(ranked)
