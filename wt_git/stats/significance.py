"""Significance tests: Fisher's exact test, Holm's correction, and the sign-flip test."""

from __future__ import annotations

from math import comb, erfc, exp, lcm, lgamma, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from wt_git.stats.intervals import Sample

_COUNTED = 20_000
"""Up to so many runs, ways are counted in whole numbers, which grow with the runs."""
_FINEST = 250_000
"""The resolution of sums in the sign-flip test; more would take seconds, and is rarely needed."""
_MOST_BITS = 1 << 36
"""The work of the exact sign-flip test, about two seconds. Only over 500 scenarios can need more."""
_ALIKE = 1e-7
"""Logarithms that are this close mean the same number of ways."""


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

    All that stay at or below 0.05 hold together: if nothing differs, any of them gets there in at most
    5 % of comparisons.
    """
    number = len(p_values)
    corrected = [0.0] * number
    least = 0.0
    for rank, place in enumerate(sorted(range(number), key=p_values.__getitem__)):
        least = max(least, min(1.0, (number - rank) * p_values[place]))
        corrected[place] = least
    return corrected


def sign_flip(differences: Sequence[Fraction]) -> float:
    """Return the two-sided p-value of "no label is better", from each scenario's difference.

    If the labels are alike, each difference could have had the other sign. The p-value is the share of
    all sign patterns with a sum at least as far from 0 as the observed one. All are counted, so chance
    plays no part. Differences that are too fine to count are rounded, always towards a larger p-value.
    Of too many differences the sum is taken to be normally distributed, which it nearly is.
    """
    scale = lcm(*(one.denominator for one in differences))
    slack = 0
    whole = sum(abs(one) for one in differences) * scale
    if sum(map(bool, differences)) ** 2 * min(whole, _FINEST) > _MOST_BITS:
        return _by_normal(differences)
    if whole > _FINEST:
        scale, slack = _FINEST // len(differences), len(differences)
    scaled = [round(one * scale) for one in differences]
    seen = abs(sum(scaled)) - slack
    if seen <= 0:
        return 1.0
    sizes = [abs(one) for one in scaled if one]
    total = sum(sizes)
    # With a sum of s among the positive ones the whole is 2 s - total.
    return min(1.0, 2 * _ways_from((total + seen + 1) // 2, sizes) / (1 << len(sizes)))


def _ways_from(least: int, sizes: Sequence[int]) -> int:
    """Return how many subsets of `sizes` have a sum of at least `least`.

    The numbers of subsets for each sum are the digits of one big number to the base 2**bits. A number
    modulo its base less 1 is the sum of its digits.
    """
    bits = len(sizes) + 2
    ways = 1
    for size in sizes:
        ways += ways << (bits * size)
    return (ways >> (bits * least)) % ((1 << bits) - 1)


def _by_normal(differences: Sequence[Fraction]) -> float:
    """Return the p-value for a sum over random signs that is normally distributed."""
    variance = sum(float(one) ** 2 for one in differences)
    return erfc(float(abs(sum(differences))) / sqrt(2 * variance))
