"""Whether pass rates moved, and whether that can be told (docs/statistics.md). Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wt_git.records.comparison import OverallDelta, RateDelta, RateTotals
from wt_git.reports.counted.totals import interval_totals, valid_runs
from wt_git.stats.findings import by_scenario, over_all
from wt_git.stats.samples import Sample

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wt_git.records.results import ScenarioTotals
    from wt_git.reports.comparison.shared_scenarios import Pair
    from wt_git.stats.findings import ScenarioFinding


def rate_deltas(shared: Iterable[Pair], labels: Sequence[str]) -> list[RateDelta]:
    """Return a delta for each pair, by label.

    What is corrected together are the scenarios of one label: it is one question whether a change
    made anything worse, and another whether another change did.
    """
    found: list[RateDelta] = []
    by_label: dict[str, list[Pair]] = {label: [] for label in labels[1:]}
    for one in shared:
        by_label[one.label].append(one)
    for of_label in by_label.values():
        samples = [_samples(one) for one in of_label]
        tested = iter(by_scenario([both for both in samples if both is not None]))
        found += [
            _delta(one, labels[0], None if both is None else next(tested))
            for one, both in zip(of_label, samples, strict=True)
        ]
    return found


def overall_deltas(
    deltas: Iterable[RateDelta], labels: Sequence[str]
) -> dict[str, OverallDelta | None]:
    """Return for each label but the first what its `deltas` show together; None for no valid runs."""
    by_label: dict[str, list[_Both]] = {label: [] for label in labels[1:]}
    for one in deltas:
        if one.difference is not None:
            before = Sample(one.baseline.passed, one.baseline.runs)
            after = Sample(one.candidate.passed, one.candidate.runs)
            by_label[one.label].append(_Both(before, after))
    return {label: _overall(both) if both else None for label, both in by_label.items()}


class _Both(NamedTuple):
    baseline: Sample
    candidate: Sample


def _samples(pair: Pair) -> _Both | None:
    before, after = _valid(pair.baseline), _valid(pair.candidate)
    return None if before is None or after is None else _Both(before, after)


def _valid(of: ScenarioTotals) -> Sample | None:
    return valid_runs(passed=of.passed, runs=of.runs, invalid=of.invalid)


def _delta(pair: Pair, baseline_label: str, found: ScenarioFinding | None) -> RateDelta:
    needed = None if found is None else found.needed
    return RateDelta(
        scenario_id=pair.subject.scenario,
        baseline_label=baseline_label,
        label=pair.label,
        baseline=_totals(pair.baseline),
        candidate=_totals(pair.candidate),
        difference=None if found is None else found.difference,
        interval=None if found is None else interval_totals(found.interval, "newcombe"),
        p_value=None if found is None else found.p_value,
        p_adjusted=None if found is None else found.p_adjusted,
        finding="no_valid_runs" if found is None else found.finding.value,
        runs_needed=None if needed is None else needed.number,
        planned_difference=None if needed is None else needed.difference,
        pack=pair.subject.pack,
    )


def _totals(of: ScenarioTotals) -> RateTotals:
    valid = _valid(of)
    return RateTotals(
        passed=of.passed,
        runs=of.runs - of.invalid,
        invalid=of.invalid,
        pass_rate=None if valid is None else valid.rate,
        interval=of.interval,
    )


def _overall(both: Sequence[_Both]) -> OverallDelta:
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
