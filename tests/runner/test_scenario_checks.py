"""A scenario that cannot mean what it says is refused or warned about, by the name of its field."""

import pytest

from wt_git.api.evaluators import evaluate_outcome
from wt_git.api.scenario import Call, Policy, Scenario, scenario_warnings
from wt_git.api.score import BrokenCheck, LayerResult
from wt_git.api.scorers.substantiation import substantiated_by_tools
from wt_git.api.trace import Turn
from wt_git.runner.batch import run_scenario
from wt_git.runner.evidence import unknown_tools
from wt_git.runtimes.in_memory import InMemoryRuntime


def scenario(**fields):
    return Scenario(name="s", prompt="p", **fields)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"target_facts": [[""]]}, r"target_facts\[0\]\[0\] must be a text that is not blank"),
        ({"target_facts": [["a", 3]]}, r"target_facts\[0\]\[1\] must be a text"),
        ({"target_facts": [3]}, r"target_facts\[0\] must be a list of wordings"),
        ({"forbidden_facts": [" "]}, r"forbidden_facts\[0\] must be a text that is not blank"),
        ({"forbidden_facts": [["a", "b"]]}, "forbidden_facts holds texts, not groups of them"),
        ({"target_numbers": [75]}, r"target_numbers\[0\] must be a NumberFact, got 75"),
        ({"forbidden_calls": [["a"]]}, r"forbidden_calls\[0\] must be the name of a tool"),
        ({"policies": [lambda trace: True]}, r"policies\[0\] must be a Policy"),
        ({"policies": [Policy("p", "no function")]}, r"policies\[0\] must be a Policy"),
        ({"forbidden_facts": ["x"], "forbidden_in": "all"}, "forbidden_in must be 'last_turn'"),
    ],
)
def test_a_field_that_cannot_mean_anything_is_refused(fields, said):
    with pytest.raises(ValueError, match=said):
        scenario(**fields)


def test_a_prompt_that_is_never_sent_is_warned_about():
    (warning,) = scenario_warnings(scenario(user_turns=["a", "b"], target_facts=[["x"]]))
    assert "a prompt that is never sent" in warning
    assert list(scenario_warnings(scenario(user_turns=["p", "b"], target_facts=[["x"]]))) == []


class Server:
    url = "http://127.0.0.1:1/mcp"

    def served_tools(self):
        return ["client_lookup", "order_query"]


def test_a_tool_that_no_server_offers_is_named_with_the_near_one():
    asked = scenario(must_call=["client_lokup", Call("order_query")], forbidden_calls=["delete"])
    first, second = unknown_tools(asked, [Server()])
    assert "must_call names 'client_lokup'" in first
    assert "did you mean client_lookup?" in first
    assert "forbidden_calls names 'delete'" in second
    assert unknown_tools(asked, []) == []
    assert unknown_tools(asked, [object()]) == []


def fly(asked, *entries):
    return run_scenario(asked, InMemoryRuntime([*entries])).runs[0]


def boom(trace):
    raise KeyError("report")


@pytest.mark.parametrize(
    ("fields", "layer"),
    [
        ({"outcome_fn": boom}, "outcome"),
        ({"outcome_fn": lambda trace: True}, "outcome"),
        ({"policies": [Policy("p", boom)]}, "constraint"),
        ({"must_call": [Call("t", lambda args: args["x"] > 3)]}, "trajectory"),
        ({"must_call": [Call("t", lambda args: "yes")]}, "trajectory"),
    ],
)
def test_a_check_that_breaks_is_never_a_failure_of_the_agent(fields, layer):
    """INVALID, with the check and its error in the details; the run counts as a failure."""
    run = fly(scenario(**fields), {"content": "x", "tool_calls": [{"name": "t", "args": {}}]})
    assert not run.score.integrity.passed
    assert "a check of the scenario broke: " in run.score.integrity.detail
    assert isinstance(getattr(run.score, layer), BrokenCheck)


