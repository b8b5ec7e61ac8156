"""The scenario that a sidecar keeps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_trace, assistant, json_objects, json_values, user

from wt_git.api.scenario import Policy, Scenario
from wt_git.records.runs.scored_scenario import UnusableScenarioError, scored_scenario
from wt_git.records.runs.sidecars import scenario_block

TRACE = a_trace(user("first"), assistant("hm?"), user("second"), assistant())


def test_what_was_scored_comes_back():
    """All but the callables, whose answers stand in the score; the gate is that of the run."""
    scenario = Scenario(
        "s",
        user_turns=["a", "b"],
        target_facts=[["x", "y"], ["z"]],
        requires_tool_use=True,
        must_call=["look", ["a", "b"]],
        forbidden_calls=["pay"],
        policies=[Policy("p", lambda _: True)],
        tags=["dim:recovery"],
    )
    back = scored_scenario(scenario_block(scenario), TRACE)
    assert scenario_block(back) == scenario_block(scenario)
    assert back.policies == []
    assert back.resolved_gate_layers() == ("outcome", "trajectory", "constraint")


def test_a_gate_of_nothing_is_one():
    """A diagnostic scenario stays one."""
    block = scenario_block(Scenario("s", "p", gate_layers=[]))
    assert scored_scenario(block, TRACE).resolved_gate_layers() == ()


def test_what_is_missing_is_taken_from_the_trace():
    """Old sidecars and those of others may have little more than a name, or nothing."""
    assert scored_scenario({}, TRACE) == Scenario("lookup_order", "second")
    assert scored_scenario({"name": "s", "new": 1}, a_trace()) == Scenario("s", "lookup_order")


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        (None, "scenario must be an object, got null"),
        ([], "scenario must be an object, got an array"),
        ({"name": 1}, "scenario.name must be a string, got 1"),
        ({"name": " "}, "a scenario's name must not be empty"),
        ({"tags": "dim:recovery"}, "scenario.tags must be an array"),
        ({"tags": [1]}, r"scenario.tags\[0\] must be a string, got 1"),
        ({"requires_tool_use": 1}, "scenario.requires_tool_use must be a boolean"),
        ({"target_facts": ["x"]}, "scenario.target_facts must hold lists of strings"),
        ({"must_call": [[1]]}, "scenario.must_call must hold lists of strings"),
        ({"must_call": [[]]}, "must_call holds an empty name"),
        ({"gate_layers": ["luck"]}, "unknown gate layers"),
    ],
)
def test_what_is_no_scenario_is_refused_by_name(block, problem):
    """A wrong type is never taken for an empty one: its rules would not be asked."""
    with pytest.raises(UnusableScenarioError, match=problem):
        scored_scenario(block, TRACE)


KEYS = ("name", "prompt", "user_turns", "target_facts", "tags", "must_call", "gate_layers")


@given(json_objects() | st.dictionaries(st.sampled_from(KEYS), json_values()) | json_values())
def test_any_block_is_read_or_refused(block):
    """Nothing else comes out of it."""
    try:
        scenario = scored_scenario(block, TRACE)
    except UnusableScenarioError:
        return
    assert scenario.name
