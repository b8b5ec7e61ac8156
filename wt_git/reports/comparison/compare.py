"""What changed from one label to others: verdicts, metrics and pass rates.

Pure rules (docs/files.md, "Compare"; docs/statistics.md).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from wt_git.records.documents.results import (
    ComparedScenario,
    Comparison,
    MetricDelta,
    OverallDelta,
    RateDelta,
    RateTotals,
    VerdictChange,
)
from wt_git.reports.run_groups.totals import interval_totals, valid_runs
from wt_git.stats.comparison import by_scenario, over_all
from wt_git.stats.intervals import Sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from wt_git.records.documents.results import MetricKind, MetricTotals, ScenarioTotals
    from wt_git.stats.comparison import ScenarioFinding


class ScenarioByLabel(NamedTuple):
    """A scenario of the comparison, with its totals under each label that has runs of it."""

    scenario_id: str
    pack: str | None
    totals: Mapping[str, ScenarioTotals]


class SharedScenario(NamedTuple):
    """A scenario under the baseline and under another label."""

    label: str
    scenario: ScenarioByLabel
    baseline: ScenarioTotals
    candidate: ScenarioTotals


def scenarios_by_label(found: Iterable[ScenarioTotals]) -> list[ScenarioByLabel]:
    """Return the scenarios by name and pack.

    A name in several packs is several scenarios. Where only one pack is known, runs without a pack
    belong to it.
    """
    by_name: dict[str, list[ScenarioTotals]] = {}
    for one in found:
        by_name.setdefault(one.scenario_id, []).append(one)
    return [one for name in sorted(by_name) for one in _packs_of_name(name, by_name[name])]


def _packs_of_name(name: str, found: Sequence[ScenarioTotals]) -> Iterator[ScenarioByLabel]:
    packs = {one.pack for one in found if one.pack is not None}
    if len(packs) <= 1:
        yield ScenarioByLabel(name, next(iter(packs), None), {one.label: one for one in found})
        return
    for pack in sorted({one.pack for one in found}, key=lambda one: one or ""):
        yield ScenarioByLabel(name, pack, {one.label: one for one in found if one.pack == pack})


def shared_scenarios(
    compared: Sequence[ScenarioByLabel], labels: Sequence[str]
) -> Iterator[SharedScenario]:
    """Yield the scenarios with runs under the first label and another, by that other label."""
    baseline, *candidates = labels
    for label in candidates:
        for one in compared:
            if baseline in one.totals and label in one.totals:
                yield SharedScenario(label, one, one.totals[baseline], one.totals[label])


MetricDifference = int | float | dict[str, int] | None


def metric_deltas(shared: Iterable[SharedScenario], baseline_label: str) -> Iterator[MetricDelta]:
    """Yield a delta for each metric that a scenario reports under either label, by its name."""
    for one in shared:
        before, after = one.baseline.metrics, one.candidate.metrics
        for name in sorted({*before, *after}):
            kind, moved = _metric_change(before.get(name), after.get(name))
            yield MetricDelta(
                scenario_id=one.scenario.scenario_id,
                baseline_label=baseline_label,
                label=one.label,
                metric=name,
                kind=kind,
                baseline=before.get(name),
                candidate=after.get(name),
                delta=moved,
                pack=one.scenario.pack,
            )


def _metric_change(
    before: MetricTotals | None, after: MetricTotals | None
) -> tuple[MetricKind, MetricDifference]:
    if before is None or after is None:
        known = before or after
        return ("mixed" if known is None else known.kind), None
    if before.kind != after.kind:
        return "mixed", None
    if before.kind == "bool":
        return "bool", _difference(after.rate, before.rate)
    if before.kind == "number":
        return "number", _difference(after.mean, before.mean)
    old, new = before.counts or {}, after.counts or {}
    values = sorted({*old, *new})
    return before.kind, {value: new.get(value, 0) - old.get(value, 0) for value in values}


def _difference(after: float | None, before: float | None) -> float | None:
    """Return the difference; None where neither an integer nor a float can hold it."""
    if after is None or before is None:
        return None
    try:
        moved = after - before
    except OverflowError:  # an integer that no float holds, and a float
        return None
    return moved if isinstance(moved, int) or math.isfinite(moved) else None


def rate_deltas(shared: Iterable[SharedScenario], labels: Sequence[str]) -> list[RateDelta]:
    """Return a delta for each scenario, by label.

    The p-values of one label are corrected together: whether this change made anything worse is one
    question, whether another change did is the next.
    """
    found: list[RateDelta] = []
    by_label: dict[str, list[SharedScenario]] = {label: [] for label in labels[1:]}
    for one in shared:
        by_label[one.label].append(one)
    for of_label in by_label.values():
        samples = [_sample_pair(one) for one in of_label]
        tested = iter(by_scenario([both for both in samples if both is not None]))
        found += [
            _rate_delta(one, labels[0], None if both is None else next(tested))
            for one, both in zip(of_label, samples, strict=True)
        ]
    return found


def overall_deltas(
    deltas: Iterable[RateDelta], labels: Sequence[str]
) -> dict[str, OverallDelta | None]:
    """Return the result of all `deltas` of each label but the first; None without valid runs."""
    by_label: dict[str, list[tuple[Sample, Sample]]] = {label: [] for label in labels[1:]}
    for one in deltas:
        if one.difference is not None:
            before = Sample(one.baseline.passed, one.baseline.runs)
            after = Sample(one.candidate.passed, one.candidate.runs)
            by_label[one.label].append((before, after))
    return {label: _overall_delta(both) if both else None for label, both in by_label.items()}


def _sample_pair(pair: SharedScenario) -> tuple[Sample, Sample] | None:
    before, after = _valid_sample(pair.baseline), _valid_sample(pair.candidate)
    return None if before is None or after is None else (before, after)


def _valid_sample(of: ScenarioTotals) -> Sample | None:
    return valid_runs(passed=of.passed, runs=of.runs, invalid=of.invalid)


def _rate_delta(
    pair: SharedScenario, baseline_label: str, found: ScenarioFinding | None
) -> RateDelta:
    needed = None if found is None else found.needed
    return RateDelta(
        scenario_id=pair.scenario.scenario_id,
        baseline_label=baseline_label,
        label=pair.label,
        baseline=_rate_totals(pair.baseline),
        candidate=_rate_totals(pair.candidate),
        difference=None if found is None else found.difference,
        interval=None if found is None else interval_totals(found.interval, "newcombe"),
        p_value=None if found is None else found.p_value,
        p_adjusted=None if found is None else found.p_adjusted,
        finding="no_valid_runs" if found is None else found.finding.value,
        runs_needed=None if needed is None else needed.number,
        planned_difference=None if needed is None else needed.difference,
        pack=pair.scenario.pack,
    )


def _rate_totals(of: ScenarioTotals) -> RateTotals:
    valid = _valid_sample(of)
    return RateTotals(
        passed=of.passed,
        runs=of.runs - of.invalid,
        invalid=of.invalid,
        data=of.data,
        pass_rate=None if valid is None else valid.rate,
        interval=of.interval,
    )


def _overall_delta(both: Sequence[tuple[Sample, Sample]]) -> OverallDelta:
    found = over_all(both)
    return OverallDelta(
        scenarios=found.scenarios,
        difference=found.difference,
        interval=interval_totals(found.interval, "agresti-min"),
        p_value=found.p_value,
        finding=found.finding.value,
        scenarios_needed=None if found.needed is None else found.needed.number,
        planned_difference=None if found.needed is None else found.needed.difference,
    )


def compare(found: Iterable[ScenarioTotals], labels: Sequence[str]) -> Comparison:
    """Return what changed from the first of `labels` to each other one, by the `found` totals."""
    compared = scenarios_by_label(found)
    shared = list(shared_scenarios(compared, labels))
    changes = sorted(_verdict_changes(shared), key=_worst_first)
    rates = rate_deltas(shared, labels)
    return Comparison(
        baseline=labels[0],
        labels=list(labels),
        scenarios=[_compared_scenario(one, labels) for one in compared],
        changes=changes,
        metric_deltas=list(metric_deltas(shared, labels[0])),
        regression=any(one.direction == "regression" for one in changes),
        pass_rates=rates,
        overall=overall_deltas(rates, labels),
    )


def _compared_scenario(of: ScenarioByLabel, labels: Sequence[str]) -> ComparedScenario:
    found = [(label, of.totals.get(label)) for label in labels]
    return ComparedScenario(
        scenario_id=of.scenario_id,
        verdicts={label: None if one is None else one.verdict for label, one in found},
        pack=of.pack,
        tiers={label: None if one is None else one.tier for label, one in found},
        rescored=[label for label, one in found if one is not None and one.rescored],
    )


def _verdict_changes(shared: Iterable[SharedScenario]) -> Iterator[VerdictChange]:
    for one in shared:
        before, after = one.baseline, one.candidate
        if before.verdict != after.verdict:
            worse = verdict_rank(after.verdict) < verdict_rank(before.verdict)
            yield VerdictChange(
                label=one.label,
                scenario_id=one.scenario.scenario_id,
                direction="regression" if worse else "improvement",
                verdict_a=before.verdict,
                verdict_b=after.verdict,
                risk_a=before.failure_risk,
                risk_b=after.failure_risk,
                risk_delta=after.failure_risk - before.failure_risk,
                pack=one.scenario.pack,
            )


def verdict_rank(verdict: str) -> int:
    """Return the rank of a verdict; a change to a smaller rank is a regression."""
    if verdict == "PASS":
        return 3
    if "VARIANCE" in verdict or verdict == "PARTIAL":  # its name in the oldest rows
        return 2
    return 1 if verdict == "FAIL" else 0


def _worst_first(change: VerdictChange) -> tuple[bool, float, str]:
    return change.direction != "regression", -change.risk_delta, change.scenario_id