def test_forbidden_facts_may_be_looked_for_in_every_answer():
    turns = {"user_turns": ["a", "b"], "forbidden_facts": ["gold"]}
    entries = ("You are a gold member.", "All done.")
    assert fly(Scenario(name="s", **turns), *entries).score.outcome.passed
    found = fly(Scenario(name="s", **turns, forbidden_in="any_turn"), *entries).score.outcome
    assert not found.passed
    assert "You are a gold member." in found.detail


CALLED = {
    "content": "4 orders",
    "tool_calls": [{"name": "crm.order_count", "args": {"client_id": "A-1", "limit": 5}}],
}


@pytest.mark.parametrize(
    ("wanted", "passed"),
    [
        (Call("order_count"), True),
        (Call("order_count", {"client_id": "A-1"}), True),
        (Call("order_count", {"client_id": "A-2"}), False),
        (Call("order_count", {"client_id": "A-1"}, exact=True), False),
        (Call("order_count", {"client_id": "A-1", "limit": 5}, exact=True), True),
        (Call("order_count", lambda args: args["limit"] < 10), True),
        (Call("order_count", lambda args: args["limit"] > 10), False),
        ([Call("order_count", {"limit": 9}), "order_count"], True),
        ([Call("order_count", {"limit": 9}), "other"], False),
    ],
)
def test_a_required_call_may_have_arguments(wanted, passed):
    result = fly(scenario(must_call=[wanted]), CALLED).score.trajectory
    assert result.passed == passed
    if not passed:
        assert "order_count" in result.detail


def test_the_order_is_that_of_the_calls_with_their_arguments():
    calls = [{"name": "t", "args": {"n": 1}}, {"name": "t", "args": {"n": 2}}]
    first, second = Call("t", {"n": 1}), Call("t", {"n": 2})
    for wanted, passed in [([first, second], True), ([second, first], False)]:
        asked = scenario(must_call=wanted, order_matters=True)
        assert fly(asked, {"content": "x", "tool_calls": calls}).score.trajectory.passed == passed


@pytest.mark.parametrize("wrong", [{"name": " "}, {"name": "t", "args": "x=1"}, {"name": 3}])
def test_a_call_that_cannot_be_made_is_refused(wrong):
    with pytest.raises(ValueError, match="of a Call must be"):
        Call(**wrong)


def test_tool_use_that_only_failed_proves_nothing():
    asked = scenario(tool_use_must_succeed=True)
    assert "no tool was called" in fly(asked, "4 orders").score.outcome.detail
    assert fly(asked, CALLED).score.outcome.passed  # its result is not known
    trace = fly(asked, CALLED).trace
    trace.turns[-1].tool_results = [{"isError": True, "content": "no such client"}]
    assert "every tool call failed" in evaluate_outcome(trace, asked).detail


def traced(trace, *calls):
    """The trace of a run whose tool server recorded these calls."""
    trace.mcp_calls = [
        {"tool_name": name, "args": args, "result": result, "timestamp_ms": 1.0, **extra}
        for name, args, result, extra in calls
    ]
    trace.turns[-1] = Turn("assistant", "Client A-1 has 75 orders.", [], [], 0.0)
    return trace


@pytest.mark.parametrize(
    ("calls", "passed"),
    [
        ([("t", {"client_id": "A-1"}, {"client_id": "A-1", "orders": 75}, {})], True),
        ([("t", {"orders": 75}, {"orders": 75, "state": "unknown"}, {})], False),
        ([("t", {}, "75 orders", {"extra": {"error": "timed out"}})], False),
        ([("t", {}, {"isError": True, "content": "75"}, {})], False),
        ([("t", {}, "75 orders", {})], True),
    ],
)
def test_a_claim_comes_from_a_result_and_not_from_an_error_or_an_echo(calls, passed):
    trace = traced(fly(scenario(target_facts=[["x"]]), "x").trace, *calls)
    found = substantiated_by_tools(["75"])(trace)
    assert isinstance(found, LayerResult)
    assert found.passed == passed
