"""Perturbations of the world, and the proof that they were in force."""

from hypothesis import given
from hypothesis import strategies as st
from kit.traces import json_values

from wt_git.api.perturbations import (
    ToolReturnsEmptyUnexpected,
    ToolReturnsMalformedJson,
    ToolReturnsSchemaError,
    ToolTimeoutPerScenario,
)
from wt_git.api.scenario import PreSendPerturbation, ToolFailure

EVERY = [
    (ToolReturnsMalformedJson("order_query"), "malformed_json"),
    (ToolTimeoutPerScenario("order_query", 10), "timeout"),
    (ToolReturnsEmptyUnexpected("order_query"), "empty_unexpected"),
    (ToolReturnsSchemaError("order_query"), "schema_error"),
]


def arms(mode, tool="order_query", probability=1.0):
    return {"tool": tool, "mode": mode, "probability": probability}


def call(tool="order_query", injected=None):
    extra = {} if injected is None else {"extra": {"injected": injected}}
    return {"tool_name": tool, "args": {}, "result": "x", "timestamp_ms": 1.0, **extra}


def test_each_names_the_mock_servers_mode(subtests):
    """Pack factories arm it by this name; the runner knows the family by its class."""
    for perturbation, mode in EVERY:
        with subtests.test(perturbation=perturbation, mode=mode):
            assert perturbation.mode == mode
            assert isinstance(perturbation, ToolFailure)
            assert not isinstance(perturbation, PreSendPerturbation)


def test_fields_keep_their_order_and_defaults():
    """Authors write them by position."""
    assert ToolReturnsMalformedJson("t", 0.5).likelihood == 0.5
    assert ToolReturnsMalformedJson("t").probability == 1.0
    assert ToolReturnsEmptyUnexpected("t").when_scenario_expects_data is True
    assert ToolTimeoutPerScenario("t", 3).delay_seconds == 3
    assert ToolTimeoutPerScenario("t", 3).likelihood == 1.0


def test_an_armed_failure_counts_even_if_the_agent_never_calls(subtests):
    """An agent that avoids the tool does not escape its verdict."""
    for perturbation, mode in EVERY:
        with subtests.test(perturbation=perturbation, mode=mode):
            assert perturbation.proven_marker([arms(mode)], []) == perturbation.marker
            others = [call("client_lookup"), call("client_lookup", "timeout")]
            assert perturbation.proven_marker([arms(mode)], others) == perturbation.marker


def test_calls_that_failed_as_declared_keep_the_marker(subtests):
    """Every call to the target was injected with the mode."""
    for perturbation, mode in EVERY:
        with subtests.test(perturbation=perturbation, mode=mode):
            calls = [call(injected=mode), call("ops_order_query", mode)]
            assert perturbation.proven_marker([arms(mode)], calls) == perturbation.marker


def test_one_call_that_escaped_breaks_the_condition(subtests):
    """Injected too little, or with another mode: the declared world did not exist."""
    for perturbation, mode in EVERY:
        with subtests.test(perturbation=perturbation, mode=mode):
            for escaped in (call(), call("ops.order_query"), call(injected="other")):
                calls = [call(injected=mode), escaped]
                assert perturbation.proven_marker([arms(mode)], calls) is None


def test_what_was_not_armed_as_declared_leaves_no_marker(subtests):
    """Another tool, another mode, another probability, or no mock server at all."""
    for armed in [
        [],
        [arms("timeout")],
        [arms("malformed_json", "client_lookup")],
        [arms("malformed_json", "query")],
        [arms("malformed_json", probability=0.5)],
        [None, "malformed_json", {}, {"tool": "order_query"}],
    ]:
        with subtests.test(armed=armed):
            perturbation = ToolReturnsMalformedJson("order_query")
            assert perturbation.proven_marker(armed, [call(injected="malformed_json")]) is None


def test_a_report_may_cover_every_tool_or_decorate_its_name(subtests):
    """A mode armed for all tools is armed for the target; one unread report does not spoil another."""
    for report in [
        arms("malformed_json", None),
        arms("malformed_json", "ops_order_query"),
        {"tool": "order_query", "mode": "malformed_json"},
        arms("malformed_json", probability=1),
    ]:
        with subtests.test(report=report):
            perturbation = ToolReturnsMalformedJson("order_query")
            assert perturbation.proven_marker([arms("timeout"), report], []) == perturbation.marker


def test_a_declared_chance_lets_calls_through():
    """With a probability below one, a call without the failure is as declared."""
    perturbation = ToolReturnsMalformedJson("order_query", 0.3)
    armed = [arms("malformed_json", probability=0.3)]
    assert perturbation.proven_marker(armed, [call()]) == perturbation.marker


@given(st.lists(json_values(), max_size=3), st.lists(json_values(), max_size=3))
def test_rubbish_from_a_server_proves_nothing(armed, calls):
    """No report and no record makes the rule fail, and none of them is taken for proof."""
    perturbation = ToolReturnsSchemaError("order_query")
    assert perturbation.proven_marker(armed, calls) is None
    proven = [*armed, arms("schema_error")]
    assert perturbation.proven_marker(proven, calls) == perturbation.marker


@given(st.lists(st.sampled_from([None, "malformed_json", "timeout"]), max_size=5))
def test_the_marker_is_left_exactly_when_no_call_escaped(injections):
    """For a failure of every call."""
    perturbation = ToolReturnsMalformedJson("order_query")
    calls = [call(injected=mode) for mode in injections]
    marker = perturbation.proven_marker([arms("malformed_json")], calls)
    assert (marker is not None) == all(mode == "malformed_json" for mode in injections)
