"""Intervals: SciPy's where it has them, published ones where it has not, and what must always hold."""

from __future__ import annotations

from itertools import combinations_with_replacement
from math import comb, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from wt_git.stats.intervals import Sample, mean_interval, newcombe, spread, wilson

samples = st.integers(1, 60).flatmap(
    lambda runs: st.builds(Sample, st.integers(0, runs), st.just(runs))
)
differences = st.lists(st.floats(-1, 1), min_size=1, max_size=40)


def failed_instead(sample: Sample) -> Sample:
    return Sample(sample.runs - sample.passed, sample.runs)


@given(samples)
def test_the_interval_of_a_rate_is_scipys(sample):
    """Wilson's, to the last digits."""
    theirs = binomtest(*sample).proportion_ci(0.95, method="wilson")
    assert wilson(sample) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@given(samples)
def test_the_interval_of_a_rate_holds_it_and_has_a_width(sample):
    """Within 0 and 1, also where all runs passed, and mirrored where passing and failing change places."""
    low, high = wilson(sample)
    assert 0 <= low <= sample.rate <= high <= 1
    assert high - low > 0.01
    assert wilson(failed_instead(sample)) == pytest.approx((1 - high, 1 - low), abs=1e-12)


@given(samples, st.integers(2, 20))
def test_more_runs_of_the_same_rate_say_more(sample, times):
    """The interval becomes narrower."""
    narrow = wilson(Sample(sample.passed * times, sample.runs * times))
    wide = wilson(sample)
    assert narrow.high - narrow.low < wide.high - wide.low


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n - 1), st.just(n))))
def test_one_pass_more_moves_the_interval_up(sample):
    """Both ends of it."""
    passed, runs = sample
    fewer, more = wilson(Sample(passed, runs)), wilson(Sample(passed + 1, runs))
    assert fewer.low < more.low
    assert fewer.high < more.high


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((6, 7), (2, 7), 0.0582, 0.8062),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 10), (0, 20), -0.1611, 0.2775),
        ((0, 10), (0, 10), -0.2775, 0.2775),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_the_interval_of_a_difference_is_the_published_one(first, second, low, high):
    """Newcombe, Statistics in Medicine 17 (1998) 873-890, table II, method 10."""
    assert newcombe(Sample(*second), Sample(*first)) == pytest.approx((low, high), abs=5e-5)


@given(samples, samples)
def test_the_interval_of_a_difference_holds_it(baseline, candidate):
    """Within -1 and 1; the other way round it is mirrored."""
    low, high = newcombe(baseline, candidate)
    assert -1 <= low <= candidate.rate - baseline.rate <= high <= 1
    assert newcombe(candidate, baseline) == pytest.approx((-high, -low), abs=1e-12)


@given(differences)
def test_the_interval_of_a_mean_has_a_width(values):
    """Within -1 and 1, around the mean, mirrored with the signs, and never certain."""
    low, high = mean_interval(values)
    assert -1 <= low < high <= 1
    assert low - 1e-12 <= sum(values) / len(values) <= high + 1e-12
    assert mean_interval([-one for one in values]) == pytest.approx((-high, -low), abs=1e-12)
    assert spread(values) > 0


@pytest.mark.parametrize(
    ("weights", "scenarios"),
    [((0.1, 0.8, 0.1), 5), ((0.3, 0.5, 0.2), 8), ((0.0, 0.9, 0.1), 10), ((0.0, 0.4, 0.6), 12)],
)
def test_the_interval_of_a_mean_holds_the_true_one_often_enough(weights, scenarios):
    """Every outcome counted, with differences of -1, 0 and 1 that are as likely as `weights`."""
    true = weights[2] - weights[0]
    covered = 0.0
    for drawn in combinations_with_replacement((-1, 0, 1), scenarios):
        counts = [drawn.count(value) for value in (-1, 0, 1)]
        ways = factorial(scenarios)
        likely = 1.0
        for count, weight in zip(counts, weights, strict=True):
            ways //= factorial(count)
            likely *= weight**count
        low, high = mean_interval(drawn)
        covered += ways * likely * (low <= true <= high)
    assert 0.93 < covered <= 1 + 1e-9


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("runs", [3, 5, 10, 40])
def test_the_interval_of_a_rate_is_nearly_as_often_right_as_it_says(rate, runs):
    """Every outcome counted. Averaged over rates it is right in 95 %; at the worst it stays near."""
    covered = 0.0
    for passed in range(runs + 1):
        low, high = wilson(Sample(passed, runs))
        likely = comb(runs, passed) * rate**passed * (1 - rate) ** (runs - passed)
        covered += likely * (low <= rate <= high)
    assert covered > 0.85
