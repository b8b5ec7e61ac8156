"""Fisher's test is SciPy's, and Holm's correction is the textbook's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from wt_git.stats.comparison import fisher, holm, table_weights
from wt_git.stats.intervals import Sample

samples = st.integers(1, 40).flatmap(
    lambda runs: st.builds(Sample, st.integers(0, runs), st.just(runs))
)
p_values = st.lists(st.floats(0, 1), max_size=12)


@given(samples, samples)
def test_the_test_of_two_rates_is_scipys(baseline, candidate):
    """Two-sided."""
    table = [[one.passed, one.runs - one.passed] for one in (baseline, candidate)]
    assert fisher(baseline, candidate) == pytest.approx(fisher_exact(table).pvalue, abs=1e-9)


@given(samples, samples)
def test_it_does_not_matter_which_label_is_which(baseline, candidate):
    """Nor whether passes or failures are counted; it is a probability, and never 0."""
    p_value = fisher(baseline, candidate)
    assert 0 < p_value <= 1
    assert fisher(candidate, baseline) == p_value
    turned = [Sample(one.runs - one.passed, one.runs) for one in (baseline, candidate)]
    assert fisher(*turned) == p_value


@given(st.integers(1, 15), st.integers(1, 15))
def test_all_tables_together_are_all_there_are(first, second):
    """Whatever their sums; so the probabilities of one sum add up to 1."""
    total = sum(sum(table_weights(first, second, both)) for both in range(first + second + 1))
    assert total == 2 ** (first + second)


def test_thousands_of_runs_are_no_trouble():
    """And equal rates never differ."""
    assert fisher(Sample(1500, 3000), Sample(1500, 3000)) == 1
    assert fisher(Sample(1500, 3000), Sample(1800, 3000)) < 1e-12


@pytest.mark.parametrize("more", [0, 1, 30, 100, 400])
def test_beyond_ten_thousand_runs_of_each_label_it_is_scipys_too(more):
    """There it is counted in floats: a million runs would take minutes, and gigabytes."""
    baseline, candidate = Sample(5000, 10_000), Sample(5000 + more, 10_003)
    table = [[one.passed, one.runs - one.passed] for one in (baseline, candidate)]
    assert fisher(baseline, candidate) == pytest.approx(fisher_exact(table).pvalue, rel=1e-8)


def test_a_million_runs_are_compared():
    """All that can be said is that rates which differ do, and equal ones do not."""
    half = Sample(500_000, 1_000_000)
    assert fisher(half, half) == 1
    assert fisher(half, Sample(504_000, 1_000_000)) < 1e-6


@given(p_values)
def test_a_corrected_p_value_is_not_smaller(values):
    """At most as much larger as there are of them; and the order stays."""
    corrected = holm(values)
    number = len(values)
    for raw, value in zip(values, corrected, strict=True):
        assert raw <= value <= min(1, raw * number)
    pairs = sorted(zip(values, corrected, strict=True))
    assert [value for _, value in pairs] == sorted(corrected)


@given(p_values, st.sampled_from([0.01, 0.05, 0.2]))
def test_the_correction_rejects_what_stepping_down_rejects(values, level):
    """From the smallest on, until one is above the level divided by how many are left."""
    rejected = 0
    for rank, value in enumerate(sorted(values)):
        if value * (len(values) - rank) > level:
            break
        rejected += 1
    assert sum(value <= level for value in holm(values)) == rejected


def test_the_correction_by_hand():
    """In the order in which they were given."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
