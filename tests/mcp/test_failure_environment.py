from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.mcp.failures import (
    FAILURE_MODES,
    ArmedFailure,
    FailurePlan,
    arm_from_environment,
    environment_for,
    failure_from_environment,
)

_FINITE = st.floats(0, 1e6, allow_nan=False)


@given(
    st.builds(
        ArmedFailure,
        tool=st.none() | st.from_regex(r"[a-z_]{1,20}", fullmatch=True),
        mode=st.sampled_from(FAILURE_MODES),
        probability=st.floats(0, 1),
        delay_s=_FINITE,
    )
)
def test_a_failure_survives_the_environment(failure):
    """What one process asks for is what the other arms."""
    assert failure_from_environment(environment_for(failure)) == failure


def test_an_environment_that_asks_for_nothing_arms_nothing():
    """An absent mode and an empty one both mean none."""
    assert failure_from_environment({}) is None
    assert failure_from_environment({"MOCK_MCP_FAILURE_MODE": " "}) is None


def test_the_mode_alone_is_enough():
    """Every tool fails, always; a timeout takes ten seconds."""
    failure = failure_from_environment({"MOCK_MCP_FAILURE_MODE": "timeout"})
    assert failure == ArmedFailure(None, "timeout", 1.0, 10.0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MOCK_MCP_FAILURE_MODE", "lazy"),
        ("MOCK_MCP_FAILURE_PROBABILITY", "often"),
        ("MOCK_MCP_TIMEOUT_SECONDS", "-1"),
        ("MOCK_MCP_TIMEOUT_SECONDS", "nan"),
        ("MOCK_MCP_TIMEOUT_SECONDS", "inf"),
    ],
)
def test_a_bad_variable_is_named_with_its_value(name, value):
    """A mistake in the environment is refused, not taken for a server that works."""
    with pytest.raises(ValueError, match=value):
        failure_from_environment({"MOCK_MCP_FAILURE_MODE": "timeout", name: value})


def test_a_bare_tool_name_means_the_tool_with_its_prefix():
    """The variable names the tool as scenarios do, the server as its platform does."""
    plan = FailurePlan()
    served = ["ops_client_lookup", "ops_order_query"]
    asked = {"MOCK_MCP_FAILURE_MODE": "malformed_json", "MOCK_MCP_FAILURE_TOOL": "order_query"}
    arm_from_environment(asked, plan, served)
    assert [report["tool"] for report in plan.armed(served)] == ["ops_order_query"]


def test_without_a_tool_every_tool_is_meant():
    """The baseline form, a mode and nothing else, arms them all."""
    plan = FailurePlan()
    arm_from_environment({"MOCK_MCP_FAILURE_MODE": "malformed_json"}, plan, ["a", "b"])
    assert [report["tool"] for report in plan.armed(["a", "b"])] == ["a", "b"]
