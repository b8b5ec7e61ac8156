"""How many runs, or scenarios, would probably show a difference that the recorded ones did not."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, comb, sqrt
from typing import TYPE_CHECKING, NamedTuple

from wt_git.stats.intervals import Z_95
from wt_git.stats.significance import table_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wt_git.stats.intervals import Sample

LEVEL = 0.05
POWER = 0.8
SMALLEST = 0.2
"""Differences below 20 percentage points are not planned for while there are few runs."""

_Z_POWER = 0.8416212335729143
"""The standard normal distribution leaves 20 % beyond it."""
_COUNTED = 100
"""Up to so many runs the power is computed exactly; beyond, a formula is accurate enough."""
_FEWEST_SCENARIOS = 6
"""Of fewer, not even all agreeing is unlikely enough: 2 of 2 ** 5 ways to set the signs."""


class Needed(NamedTuple):
    """About `number` would show a difference of this size."""

    number: int
    difference: float


def runs_needed(baseline: Sample, candidate: Sample, comparisons: int) -> Needed:
    """Return about how many runs of each label would show their difference.

    With so many, Fisher's test is at or below 0.05 after the correction for `comparisons`
    scenarios in 80 % of cases, if the pass rates are the observed ones. Rates that differ by less than
    `SMALLEST` are moved that far apart, until there are enough runs for that.
    """
    runs = min(baseline.runs, candidate.runs)
    first, second = baseline.rate, candidate.rate
    seen = abs(first - second)
    needed = Needed(_runs(*_apart(first, second), comparisons), max(seen, SMALLEST))
    if needed.number <= runs and seen:
        needed = Needed(_runs(first, second, comparisons), seen)
    return needed._replace(number=max(needed.number, runs + 1))


def scenarios_needed(differences: Sequence[float], spread: float) -> Needed:
    """Return about how many scenarios of the same kind would show the mean difference.

    `spread` is the standard deviation over scenarios. As for runs, a mean below `SMALLEST` counts
    as that until there are scenarios enough for it.
    """
    scenarios = len(differences)
    seen = abs(sum(differences)) / scenarios
    planned = max(seen, SMALLEST)
    needed = Needed(_scenarios(planned, spread), planned)
    if needed.number <= scenarios and seen:
        needed = Needed(_scenarios(seen, spread), seen)
    return needed._replace(number=max(needed.number, scenarios + 1))


def _scenarios(mean: float, spread: float) -> int:
    """Return the usual sample size for a mean, at least the minimum of a sign test."""
    return max(_rounded_up(((Z_95 + _Z_POWER) * spread / mean) ** 2), _FEWEST_SCENARIOS)


def _apart(first: float, second: float) -> tuple[float, float]:
    """Return the rates, at least `SMALLEST` apart around the same middle, within 0 and 1."""
    if abs(first - second) >= SMALLEST:
        return first, second
    low = min(max((first + second - SMALLEST) / 2, 0.0), 1.0 - SMALLEST)
    return low, low + SMALLEST


@lru_cache(maxsize=1024)
def _runs(first: float, second: float, comparisons: int) -> int:
    def is_enough(runs: int) -> bool:
        return power(runs, first, second, comparisons) >= POWER

    if is_enough(_COUNTED):
        return _first_enough(is_enough, _COUNTED)
    return max(_rounded_up(_by_formula(first, second, comparisons)), _COUNTED + 1)


def _first_enough(is_enough: Callable[[int], bool], enough: int) -> int:
    """Return a number that is enough while the one before it is not, at most `enough`."""
    too_few = 0
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        if is_enough(middle):
            enough = middle
        else:
            too_few = middle
    return enough


def power(runs: int, first: float, second: float, comparisons: int) -> float:
    """Return the probability that `runs` of each label show that their pass rates differ.

    Every outcome is counted, with its probability if the rates are `first` and `second`.
    """
    of_first, of_second = _binomial(runs, first), _binomial(runs, second)
    return sum(
        of_first[one] * of_second[both - one] + of_first[both - one] * of_second[one]
        for both, rejected in enumerate(_rejected(runs, comparisons))
        for one in rejected
    )


def _binomial(runs: int, rate: float) -> list[float]:
    return [comb(runs, one) * rate**one * (1 - rate) ** (runs - one) for one in range(runs + 1)]


@lru_cache(maxsize=256)
def _rejected(runs: int, comparisons: int) -> tuple[range, ...]:
    """Return, for each sum of passes, how few of one label's runs have to be among them.

    With equal numbers of runs the other label's outcomes are the same ones mirrored.
    """
    tail = round(1 / LEVEL) * comparisons * 2
    found = []
    for both in range(2 * runs + 1):
        fewest = max(0, both - runs)
        ways, beyond, count = comb(2 * runs, both), 0, 0
        for weight in table_weights(runs, runs, both):
            beyond += weight
            if beyond * tail > ways:
                break
            count += 1
        found.append(range(fewest, fewest + count))
    return tuple(found)


def _by_formula(first: float, second: float, comparisons: int) -> float:
    """Return the runs of each label by the formula of Casagrande, Pike and Smith (1978)."""
    from statistics import NormalDist  # noqa: PLC0415 - rarely needed, and slow to load

    z_level = NormalDist().inv_cdf(1 - LEVEL / comparisons / 2)
    middle, gap = (first + second) / 2, abs(first - second)
    alike = sqrt(2 * middle * (1 - middle))
    apart = sqrt(first * (1 - first) + second * (1 - second))
    uncorrected = ((z_level * alike + _Z_POWER * apart) / gap) ** 2
    return uncorrected / 4 * (1 + sqrt(1 + 4 / (uncorrected * gap))) ** 2


def _rounded_up(number: float) -> int:
    """Return a whole number, of more than two digits only the first two."""
    whole = ceil(number)
    step: int = 10 ** max(len(str(whole)) - 2, 0)
    return -(-whole // step) * step
