"""What is said about two labels."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wt_git.stats.comparison import Finding, by_scenario, over_all
from wt_git.stats.intervals import Sample

samples = st.integers(1, 8).flatmap(
    lambda runs: st.builds(Sample, st.integers(0, runs), st.just(runs))
)
pairs = st.lists(st.tuples(samples, samples), min_size=1, max_size=8)
OPPOSITE = {Finding.BETTER: Finding.WORSE, Finding.WORSE: Finding.BETTER}


def found(*pair: tuple[int, int], times: int = 1) -> list[Finding]:
    baseline, candidate = (Sample(*one) for one in pair)
    return [one.finding for one in by_scenario([(baseline, candidate)] * times)]


def test_a_difference_is_believed_when_it_is_unlikely_enough():
    """A correction for the number of scenarios comes before that."""
    assert found((5, 5), (0, 5)) == [Finding.WORSE]
    assert found((0, 5), (5, 5)) == [Finding.BETTER]
    assert found((5, 5), (0, 5), times=7) == [Finding.UNCLEAR] * 7
    assert found((5, 5), (2, 5)) == [Finding.UNCLEAR]


def test_the_same_rate_in_few_runs_is_no_sign_that_nothing_changed():
    """It takes runs enough to exclude what would matter."""
    assert found((5, 5), (5, 5)) == [Finding.UNCLEAR]
    assert found((60, 60), (60, 60)) == [Finding.ALIKE]
    assert found((50, 100), (50, 100)) == [Finding.ALIKE]


@given(pairs)
def test_the_labels_may_change_places(given_pairs):
    """Better becomes worse; everything else stays, and so does what would be needed."""
    there = by_scenario(given_pairs)
    back = by_scenario([(candidate, baseline) for baseline, candidate in given_pairs])
    for one, other in zip(there, back, strict=True):
        assert other.finding is OPPOSITE.get(one.finding, one.finding)
        assert (other.p_value, other.needed) == (one.p_value, one.needed)
    one, other = over_all(given_pairs), over_all([(b, a) for a, b in given_pairs])
    assert other.finding is OPPOSITE.get(one.finding, one.finding)
    assert other.p_value == one.p_value


@given(pairs)
def test_what_is_unclear_says_how_much_would_be_needed(given_pairs):
    """More than there is, and only then."""
    for one in by_scenario(given_pairs):
        assert (one.needed is None) == (one.finding is not Finding.UNCLEAR)
        assert one.needed is None or one.needed.number > min(one.baseline.runs, one.candidate.runs)
    every = over_all(given_pairs)
    assert (every.needed is None) == (every.finding is not Finding.UNCLEAR)
    assert every.needed is None or every.needed.number > len(given_pairs)


def test_runs_of_one_scenario_are_no_scenarios():
    """A hundred runs of one are one observation over all, six of three runs each are six."""
    assert over_all([(Sample(100, 100), Sample(0, 100))]).finding is Finding.UNCLEAR
    assert over_all([(Sample(3, 3), Sample(0, 3))] * 6).finding is Finding.WORSE


def test_a_scenario_counts_once_however_often_it_was_run():
    """The mean of the differences, not that of the runs."""
    many = over_all([(Sample(1000, 1000), Sample(0, 1000)), (Sample(0, 1), Sample(1, 1))])
    assert many.difference == 0
