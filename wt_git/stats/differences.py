"""Whether two labels differ: for each scenario, and over all of them."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from wt_git.stats.intervals import Interval, mean_interval, newcombe, spread
from wt_git.stats.planning import LEVEL, SMALLEST, runs_needed, scenarios_needed
from wt_git.stats.significance import fisher, holm, sign_flip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.stats.intervals import Sample
    from wt_git.stats.planning import Needed


class Finding(Enum):
    """The result of a comparison. `ALIKE`: a difference, if there is one, is below `SMALLEST`."""

    BETTER = "better"
    WORSE = "worse"
    ALIKE = "alike"
    UNCLEAR = "cannot_tell"


class ScenarioFinding(NamedTuple):
    """One scenario under two labels. `needed` runs of each would show more; None when clear."""

    baseline: Sample
    candidate: Sample
    difference: float
    interval: Interval
    p_value: float
    p_adjusted: float
    finding: Finding
    needed: Needed | None


class OverallFinding(NamedTuple):
    """All scenarios, each counted once. `needed` scenarios would show more; None when clear."""

    scenarios: int
    difference: float
    interval: Interval
    p_value: float
    finding: Finding
    needed: Needed | None


def by_scenario(pairs: Sequence[tuple[Sample, Sample]]) -> list[ScenarioFinding]:
    """Return the finding for each scenario; a pair holds the runs of the baseline and the candidate.

    All of `pairs` are one family: the p-values are corrected for their number.
    """
    p_values = [fisher(*pair) for pair in pairs]
    found = []
    for (baseline, candidate), p_value, adjusted in zip(
        pairs, p_values, holm(p_values), strict=True
    ):
        difference = candidate.rate - baseline.rate
        interval = newcombe(baseline, candidate)
        finding = _finding(difference, interval, adjusted)
        unclear = finding is Finding.UNCLEAR
        found.append(
            ScenarioFinding(
                baseline=baseline,
                candidate=candidate,
                difference=difference,
                interval=interval,
                p_value=p_value,
                p_adjusted=adjusted,
                finding=finding,
                needed=runs_needed(baseline, candidate, len(pairs)) if unclear else None,
            )
        )
    return found


def over_all(pairs: Sequence[tuple[Sample, Sample]]) -> OverallFinding:
    """Return the finding over all scenarios, of which there is at least one."""
    exact = [candidate.exact_rate - baseline.exact_rate for baseline, candidate in pairs]
    differences = [float(one) for one in exact]
    mean = float(sum(exact) / len(exact))
    interval = mean_interval(differences)
    p_value = sign_flip(exact)
    finding = _finding(mean, interval, p_value)
    unclear = finding is Finding.UNCLEAR
    return OverallFinding(
        scenarios=len(pairs),
        difference=mean,
        interval=interval,
        p_value=p_value,
        finding=finding,
        needed=scenarios_needed(differences, spread(differences)) if unclear else None,
    )


def _finding(difference: float, interval: Interval, p_value: float) -> Finding:
    if p_value <= LEVEL:
        return Finding.BETTER if difference > 0 else Finding.WORSE
    if interval.low > -SMALLEST and interval.high < SMALLEST:
        return Finding.ALIKE
    return Finding.UNCLEAR
