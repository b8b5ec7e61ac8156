"""The rates of a cell: those of the ledger row where it states them, else counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.reports.report.cells import (
    LayerRates,
    gate_pass_rate,
    rates_of_row,
    rates_of_runs,
)

ANY_JSON = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.just([])
rates = st.floats(0, 1)


def test_a_row_of_an_older_writer_says_robustness():
    """The fourth layer was called so once."""
    said = {"outcome": 0.5, "trajectory": 1, "constraint": 1.0, "robustness": 0.25}
    assert rates_of_row({"layer_pass_rates": said}) == LayerRates(0.5, 1.0, 1.0, 0.25)
    both = {**said, "integrity": 0.75}
    assert rates_of_row({"layer_pass_rates": both}) == LayerRates(0.5, 1.0, 1.0, 0.75)


@pytest.mark.parametrize("bad", [None, True, "1", -0.1, 1.5, float("nan"), float("inf")])
def test_a_row_that_does_not_state_all_rates_states_none(bad):
    """Half of them from here and half from there would be of two different sets of runs."""
    said = {"outcome": 0.5, "trajectory": bad, "constraint": 1.0, "integrity": 1.0}
    assert rates_of_row({"layer_pass_rates": said}) is None
    assert gate_pass_rate({"pass_rate": bad}, passed=1, runs=4) == 0.25


def test_the_oldest_rows_know_only_the_outcomes_rate():
    """It stands for the gate's; a rate of the gate's own goes before it."""
    record = {"layer_pass_rates": {"outcome": 0.5}}
    assert gate_pass_rate(record, passed=1, runs=1) == 0.5
    assert gate_pass_rate({**record, "pass_rate": 0.75}, passed=1, runs=1) == 0.75
    assert gate_pass_rate({}, passed=1, runs=2) == 0.5


@given(rates, rates, rates, rates)
def test_the_rates_of_a_row_are_as_it_says(outcome, trajectory, constraint, integrity):
    """Every number from 0 to 1 is one."""
    said = LayerRates(outcome, trajectory, constraint, integrity)
    assert rates_of_row({"layer_pass_rates": said._asdict()}) == said


@given(st.dictionaries(st.sampled_from([*LayerRates._fields, "robustness"]), ANY_JSON) | ANY_JSON)
def test_whatever_a_row_holds_the_rates_are_shares(said):
    """Or there are none."""
    found = rates_of_row({"layer_pass_rates": said})
    assert found is None or all(0 <= rate <= 1 for rate in found)
    assert 0 <= gate_pass_rate({"layer_pass_rates": said}, passed=1, runs=3) <= 1


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1))
def test_counted_rates_are_means_over_the_runs(runs):
    """Of each layer on its own."""
    found = rates_of_runs(iter(runs))
    for place, rate in enumerate(found):
        assert rate == sum(run[place] for run in runs) / len(runs)
