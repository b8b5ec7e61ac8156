"""pass^k: all of k runs pass."""

from __future__ import annotations

from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.stats.intervals import Sample, pass_hat_k, shown_k

cases = st.integers(1, 9).flatmap(
    lambda runs: st.tuples(st.integers(0, runs), st.just(runs), st.integers(1, runs))
)


@given(cases)
def test_it_is_the_share_of_choices_that_hold_only_passes(case):
    """Counted one by one."""
    passed, runs, k = case
    chosen = list(combinations([True] * passed + [False] * (runs - passed), k))
    assert pass_hat_k(Sample(passed, runs), k) == pytest.approx(sum(map(all, chosen)) / len(chosen))


@given(st.integers(1, 12), st.floats(0, 1), st.data())
def test_it_is_right_on_average(runs, rate, data):
    """Over all outcomes of so many runs, it is the rate to the power of k."""
    k = data.draw(st.integers(1, runs))
    expected = sum(
        comb(runs, passed)
        * rate**passed
        * (1 - rate) ** (runs - passed)
        * pass_hat_k(Sample(passed, runs), k)
        for passed in range(runs + 1)
    )
    assert expected == pytest.approx(rate**k, abs=1e-9)


@given(cases)
def test_once_it_is_the_pass_rate_and_each_time_more_it_is_less(case):
    """It never grows with k."""
    passed, runs, k = case
    sample = Sample(passed, runs)
    assert pass_hat_k(sample, 1) == sample.rate
    assert k == 1 or pass_hat_k(sample, k) <= pass_hat_k(sample, k - 1)


def test_three_in_a_row_are_shown_where_there_are_three():
    """4 of 5 runs passed: 4 of the 10 ways to choose three hold no other."""
    assert [shown_k(runs) for runs in (1, 2, 3, 5, 100)] == [1, 2, 3, 3, 3]
    assert pass_hat_k(Sample(4, 5), 3) == 0.4
