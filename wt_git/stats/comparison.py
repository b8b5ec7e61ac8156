"""Whether two labels differ, and how many runs or scenarios would show a difference (docs/statistics.md)."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from math import ceil, comb, erfc, exp, lcm, lgamma, sqrt
from typing import TYPE_CHECKING, NamedTuple

from wt_git.stats.intervals import Z_95, Interval, mean_interval, newcombe, spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
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


LEVEL = 0.05
POWER = 0.8
SMALLEST = 0.2
"""Differences below 20 percentage points are not planned for while there are few runs."""

_Z_POWER = 0.8416212335729143
"""The standard normal distribution leaves 20 % beyond it."""
_COUNTED_RUNS = 100
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

    if is_enough(_COUNTED_RUNS):
        return _first_enough(is_enough, _COUNTED_RUNS)
    return max(_rounded_up(_by_formula(first, second, comparisons)), _COUNTED_RUNS + 1)


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
