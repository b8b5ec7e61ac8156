"""The rules of a comparison: what is the same scenario, what is worse, and in which order."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.totals import totals

from wt_git.reports.comparison.compare import compare, verdict_rank

VERDICTS = ["PASS", "PASS_WITH_VARIANCE", "FAIL", "INVALID", "ODD"]
BEST_FIRST = {"PASS": 0, "PASS_WITH_VARIANCE": 1, "FAIL": 2, "INVALID": 3, "ODD": 3}

cells = st.lists(
    st.builds(
        totals,
        st.sampled_from(["a", "b", "c"]),
        st.text("PFI", min_size=1, max_size=4),
        scenario=st.sampled_from(["one", "two", "three"]),
        verdict=st.sampled_from(VERDICTS),
        failure_risk=st.floats(0, 10),
    ),
    max_size=9,
    unique_by=lambda one: (one.scenario_id, one.label),
)


@given(cells)
def test_a_change_is_another_verdict_where_both_have_runs(found):
    """Each is there once, with the verdicts and risks of both, and a worse one is a regression."""
    by_place = {(one.scenario_id, one.label): one for one in found}
    expected = {
        (label, scenario)
        for scenario, label in by_place
        if label != "a"
        and (scenario, "a") in by_place
        and by_place[scenario, "a"].verdict != by_place[scenario, label].verdict
    }
    document = compare(found, ["a", "b", "c"])
    assert len(document.changes) == len(expected)
    assert {(one.label, one.scenario_id) for one in document.changes} == expected
    for one in document.changes:
        before, after = by_place[one.scenario_id, "a"], by_place[one.scenario_id, one.label]
        assert (one.verdict_a, one.verdict_b) == (before.verdict, after.verdict)
        assert (one.risk_a, one.risk_b) == (before.failure_risk, after.failure_risk)
        assert one.risk_delta == after.failure_risk - before.failure_risk
        worse = BEST_FIRST[after.verdict] > BEST_FIRST[before.verdict]
        assert one.direction == ("regression" if worse else "improvement")
    assert document.regression == any(one.direction == "regression" for one in document.changes)


@given(cells)
def test_the_gravest_change_stands_first(found):
    """Regressions, then what adds most to the risk, then by name, over all labels together."""
    document = compare(found, ["a", "b", "c"])
    places = [
        (one.direction == "improvement", -one.risk_delta, one.scenario_id)
        for one in document.changes
    ]
    assert places == sorted(places)


@given(cells)
def test_every_scenario_is_listed_once_with_all_labels(found):
    """Also those that only one label has; null where there are no runs."""
    document = compare(found, ["a", "b", "c"])
    names = [one.scenario_id for one in document.scenarios]
    assert names == sorted({one.scenario_id for one in found})
    for one in document.scenarios:
        assert list(one.verdicts) == ["a", "b", "c"]
        there = {of.label: of.verdict for of in found if of.scenario_id == one.scenario_id}
        assert one.verdicts == {**dict.fromkeys("abc"), **there}


@given(cells)
def test_rates_are_compared_where_both_have_valid_runs(found):
    """Over all, each such scenario counts once."""
    document = compare(found, ["a", "b", "c"])
    for label in ("b", "c"):
        of_label = [one for one in document.pass_rates if one.label == label]
        valid = [one for one in of_label if one.baseline.runs and one.candidate.runs]
        assert [one for one in of_label if one.difference is not None] == valid
        assert all((one.finding == "no_valid_runs") == (one not in valid) for one in of_label)
        overall = document.overall[label]
        assert (overall is None) == (not valid)
        assert overall is None or overall.scenarios == len(valid)


def test_a_verdict_ranks_below_a_better_one():
    """What is unknown is no evidence of anything."""
    assert [verdict_rank(one) for one in VERDICTS] == [3, 2, 1, 0, 0]
    assert verdict_rank("FAIL_WITH_VARIANCE") == 2
    assert verdict_rank("PARTIAL") == 2


def test_invalid_runs_are_left_out_of_the_rates():
    """They are counted beside them."""
    found = [totals("a", "PPI"), totals("b", "FFFI"), totals("c", "II")]
    first, second = compare(found, ["a", "b", "c"]).pass_rates
    assert (first.baseline.passed, first.baseline.runs, first.baseline.invalid) == (2, 2, 1)
    assert (first.candidate.pass_rate, first.candidate.runs) == (0.0, 3)
    assert first.difference == -1
    assert (second.candidate.pass_rate, second.candidate.interval) == (None, None)
    assert (second.finding, second.p_value, second.interval) == ("no_valid_runs", None, None)


def test_the_correction_is_for_the_scenarios_of_one_label():
    """A scenario without valid runs is no comparison, and another label is another question."""
    names = ["s1", "s2", "s3"]
    found = [totals("a", "P" * 5, scenario=name) for name in names]
    found += [totals("b", "F" * 5, scenario=name) for name in names[:2]]
    found += [totals("b", "I", scenario="s3"), totals("c", "F" * 5, scenario="s1")]
    adjusted = [one.p_adjusted for one in compare(found, ["a", "b", "c"]).pass_rates]
    raw = 2 / 252
    assert adjusted == [pytest.approx(2 * raw), pytest.approx(2 * raw), None, pytest.approx(raw)]


def in_pack(label: str, pack: str | None, runs: str = "P"):
    return totals(label, runs, pack=pack)


def test_packs_that_own_one_name_are_compared_pack_by_pack():
    """What failed in one is no regression of the other."""
    found = [in_pack("a", "p"), in_pack("a", "q", "F"), in_pack("b", "q", "F"), in_pack("b", "p")]
    document = compare(found, ["a", "b"])
    assert [(one.scenario_id, one.pack) for one in document.scenarios] == [("s", "p"), ("s", "q")]
    assert [list(one.verdicts.values()) for one in document.scenarios] == [
        ["PASS", "PASS"],
        ["FAIL", "FAIL"],
    ]
    assert (document.changes, document.regression) == ([], False)
    other = compare([in_pack("a", "p"), in_pack("b", "q", "F")], ["a", "b"])
    assert [list(one.verdicts.values()) for one in other.scenarios] == [
        ["PASS", None],
        [None, "FAIL"],
    ]
    assert not other.regression


def test_runs_whose_pack_nobody_knows_are_of_the_only_one():
    """As of traces that were copied without their ledger; among several they stand alone."""
    (one,) = compare([in_pack("a", None), in_pack("b", "p", "F")], ["a", "b"]).changes
    assert (one.direction, one.pack) == ("regression", "p")
    found = [in_pack("a", "p"), in_pack("a", "q"), in_pack("b", None, "F")]
    document = compare(found, ["a", "b"])
    assert [one.pack for one in document.scenarios] == [None, "p", "q"]
    assert document.changes == []


def deltas(before, after):
    found = [totals("a", "P" * len(before), metrics=before)]
    found.append(totals("b", "P" * len(after), metrics=after))
    return [(one.metric, one.kind, one.delta) for one in compare(found, ["a", "b"]).metric_deltas]


@pytest.mark.parametrize(
    ("before", "after", "kind", "delta"),
    [
        ([5, 5], [4, 9], "number", 1.5),
        ([True, False], [True, True], "bool", 0.5),
        (["x", "y"], ["x", "z"], "string", {"x": 0, "y": -1, "z": 1}),
        (["x", 1], ["x", "x", 1], "mixed", {'"x"': 1, "1": 0}),
        ([1], ["x"], "mixed", None),
        ([True], [1], "mixed", None),
        ([10**400], [1.5], "number", None),
        ([10**400], [10**400 + 1], "number", 1),
        ([1.7e308], [-1.7e308], "number", None),
    ],
)
def test_a_delta_follows_from_the_kind(before, after, kind, delta):
    """Of means, of rates, of counts; null where the kinds differ or no number holds it."""
    found = deltas([{"m": one} for one in before], [{"m": one} for one in after])
    assert found == [("m", kind, delta)]


def test_a_metric_of_one_side_is_shown_without_a_delta():
    """By name, whichever side it is on."""
    assert deltas([{"b": 1}], [{"a": "x"}]) == [("a", "string", None), ("b", "number", None)]
    document = compare([totals("a", metrics=[{"b": 1}]), totals("b")], ["a", "b"])
    (one,) = document.metric_deltas
    assert (one.candidate, one.baseline.mean, one.baseline_label) == (None, 1, "a")


metric_values = st.lists(st.fixed_dictionaries({}, optional={
    "x": st.integers(-9, 9) | st.floats(-9, 9), "y": st.booleans(), "z": st.sampled_from("pqr"),
}), min_size=1, max_size=5)  # fmt: skip


@given(metric_values, metric_values)
def test_a_delta_the_other_way_round_is_its_negative(before, after):
    """Whatever was measured; and what did not change has no difference."""
    for (name, kind, there), (same, _, back) in zip(
        deltas(before, after), deltas(after, before), strict=True
    ):
        assert name == same
        if isinstance(there, dict):
            assert {value: -count for value, count in back.items()} == there
        elif there is not None:
            assert (kind in {"number", "bool"}, math.isclose(back, -there)) == (True, True)
    for _, _, none in deltas(before, before):
        assert not (any(none.values()) if isinstance(none, dict) else none)


def test_the_document_has_its_keys_in_their_order():
    """Those that are read by programs; more stand behind them."""
    found = [totals("a", metrics=[{"m": 1}]), totals("b", "F", metrics=[{"m": 2}])]
    document = compare(found, ["a", "b"]).as_document()
    assert list(document) == [
        *("windtunnel_compare", "baseline", "labels", "scenarios", "changes", "metric_deltas"),
        *("regression", "pass_rates", "overall"),
    ]
    assert document["windtunnel_compare"] == 1
    assert document["scenarios"] == [
        {
            "scenario_id": "s",
            "verdicts": {"a": "PASS", "b": "FAIL"},
            "pack": None,
            "tiers": {"a": None, "b": None},
            "rescored": [],
        }
    ]
    assert document["changes"] == [
        {
            "label": "b",
            "scenario_id": "s",
            "direction": "regression",
            "verdict_a": "PASS",
            "verdict_b": "FAIL",
            "risk_a": 0.0,
            "risk_b": 4.0,
            "risk_delta": 4.0,
            "pack": None,
        }
    ]
    (delta,) = document["metric_deltas"]
    assert delta == {
        "scenario_id": "s",
        "baseline_label": "a",
        "label": "b",
        "metric": "m",
        "kind": "number",
        "baseline": {"kind": "number", "count": 1, "mean": 1.0, "min": 1, "max": 1},
        "candidate": {"kind": "number", "count": 1, "mean": 2.0, "min": 2, "max": 2},
        "delta": 1.0,
        "pack": None,
    }
    assert list(document["overall"]) == ["b"]
