"""What changed from one label to others: verdicts, metrics and pass rates. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.records.comparison import ComparedScenario, Comparison, VerdictChange
from wt_git.reports.comparison.metric_deltas import metric_deltas
from wt_git.reports.comparison.rate_deltas import overall_deltas, rate_deltas
from wt_git.reports.comparison.shared_scenarios import pairs, subjects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from wt_git.records.results import ScenarioTotals
    from wt_git.reports.comparison.shared_scenarios import Pair, Subject


def compare(found: Iterable[ScenarioTotals], labels: Sequence[str]) -> Comparison:
    """Return what changed from the first of `labels` to each other one.

    `found` is what the scenarios came to under each of them.
    """
    compared = subjects(found)
    shared = list(pairs(compared, labels))
    changes = sorted(_changes(shared), key=_gravest_first)
    rates = rate_deltas(shared, labels)
    return Comparison(
        baseline=labels[0],
        labels=list(labels),
        scenarios=[_scenario(one, labels) for one in compared],
        changes=changes,
        metric_deltas=list(metric_deltas(shared, labels[0])),
        regression=any(one.direction == "regression" for one in changes),
        pass_rates=rates,
        overall=overall_deltas(rates, labels),
    )


def _scenario(of: Subject, labels: Sequence[str]) -> ComparedScenario:
    found = [(label, of.totals.get(label)) for label in labels]
    return ComparedScenario(
        scenario_id=of.scenario,
        verdicts={label: None if one is None else one.verdict for label, one in found},
        pack=of.pack,
        tiers={label: None if one is None else one.tier for label, one in found},
        rescored=[label for label, one in found if one is not None and one.rescored],
    )


def _changes(shared: Iterable[Pair]) -> Iterator[VerdictChange]:
    for one in shared:
        before, after = one.baseline, one.candidate
        if before.verdict != after.verdict:
            worse = verdict_rank(after.verdict) < verdict_rank(before.verdict)
            yield VerdictChange(
                label=one.label,
                scenario_id=one.subject.scenario,
                direction="regression" if worse else "improvement",
                verdict_a=before.verdict,
                verdict_b=after.verdict,
                risk_a=before.failure_risk,
                risk_b=after.failure_risk,
                risk_delta=after.failure_risk - before.failure_risk,
                pack=one.subject.pack,
            )


def verdict_rank(verdict: str) -> int:
    """Return how good a verdict is; to a smaller number is a regression."""
    if verdict == "PASS":
        return 3
    if "VARIANCE" in verdict or verdict == "PARTIAL":  # as the oldest rows call it
        return 2
    return 1 if verdict == "FAIL" else 0


def _gravest_first(change: VerdictChange) -> tuple[bool, float, str]:
    return change.direction != "regression", -change.risk_delta, change.scenario_id
