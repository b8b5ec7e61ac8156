"""Reading the experiments file: leniently, from its end, and no further than asked."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.experiment_lines import cost, finished, read, reviewed, sweep_id, usd, write_experiments

from wt_git.files import LineReport
from wt_git.records.experiments import (
    Ambiguous,
    FinishedSweep,
    FoundSweep,
    Review,
    find_sweep,
    newest_first,
)

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


def test_a_sweep_record_is_read_with_its_numbers_as_the_file_shows_them():
    """Sums of dollars must not begin with the error of a binary float."""
    found = read(finished(cost_usd=usd(), cost=cost(wall_s=0.1)))
    assert isinstance(found, FinishedSweep)
    assert Decimal(str(found.cost.wall_s)) == Decimal("0.1")
    assert found.cost_usd is not None
    assert Decimal(str(found.cost_usd.cache_read)) == Decimal("0.0004")
    cost_ = found.cost
    assert (cost_.input_tokens, cost_.cached_tokens, cost_.output_tokens) == (100, 40, 7)
    assert found.prediction_held is True


@pytest.mark.parametrize("version", [None, 0, 2, True, "1", 1.0])
def test_records_of_other_versions_are_none(version):
    """What a newer writer means by a key is not known here; true is no number."""
    assert read(finished(windtunnel_experiment=version)) is None
    assert read(reviewed(windtunnel_experiment=version)) is None


@pytest.mark.parametrize(
    "record",
    [
        finished(sweep_id=None),
        finished(sweep_id=""),
        finished(tier=None),
        finished(kind="note"),
        reviewed(changed="yes"),
        reviewed(changed=None),
        {},
    ],
)
def test_what_is_about_no_sweep_or_says_nothing_is_none(record):
    """There is nothing that it could be counted for."""
    assert read(record) is None


@pytest.mark.parametrize("value", [True, -1, 1.5, "7", None, float("nan"), 10**400, [7]])
def test_a_count_of_another_kind_is_unknown(value):
    """Unknown is never zero."""
    found = read(finished(cost=cost(tokens_in=value)))
    assert isinstance(found, FinishedSweep)
    assert found.cost.input_tokens is None


@pytest.mark.parametrize("value", [True, -0.5, "7", None, float("nan"), float("inf"), 10**400])
def test_an_amount_of_another_kind_is_unknown(value):
    """JSON readers accept NaN and Infinity, and nobody spends either."""
    found = read(finished(cost=cost(wall_s=value), cost_usd=usd(total=value)))
    assert isinstance(found, FinishedSweep)
    assert found.cost.wall_s is None
    assert found.cost_usd is not None
    assert found.cost_usd.total is None


@given(st.dictionaries(st.sampled_from([*finished(), "changed", "cost_usd"]), anything))
def test_no_record_breaks_the_reader(changes):
    """Whatever a file holds, one line of it must not hide the others."""
    for record in (finished(), reviewed()):
        found = read({**record, **changes})
        assert found is None or isinstance(found, FinishedSweep | Review)


def test_records_come_last_first_and_what_is_none_is_counted(tmp_path):
    """A torn line, a newer version and a blank line."""
    write_experiments(
        tmp_path,
        finished(1),
        '{"windtunnel_experiment": 1, "kind": "swe',
        reviewed(1),
        finished(2, windtunnel_experiment=2),
        "",
        finished(3),
    )
    report = LineReport()
    found = [type(one).__name__ for one in newest_first(tmp_path, report)]
    assert found == ["FinishedSweep", "Review", "FinishedSweep"]
    assert report.skipped == 2


def test_a_sweep_is_found_by_its_id_with_its_latest_review(tmp_path):
    """The last review in the file, whatever the times say."""
    late, early = "2026-01-02T09:00:00Z", "2026-01-02T05:00:00Z"
    write_experiments(
        tmp_path,
        finished(1),
        finished(2),
        reviewed(1, ts=late),
        reviewed(1, changed=False, ts=early),
        reviewed(2),
    )
    found = find_sweep(tmp_path, sweep_id(1))
    assert isinstance(found, FoundSweep)
    assert found.sweep.sweep_id == sweep_id(1)
    assert found.review == Review(sweep_id(1), early, changed=False)


def test_a_unique_beginning_of_four_characters_is_enough(tmp_path):
    """Three are not, however unique; ids are not looked for inside."""
    write_experiments(tmp_path, finished(sweep_id="abcd12345678"), finished(sweep_id="abce0000"))
    found = find_sweep(tmp_path, "abcd")
    assert isinstance(found, FoundSweep)
    assert found.sweep.sweep_id == "abcd12345678"
    assert find_sweep(tmp_path, "abc") is None
    assert find_sweep(tmp_path, "1234") is None
    assert find_sweep(tmp_path, "ABCD") is None


def test_a_beginning_that_several_ids_share_names_them(tmp_path):
    """The latest first, each once."""
    ids = ["abcd11111111", "abcd22222222", "abcd11111111"]
    write_experiments(tmp_path, *(finished(sweep_id=one) for one in ids))
    found = find_sweep(tmp_path, "abcd")
    assert isinstance(found, Ambiguous)
    assert [one.sweep_id for one in found.sweeps] == ["abcd11111111", "abcd22222222"]


def test_a_whole_id_is_no_beginning(tmp_path):
    """An id that another one begins with can still be named."""
    write_experiments(tmp_path, finished(sweep_id="abcd"), finished(sweep_id="abcd22222222"))
    found = find_sweep(tmp_path, "abcd")
    assert isinstance(found, FoundSweep)
    assert found.sweep.sweep_id == "abcd"


def test_a_review_makes_no_sweep(tmp_path):
    """A review of a sweep that is not recorded as finished is about nothing here."""
    write_experiments(tmp_path, reviewed(1))
    assert find_sweep(tmp_path, sweep_id(1)) is None
    assert find_sweep(tmp_path / "absent", sweep_id(1)) is None
