"""Many runs become one verdict."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from kit.traces import a_score, a_trace

from wt_git.api.aggregate import (
    AggregateResult,
    MetricSummary,
    ScenarioRunResult,
    aggregate_metrics,
    aggregate_runs,
)
from wt_git.api.score import GATE_LAYER_ORDER, SCORE_LAYER_ORDER, FailureCost


def runs(*scores) -> list[ScenarioRunResult]:
    """One run per score."""
    return [ScenarioRunResult(score, a_trace()) for score in scores]


def test_no_runs_say_nothing():
    """The answer is invalid, with zeros, and echoes the gates."""
    assert aggregate_runs([], gate_layers=["outcome"]) == AggregateResult(
        "INVALID", 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, ("outcome",), 0, 0.0, {}
    )


def test_all_runs_must_pass():
    """One failure fails the scenario, and the rates say how much of it failed."""
    result = aggregate_runs(runs(a_score(), a_score(), a_score(outcome=False), a_score()))
    assert (result.verdict, result.passed, result.total) == ("FAIL", 3, 4)
    assert (result.pass_rate, result.outcome_pass_rate) == (0.75, 0.75)
    assert result.trajectory_pass_rate == result.integrity_pass_rate == 1.0
    assert result.stddev == pytest.approx(statistics.pstdev([1, 1, 0, 1]))
    assert result.robustness_pass_rate == result.integrity_pass_rate
    assert aggregate_runs(runs(a_score(), a_score())).verdict == "PASS"


def test_variance_may_be_allowed():
    """Then no share of failures fails the scenario, not even all of them."""
    for scores in ([a_score(), a_score(outcome=False)], [a_score(outcome=False)]):
        assert aggregate_runs(runs(*scores), True).verdict == "PASS_WITH_VARIANCE"
    assert aggregate_runs(runs(a_score()), variance_allowed=True).verdict == "PASS"


@pytest.mark.parametrize("variance_allowed", [True, False])
def test_one_run_without_integrity_invalidates_all(variance_allowed):
    """The test condition did not happen, so there is no risk to report either."""
    broken = a_score(integrity=False, cost=FailureCost("critical"))
    result = aggregate_runs(runs(a_score(), broken), variance_allowed)
    assert (result.verdict, result.passed, result.failure_risk) == ("INVALID", 1, 0.0)
    assert (result.integrity_pass_rate, result.risk_weight) == (0.5, 64)


def test_a_layer_that_does_not_gate_is_still_counted():
    """Its rate shows in the result and does not decide it."""
    result = aggregate_runs(runs(a_score(trajectory=False)), gate_layers=("outcome",))
    assert (result.verdict, result.trajectory_pass_rate) == ("PASS", 0.0)
    assert result.gate_layers == ("outcome",)
    assert aggregate_runs(runs(a_score(trajectory=False))).verdict == "FAIL"


def test_the_risk_is_the_worst_cost_weighed_with_the_failures():
    """Half of the runs failing halves the weight."""
    cheap, dear = FailureCost(), FailureCost("high", customer_visible=True)
    result = aggregate_runs(runs(a_score(cost=dear), a_score(outcome=False, cost=cheap)))
    assert (result.risk_weight, result.failure_risk) == (18, 9.0)


@pytest.mark.parametrize("some", [[], [a_score()]])
def test_gates_are_checked_before_anything_else(some):
    """Even when there is nothing to judge."""
    with pytest.raises(ValueError, match=r"unknown gate layers \['integrity'\]"):
        aggregate_runs(runs(*some), gate_layers=["outcome", "integrity"])
    with pytest.raises(ValueError, match="duplicates"):
        aggregate_runs(runs(*some), gate_layers=["outcome", "outcome"])


def test_gates_may_come_from_an_iterator():
    """They are read once."""
    result = aggregate_runs(runs(a_score(), a_score()), gate_layers=iter(["outcome"]))
    assert (result.verdict, result.gate_layers) == ("PASS", ("outcome",))


def test_hook_artifacts_do_not_tell_runs_apart():
    """They are attached to a run and no part of what it found."""
    run = ScenarioRunResult(a_score(), a_trace(), ["notes"])
    assert run == ScenarioRunResult(a_score(), a_trace())
    assert "notes" not in repr(run)


SCORES = st.fixed_dictionaries(
    {name: st.booleans() for name in SCORE_LAYER_ORDER}
    | {"cost": st.sampled_from([FailureCost(), FailureCost("high"), FailureCost("critical")])}
).map(lambda fields: a_score(**fields))


@given(
    scores=st.lists(SCORES, max_size=6),
    variance=st.booleans(),
    gates=st.lists(st.sampled_from(GATE_LAYER_ORDER), unique=True),
)
def test_the_rules_of_aggregation(scores, variance, gates):
    """Counts, rates, verdict and risk follow from the runs alone, in whatever order they came."""
    result = aggregate_runs(runs(*scores), variance, gates)
    bits = [score.gate_passed(gates) for score in scores]
    assert (result.passed, result.total) == (sum(bits), len(bits))
    assert result == aggregate_runs(runs(*reversed(scores)), variance, gates)
    if not scores:
        assert result.verdict == "INVALID"
        return
    assert result.pass_rate == sum(bits) / len(bits)
    assert result.stddev == pytest.approx(statistics.pstdev(bits))
    for layer in SCORE_LAYER_ORDER:
        passed = [getattr(score, layer).passed for score in scores]
        assert getattr(result, f"{layer}_pass_rate") == sum(passed) / len(passed)
    intact = all(score.integrity.passed for score in scores)
    expected = "PASS" if all(bits) else "PASS_WITH_VARIANCE" if variance else "FAIL"
    assert result.verdict == (expected if intact else "INVALID")
    weight = max(score.failure_cost.risk_weight for score in scores)
    risk = weight * (1 - result.pass_rate) if intact else 0.0
    assert (result.risk_weight, result.failure_risk) == (weight, risk)


def test_metrics_are_summed_up_by_their_kind():
    """A rate for booleans, mean and range for numbers, counts for text."""
    samples = [
        {"ok": True, "n": 3, "who": "b", "odd": 1},
        {"ok": False, "n": 1.5, "who": "a", "odd": "x"},
        {"ok": True, "n": 6, "who": "c", "odd": True},
        {"who": "c", "odd": 1},
    ]
    summaries = aggregate_metrics(samples)
    assert summaries == {
        "n": MetricSummary("number", 3, mean=3.5, min=1.5, max=6),
        "odd": MetricSummary("mixed", 4, counts={"1": 2, '"x"': 1, "true": 1}),
        "ok": MetricSummary("bool", 3, true_count=2, rate=2 / 3),
        "who": MetricSummary("string", 4, counts={"c": 2, "a": 1, "b": 1}),
    }
    assert list(summaries) == sorted(summaries)
    assert list(summaries["who"].counts.items()) == [("c", 2), ("a", 1), ("b", 1)]
    assert list(summaries["odd"].counts.items()) == [("1", 2), ('"x"', 1), ("true", 1)]
    assert isinstance(summaries["n"].max, int)


def test_a_summary_is_written_without_what_it_lacks():
    """A reader sees the fields of the kind and no others; a rate of zero is one of them."""
    (summary,) = aggregate_metrics([{"ok": False}]).values()
    assert summary.to_dict() == {"kind": "bool", "count": 1, "true_count": 0, "rate": 0.0}


def test_the_metrics_of_runs_carry_their_layer():
    """Each layer has its own names."""
    result = aggregate_runs(runs(a_score(turns=2), a_score(turns=4)))
    assert result.metrics == {"outcome.turns": MetricSummary("number", 2, mean=3.0, min=2, max=4)}


def test_the_mean_of_extreme_numbers(subtests):
    """Sums that no float can hold do not end a sweep."""
    for numbers, mean in [
        ([1e308, 1e308], 1e308),
        ([10**400, 10**400], 10**400),
        ([10**400, -(10**400)], 0.0),
        ([1e16, 1.0, -1e16], 1 / 3),
    ]:
        with subtests.test(numbers=numbers, mean=mean):
            (summary,) = aggregate_metrics([{"m": number} for number in numbers]).values()
            assert summary.mean == mean


@given(st.lists(st.integers() | st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_the_mean_lies_between_the_extremes(numbers):
    """Up to the rounding of a float."""
    (summary,) = aggregate_metrics([{"m": number} for number in numbers]).values()
    assert (summary.min, summary.max) == (min(numbers), max(numbers))
    assume(max(map(abs, numbers)) < 1e300)
    slack = 1e-9 * max(map(abs, numbers)) + math.ulp(0.0)
    assert summary.min - slack <= summary.mean <= summary.max + slack
