"""The test over scenarios: every way to set the signs is counted."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import permutation_test

from wt_git.stats.comparison import sign_flip

rates = st.builds(
    lambda runs, passed: Fraction(min(passed, runs), runs), st.integers(1, 7), st.integers(0, 7)
)
differences = st.lists(st.builds(lambda a, b: b - a, rates, rates), min_size=1, max_size=9)


@given(differences)
def test_it_is_the_share_of_signs_that_are_as_extreme(values):
    """Counted one by one, in fractions."""
    seen = abs(sum(values))
    ways = [abs(sum(map(Fraction.__mul__, values, map(Fraction, signs)))) >= seen
            for signs in product((1, -1), repeat=len(values))]  # fmt: skip
    assert sign_flip(values) == sum(ways) / len(ways)


@given(differences)
def test_the_direction_makes_no_difference(values):
    """Nor the order, nor scenarios in which nothing changed."""
    p_value = sign_flip(values)
    assert 0 < p_value <= 1
    assert sign_flip([-one for one in values]) == p_value
    assert sign_flip(values[::-1]) == p_value
    assert sign_flip([*values, Fraction(0)]) == p_value


@pytest.mark.parametrize("values", [[1, 2, 3, 4, 5, -1], [3, 3, -2, 1, 4, 5, 6, -1]])
def test_it_is_scipys(values):
    """Its permutation test over samples, which tries all signs of so few."""
    theirs = permutation_test(
        (np.array(values),), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip([Fraction(one, 6) for one in values]) == pytest.approx(theirs.pvalue)


def test_it_takes_six_scenarios_that_agree():
    """Repeats do not help: five of them are 2 of 32 ways, however many runs each has."""
    assert sign_flip([Fraction(-1)] * 5) == 2 / 32
    assert sign_flip([Fraction(-1, 1000)] * 6) == 2 / 64
    assert sign_flip([]) == 1


@given(st.lists(st.integers(-10, 10), min_size=30, max_size=60))
def test_many_scenarios_with_odd_numbers_of_runs_are_counted_coarsely(tenths):
    """Then it says no less than the exact one, and nearly the same."""
    exact = sign_flip([Fraction(one, 10) for one in tenths])
    # The same differences, but for a part in a million of the first: too fine to be counted.
    coarse = sign_flip([Fraction(tenths[0], 10) + Fraction(1, 1_000_003),
                        *(Fraction(one, 10) for one in tenths[1:])])  # fmt: skip
    assert exact - 1e-3 <= coarse <= exact + 0.2


def test_rounding_never_makes_it_surer():
    """Against all signs, of differences that are too fine."""
    values = [Fraction(1, 1_000_003 + 2 * one) * (400_000 + 7919 * one) for one in range(9)]
    seen = abs(sum(values) - 2 * values[0])
    values[0] = -values[0]
    ways = [abs(sum(map(Fraction.__mul__, values, map(Fraction, signs)))) >= seen
            for signs in product((1, -1), repeat=len(values))]  # fmt: skip
    assert sum(ways) / len(ways) <= sign_flip(values) <= sum(ways) / len(ways) + 0.02


@pytest.mark.parametrize("better", [0, 1, 20, 35, 45, 60])
def test_beyond_hundreds_of_scenarios_the_sum_is_taken_to_be_normal(better):
    """Counting thousands would take minutes; it says the same as counting them."""
    values = [Fraction(sign) for sign in (1, -1)] * 500 + [Fraction(1)] * better
    counted = sign_flip(values)
    # The same differences, but too fine to be counted.
    fine = [one * Fraction(1_000_003 + 2 * place, 1_000_002 + 2 * place)
            for place, one in enumerate(values)]  # fmt: skip
    assert sign_flip(fine) == pytest.approx(counted, abs=0.03, rel=0.1)


def test_thousands_of_scenarios_that_agree_are_no_trouble():
    """Nor is a difference of none."""
    rates = [Fraction(1 + place % 7, 8 + place % 30) for place in range(4000)]
    assert sign_flip(rates) < 1e-100
    assert sign_flip([*rates, *(-one for one in rates)]) == 1
