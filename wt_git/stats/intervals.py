"""95 % intervals for a pass rate, for the difference of two, and for a mean over scenarios."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.stats.samples import Sample

CONFIDENCE = 0.95
Z_95 = 1.959963984540054
"""The standard normal distribution leaves 2.5 % beyond it."""


class Interval(NamedTuple):
    """From `low` to `high`, both included."""

    low: float
    high: float


def wilson(sample: Sample) -> Interval:
    """Return Wilson's score interval for the pass rate behind `sample`, within 0 and 1.

    It holds for few runs too, and has a width where all of them passed; see docs/statistics.md.
    """
    passed, runs = sample
    centre = (passed + Z_95 * Z_95 / 2) / (runs + Z_95 * Z_95)
    half = Z_95 / (runs + Z_95 * Z_95) * sqrt(passed * (runs - passed) / runs + Z_95 * Z_95 / 4)
    return Interval(
        0.0 if passed == 0 else max(centre - half, 0.0),
        1.0 if passed == runs else min(centre + half, 1.0),
    )


def newcombe(baseline: Sample, candidate: Sample) -> Interval:
    """Return Newcombe's hybrid score interval for the candidate's pass rate less the baseline's.

    It is made of the Wilson intervals of the two, whose runs are independent of each other.
    """
    a, b = baseline.rate, candidate.rate
    of_a, of_b = wilson(baseline), wilson(candidate)
    return Interval(
        max(b - a - sqrt((b - of_b.low) ** 2 + (of_a.high - a) ** 2), -1.0),
        min(b - a + sqrt((of_b.high - b) ** 2 + (a - of_a.low) ** 2), 1.0),
    )


def mean_interval(differences: Sequence[float]) -> Interval:
    """Return the interval for the mean difference, each scenario being one observation.

    Agresti and Min's: Wald's over the differences and two more that are even between -1, 0 and 1,
    so that a few scenarios that agree do not make it look certain.
    """
    number = len(differences) + 2
    mean = sum(differences) / number
    half = Z_95 * spread(differences) / sqrt(number)
    return Interval(max(mean - half, -1.0), min(mean + half, 1.0))


def spread(differences: Sequence[float]) -> float:
    """Return the standard deviation of `differences` as `mean_interval` takes it, never 0."""
    number = len(differences) + 2
    mean = sum(differences) / number
    return sqrt((sum(one * one for one in differences) + 1) / number - mean * mean)
