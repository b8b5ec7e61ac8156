"""Whether one label is better over all scenarios: each scenario is one observation."""

from __future__ import annotations

from math import erfc, lcm, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

_FINEST = 250_000
"""So far are sums told apart; more would take seconds. With few run counts it is never reached."""
_MOST_BITS = 1 << 36
"""So much is added up, for about two seconds. Only more than 500 scenarios can need more."""


def sign_flip(differences: Sequence[Fraction]) -> float:
    """Return the two-sided p-value of "no label is better", from each scenario's difference.

    If the labels are alike, each difference might as well have had the other sign. The p-value is
    the share of all ways to set the signs whose sum is as far from 0 as the one that was seen. All
    ways are counted, so it has no chance in it. Where differences are too fine to count them, each
    is rounded, and what might be as far counts as being as far. Where there are too many to count
    them, their sum is taken to be normally distributed, which it then nearly is.
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

    The number of subsets for each sum stands in one big number, whose digits to the base 2**bits
    they are. The rest of a number by its base less 1 is the sum of its digits.
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
