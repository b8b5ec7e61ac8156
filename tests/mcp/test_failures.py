from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.mcp.failures import FAILURE_MODES, ArmedFailure, FailurePlan, Injected


def test_nothing_fails_unless_armed():
    """A fresh plan draws no failure and reports none."""
    plan = FailurePlan()
    assert plan.draw("tool") is None
    assert plan.armed(["tool"]) == []
    assert plan.mode() is None


@pytest.mark.parametrize("mode", FAILURE_MODES)
def test_a_mode_holds_for_every_tool_until_changed(mode):
    """Each known mode can be armed for all tools and taken back."""
    plan = FailurePlan()
    plan.set_mode(mode)
    assert plan.draw("a").mode == plan.draw("b").mode == mode
    assert plan.armed(["a", "b"]) == [
        {"tool": "a", "mode": mode, "probability": 1.0},
        {"tool": "b", "mode": mode, "probability": 1.0},
    ]
    plan.set_mode(None)
    assert plan.draw("a") is None


@given(st.text().filter(lambda text: text not in FAILURE_MODES))
def test_an_unknown_mode_is_refused_by_name(mode):
    """Neither a mode for all tools nor one for a single tool may be one that nobody knows."""
    plan = FailurePlan()
    for arm in (
        lambda: plan.set_mode(mode),
        lambda: plan.arm(ArmedFailure("tool", mode)),
        lambda: plan.shape("tool", mode, lambda _: Injected("")),
    ):
        with pytest.raises(ValueError, match="known are malformed_json"):
            arm()
    assert plan.draw("tool") is None


def test_a_failure_is_for_its_tool_alone():
    """What is armed for one tool leaves the others well."""
    plan = FailurePlan()
    plan.arm(ArmedFailure("order_query", "malformed_json"))
    assert plan.draw("order_query").mode == "malformed_json"
    assert plan.draw("client_lookup") is None
    assert plan.armed(["client_lookup", "order_query"]) == [
        {"tool": "order_query", "mode": "malformed_json", "probability": 1.0}
    ]


@given(st.floats(0, 1), st.integers(1, 200))
def test_draws_repeat_from_batch_to_batch(probability, calls):
    """The same calls in the same order meet the same failures, so a batch can be repeated."""
    draws = []
    for _ in range(2):
        plan = FailurePlan()
        plan.arm(ArmedFailure("tool", "malformed_json", probability))
        draws.append([plan.draw("tool") is not None for _ in range(calls)])
    assert draws[0] == draws[1]


def test_the_probability_is_honoured():
    """Never, sometimes, always: as the share that was asked for."""
    shares = {}
    for probability in (0.0, 0.3, 1.0):
        plan = FailurePlan()
        plan.arm(ArmedFailure("tool", "malformed_json", probability))
        shares[probability] = sum(plan.draw("tool") is not None for _ in range(2000)) / 2000
    assert shares[0.0] == 0.0
    assert 0.25 < shares[0.3] < 0.35
    assert shares[1.0] == 1.0


def test_a_tool_may_show_a_mode_in_its_own_way():
    """The tool's own form of a failure sees the arguments of the call."""
    plan = FailurePlan()
    failure = ArmedFailure("tool", "empty_unexpected")
    plan.shape("tool", "empty_unexpected", lambda args: Injected({"none of": args["q"]}))
    assert plan.answer(failure, "tool", {"q": 1}) == Injected({"none of": 1})
    assert plan.answer(failure, "other", {"q": 1}).payload["result"] == "[]"


def test_arguments_that_a_tools_own_form_cannot_take_get_the_plain_form():
    """An agent may send anything; the failure is shown all the same."""
    plan = FailurePlan()
    plan.shape("tool", "schema_error", lambda args: Injected(args["missing"]))
    answer = plan.answer(ArmedFailure("tool", "schema_error"), "tool", {})
    assert answer.payload["error"].startswith("Schema validation error")
