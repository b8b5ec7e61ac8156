"""How many runs would be enough, against counting outcomes one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from wt_git.stats.comparison import fisher, power, runs_needed, scenarios_needed
from wt_git.stats.intervals import Sample

rates = st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 0.8, 1.0])
few_runs = st.integers(1, 6).flatmap(
    lambda runs: st.builds(Sample, st.integers(0, runs), st.just(runs))
)


def counted(runs: int, first: float, second: float, comparisons: int) -> float:
    """The power, from all outcomes of so many runs of each label and their own tests."""
    return sum(
        binom.pmf(one, runs, first) * binom.pmf(other, runs, second)
        for one in range(runs + 1)
        for other in range(runs + 1)
        if fisher(Sample(one, runs), Sample(other, runs)) * comparisons <= 0.05
    )


@given(st.integers(1, 18), rates, rates, st.integers(1, 5))
def test_the_power_is_that_of_the_test_itself(runs, first, second, comparisons):
    """With the correction that the smallest p-value gets."""
    assert power(runs, first, second, comparisons) == pytest.approx(
        counted(runs, first, second, comparisons), abs=1e-9
    )


@given(few_runs, few_runs, st.integers(1, 4))
def test_so_many_are_enough_and_one_less_is_not(baseline, candidate, comparisons):
    """80 % power, for what was seen, or for 20 points where less was seen."""
    needed, difference = runs_needed(baseline, candidate, comparisons)
    fewest = min(baseline.runs, candidate.runs)
    assert needed > fewest
    assert difference == max(abs(baseline.rate - candidate.rate), 0.2)
    if abs(baseline.rate - candidate.rate) >= 0.2 and needed <= 100:
        of = (baseline.rate, candidate.rate, comparisons)
        assert power(needed, *of) >= 0.8
        assert needed == fewest + 1 or power(needed - 1, *of) < 0.8


@pytest.mark.parametrize(
    ("baseline", "candidate", "comparisons", "needed"),
    [
        ((5, 5), (0, 5), 10, 6),  # nothing smaller can be at or below 0.05 / 10
        ((3, 3), (1, 3), 1, 9),
        ((3, 3), (3, 3), 1, 39),  # as for 100 % and 80 %
        ((3, 3), (50, 50), 1, 39),
        ((1, 2), (1, 2), 1, 110),  # 40 % and 60 %, beyond what is counted
    ],
)
def test_by_example(baseline, candidate, comparisons, needed):
    """Where nothing differs, 20 percentage points are what is looked for."""
    assert runs_needed(Sample(*baseline), Sample(*candidate), comparisons).number == needed


@pytest.mark.parametrize(("first", "second"), [(6, 10), (8, 10), (3, 7)])
def test_more_comparisons_need_more_runs(first, second):
    """Since each of them has to be surer."""
    both = Sample(first, 20), Sample(second, 20)
    needed = [runs_needed(*both, many).number for many in (1, 3, 10, 50)]
    assert needed == sorted(set(needed))


def test_the_formula_goes_on_where_counting_ends():
    """A smaller difference never needs fewer, on either side of the border."""
    needed = [
        runs_needed(Sample(50, 100), Sample(50 + more, 100), 3).number for more in range(40, 20, -1)
    ]
    assert needed == sorted(needed)
    assert needed[0] == 101


def test_with_many_runs_the_small_difference_itself_is_planned_for():
    """20 points would have been seen long ago."""
    number, difference = runs_needed(Sample(850, 1000), Sample(865, 1000), 1)
    assert (number > 5000, round(difference, 3)) == (True, 0.015)


def test_scenarios_are_planned_for_as_well():
    """At least six; more, the more they differ among each other."""
    assert scenarios_needed([-0.6, -0.7], 0.05) == (6, pytest.approx(0.65))
    assert scenarios_needed([-0.5] * 7, 0.1) == (8, 0.5)
    assert scenarios_needed([0.0, 0.0], 0.5) == (50, 0.2)
    number, difference = scenarios_needed([0.01] * 60, 0.5)
    assert (number > 10_000, round(difference, 3)) == (True, 0.01)
    spread, even = scenarios_needed([0.2, -0.2, 0.5], 0.9), scenarios_needed([0.2, -0.2, 0.5], 0.3)
    assert spread.number > even.number
