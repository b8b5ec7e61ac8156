"""Whether two pass rates differ: Fisher's exact test, and Holm's correction over scenarios."""

from __future__ import annotations

from math import comb, exp, lgamma
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wt_git.stats.samples import Sample


_COUNTED = 20_000
"""Up to so many runs ways are counted in whole numbers; these grow with the runs, as do the ways."""
_ALIKE = 1e-7
"""Logarithms that are so near stand for the same number of ways."""


def fisher(baseline: Sample, candidate: Sample) -> float:
    """Return the two-sided p-value of "both labels pass equally often".

    It adds up all tables with these sums that are not more likely than the one that was seen, in
    whole numbers; of tens of thousands of runs with the precision of floats.
    """
    if baseline.runs + candidate.runs > _COUNTED:
        return _by_logarithms(baseline, candidate)
    both = baseline.passed + candidate.passed
    weights = list(table_weights(baseline.runs, candidate.runs, both))
    seen = weights[baseline.passed - max(0, both - candidate.runs)]
    return sum(weight for weight in weights if weight <= seen) / sum(weights)


def _by_logarithms(baseline: Sample, candidate: Sample) -> float:
    both = baseline.passed + candidate.passed
    fewest, most = max(0, both - candidate.runs), min(baseline.runs, both)
    logarithms = [
        -lgamma(here + 1)
        - lgamma(baseline.runs - here + 1)
        - lgamma(both - here + 1)
        - lgamma(candidate.runs - both + here + 1)
        for here in range(fewest, most + 1)
    ]
    largest = max(logarithms)
    seen = logarithms[baseline.passed - fewest] + _ALIKE
    rare = sum(exp(one - largest) for one in logarithms if one <= seen)
    return rare / sum(exp(one - largest) for one in logarithms)


def table_weights(first_runs: int, second_runs: int, passed: int) -> Iterator[int]:
    """Yield in how many ways `passed` passes can fall on both labels, by those of the first.

    From the fewest that the first can have to the most.
    """
    fewest, most = max(0, passed - second_runs), min(first_runs, passed)
    weight = comb(first_runs, fewest) * comb(second_runs, passed - fewest)
    for here in range(fewest, most + 1):
        yield weight
        others_failed = second_runs - passed + here + 1
        weight = weight * (first_runs - here) * (passed - here) // ((here + 1) * others_failed)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return `p_values` corrected for their number, in their order, none smaller than it was.

    What stays at or below 0.05 can be believed together: in at most 5 % of comparisons in which
    nothing differs does any of them come that far.
    """
    number = len(p_values)
    corrected = [0.0] * number
    least = 0.0
    for rank, place in enumerate(sorted(range(number), key=p_values.__getitem__)):
        least = max(least, min(1.0, (number - rank) * p_values[place]))
        corrected[place] = least
    return corrected
