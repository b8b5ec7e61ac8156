"""What a layer, a cost and a score are, before anything is written down."""

from __future__ import annotations

from collections import UserDict
from dataclasses import replace
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_score

from wt_git.api.score import (
    GATE_LAYER_ORDER,
    SCORE_LAYER_ORDER,
    FailureCost,
    LayerResult,
    Score,
    Verdict,
    validate_metrics,
)


class Grade(IntEnum):
    """An integer of another type, as libraries have them."""

    GOOD = 2


def test_metrics_are_copied_so_that_later_changes_do_not_reach_the_result():
    """A layer result keeps its own metrics."""
    measured = {"calls": 2}
    result = LayerResult(True, "fine", measured)
    measured["calls"] = 3
    assert result.metrics == {"calls": 2}


def test_metric_values_become_plain_ones(subtests):
    """Booleans, text and numbers are kept, numbers of other types become int or float."""
    for value, kept in [
        (True, True),
        ("two", "two"),
        (3, 3),
        (2.5, 2.5),
        (Grade.GOOD, 2),
        (Fraction(1, 4), 0.25),
        (10**400, 10**400),
    ]:
        with subtests.test(value=value, kept=kept):
            (result,) = validate_metrics(UserDict({"m": value})).values()
            assert (result, type(result)) == (kept, type(kept))


def test_metrics_that_are_no_mapping_are_refused(subtests):
    """None is no mapping either."""
    for metrics in [None, [("a", 1)], "a", 3]:
        with subtests.test(metrics=metrics), pytest.raises(TypeError, match="mapping"):
            LayerResult(True, "", metrics)


def test_metric_names_must_say_something(subtests):
    """A blank name, or one that is no text, is refused."""
    for name in ["", "  ", "\n", 3, None, ("a",)]:
        with subtests.test(name=name), pytest.raises(ValueError, match="metric names"):
            validate_metrics({name: 1})


def test_metric_numbers_must_be_finite(subtests):
    """NaN, infinities, and what becomes one as a float are refused."""
    for value in [
        float("nan"),
        float("inf"),
        -float("inf"),
        Fraction(10**400),
        Fraction(-(10**400)),
    ]:
        with subtests.test(value=value), pytest.raises(ValueError, match=r"'m'.*finite"):
            validate_metrics({"m": value})


def test_metric_values_of_another_kind_are_refused(subtests):
    """The message names the metric and the kinds that are possible."""
    for value in [None, [1], {"a": 1}, 1j, Decimal(1), object(), b"x"]:
        with (
            subtests.test(value=value),
            pytest.raises(TypeError, match=r"'m' must be bool, int, float, or str"),
        ):
            validate_metrics({"m": value})


def test_risk_weight_adds_up(subtests):
    """The weight is the severity's, and more for each aggravating circumstance."""
    for cost, weight in [
        (FailureCost(), 1),
        (FailureCost("medium"), 4),
        (FailureCost("high", customer_visible=True), 18),
        (FailureCost("low", reversible=False), 5),
        (FailureCost("low", side_effect_performed=True), 9),
        (FailureCost("critical", True, False, True), 78),
    ]:
        with subtests.test(cost=cost, weight=weight):
            assert cost.risk_weight == weight


def test_unknown_severities_are_refused(subtests):
    """The message lists the ones there are."""
    for severity in ["severe", "", "LOW", None, 1, ["low"]]:
        with (
            subtests.test(severity=severity),
            pytest.raises(ValueError, match="severity must be one of low, medium, high, critical"),
        ):
            FailureCost(severity)


@pytest.mark.parametrize("flag", ["customer_visible", "reversible", "side_effect_performed"])
@pytest.mark.parametrize("value", [0, 1, "yes", None])
def test_flags_must_be_real_booleans(flag, value):
    """A truthy number is not taken for a yes."""
    with pytest.raises(ValueError, match=f"{flag} must be a boolean"):
        FailureCost(**{flag: value})


def test_the_fourth_layer_has_two_names():
    """Integrity may be given, and read, under its old name."""
    layer = LayerResult(True, "held")
    old = Score(layer, layer, layer, robustness=layer)
    new = Score(layer, layer, layer, layer)
    assert old == new
    assert old.robustness is old.integrity is layer
    assert new.failure_cost == FailureCost()


def test_the_fourth_layer_is_given_exactly_once():
    """Neither name, or both, is a mistake of the caller."""
    layer = LayerResult(True, "held")
    with pytest.raises(TypeError, match="only one"):
        Score(layer, layer, layer, layer, robustness=layer)
    with pytest.raises(TypeError, match="integrity"):
        Score(layer, layer, layer)


def test_a_score_may_be_taken_over_with_changes():
    """The constructor is the score's own, and copying still goes through it."""
    score = a_score(cost=FailureCost("high"))
    changed = replace(score, outcome=LayerResult(False, "no"))
    assert not changed.gate_passed(["outcome"])
    assert (changed.integrity, changed.failure_cost) == (score.integrity, score.failure_cost)


def test_layers_are_found_by_name():
    """Only the three that can gate have a name here."""
    score = a_score()
    assert [score.layer(name).detail for name in GATE_LAYER_ORDER] == list(GATE_LAYER_ORDER)
    for name in ("integrity", "robustness", "", "metrics"):
        with pytest.raises(ValueError, match="outcome, trajectory, constraint"):
            score.layer(name)


@given(
    flags=st.fixed_dictionaries({name: st.booleans() for name in SCORE_LAYER_ORDER}),
    gates=st.sets(st.sampled_from(GATE_LAYER_ORDER)),
)
def test_the_gate_is_integrity_and_every_named_layer(flags, gates):
    """A layer that is not named does not count; integrity always does."""
    expected = flags["integrity"] and all(flags[name] for name in gates)
    assert a_score(**flags).gate_passed(sorted(gates)) is expected


def test_a_gate_on_an_unknown_layer_is_refused_whatever_failed_before():
    """A typing error in a gate must not hide behind a failed layer."""
    with pytest.raises(ValueError, match="trajektory"):
        a_score(outcome=False, integrity=False).gate_passed(["outcome", "trajektory"])


def test_metrics_of_all_layers_stand_in_one_map():
    """Each under its layer's name, in the order of the layers."""
    score = Score(
        LayerResult(True, "", {"correct": True}),
        LayerResult(True, "", {"calls": 2, "retries": 1}),
        LayerResult(True, ""),
        LayerResult(True, "", {"markers": 1}),
    )
    assert list(score.metrics.items()) == [
        ("outcome.correct", True),
        ("trajectory.calls", 2),
        ("trajectory.retries", 1),
        ("integrity.markers", 1),
    ]


def test_verdicts_are_their_own_names():
    """A verdict reads the same in code and on disk."""
    assert [verdict.name for verdict in Verdict] == ["PASS", "FAIL", "SKIP", "INVALID"]
    assert all(verdict.value == verdict.name for verdict in Verdict)
