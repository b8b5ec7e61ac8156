"""Whole runs against a mock that misbehaves: did the condition happen, and who says so?"""

from __future__ import annotations

import pytest
from kit.mcp_client import call_tool

from wt_git.api.perturbations.tool_failures import ToolReturnsMalformedJson, ToolTimeoutPerScenario
from wt_git.api.scenario import Scenario
from wt_git.mcp.canned import canned_server
from wt_git.runner.batch import run_scenario
from wt_git.scenarios.dim_tool_affordance.mock_mcp.server import tools
from wt_git.scenarios.kit.mock_server import mcp_factory


class Agent:
    """Calls the tools it was made for, over MCP, and answers that it could not tell."""

    def __init__(self, url: str, calls: tuple[str, ...]) -> None:
        self.url, self.calls = url, calls

    def send(self, messages, session_id):
        for name in self.calls:
            call_tool(self.url, name)
        return {"content": "The order system returned an unexpected error."}

    def reset_state(self):
        pass

    def teardown(self):
        pass


class Runtime:
    """Provisions an agent on the batch's tool server."""

    def __init__(self, *calls: str) -> None:
        self.calls = calls

    def provision(self, config, mcps=None):
        return Agent(mcps[0].url, self.calls)


def scenario(*perturbations) -> Scenario:
    return Scenario(
        name="broken_orders",
        prompt="How many orders?",
        target_facts=[["error"]],
        perturbations=list(perturbations),
    )


def test_a_failure_that_was_armed_makes_the_run_count(subtests):
    """The marker stands on evidence; an agent that avoids the tool does not escape its verdict."""
    for perturbation, calls in [
        (ToolReturnsMalformedJson("order_query", 1.0), ("client_lookup", "order_query")),
        (ToolReturnsMalformedJson("order_query", 1.0), ()),
        (ToolReturnsMalformedJson("order_query", 0.5), ("order_query",) * 4),
        (ToolTimeoutPerScenario("order_query", 0), ("order_query",)),
    ]:
        with subtests.test(perturbation=perturbation, calls=calls):
            perturbed = scenario(perturbation)
            result = run_scenario(
                perturbed, Runtime(*calls), mcps=[mcp_factory(tools.__module__)(perturbed)]
            )
            (run,) = result.runs
            assert run.score.integrity.passed, run.score.integrity.detail
            assert perturbation.marker in run.trace.worker_warnings
            assert result.aggregate.verdict == "PASS"


@pytest.mark.parametrize("calls", [(), ("order_query",)])
def test_a_failure_that_was_not_armed_makes_the_run_invalid(calls):
    """A server that works as ever has tested nothing."""
    perturbed = scenario(ToolReturnsMalformedJson("order_query", 1.0))
    server = canned_server("windtunnel", tools())
    result = run_scenario(perturbed, Runtime(*calls), mcps=[server])
    assert result.aggregate.verdict == "INVALID"
