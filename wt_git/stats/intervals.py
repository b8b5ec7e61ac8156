"""Samples of runs: 95 % intervals for pass rates and their differences, and pass^k."""

from __future__ import annotations

from fractions import Fraction
from math import comb, sqrt
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Sample(NamedTuple):
    """`runs` valid runs of one scenario under one label, at least one, of which `passed` passed."""

    passed: int
    runs: int

    @property
    def rate(self) -> float:
        """The share that passed."""
        return self.passed / self.runs

    @property
    def exact_rate(self) -> Fraction:
        """The share that passed, without rounding."""
        return Fraction(self.passed, self.runs)


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

    It combines the Wilson intervals of the two, which are independent of each other.
    """
    a, b = baseline.rate, candidate.rate
    of_a, of_b = wilson(baseline), wilson(candidate)
    return Interval(
        max(b - a - sqrt((b - of_b.low) ** 2 + (of_a.high - a) ** 2), -1.0),
        min(b - a + sqrt((of_b.high - b) ** 2 + (a - of_a.low) ** 2), 1.0),
    )


def mean_interval(differences: Sequence[float]) -> Interval:
    """Return the interval for the mean difference, each scenario being one observation.

    Agresti and Min's: Wald's interval over the differences and two more, spread evenly over -1, 0 and
    1, so that a few scenarios that agree do not look certain.
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


MOST_SHOWN = 3


def shown_k(runs: int) -> int:
    """Return the k that is shown for `runs` runs: 3, or the number of runs where there are fewer.

    One k for all makes scenarios comparable, and a k below the number of runs gives more values than
    0 and 1.
    """
    return min(runs, MOST_SHOWN)


def pass_hat_k(sample: Sample, k: int) -> float:
    """Return the unbiased estimate of the probability that `k` runs all pass.

    It is the share of all choices of `k` runs that hold only passed ones; there are at least `k` runs.
    A power of the pass rate would be too high on average.
    """
    return comb(sample.passed, k) / comb(sample.runs, k)
