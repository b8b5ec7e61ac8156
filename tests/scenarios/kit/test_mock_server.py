from __future__ import annotations

import subprocess
import sys

from kit.mcp_client import call_tool

from wt_git.api.perturbations.tool_failures import (
    ToolReturnsEmptyUnexpected,
    ToolReturnsMalformedJson,
    ToolReturnsSchemaError,
    ToolTimeoutPerScenario,
)
from wt_git.api.scenario import Perturbation, Scenario, declared_failures
from wt_git.scenarios.kit.mock_server import mcp_factory

TOOLS = "wt_git.scenarios.dim_tool_affordance.mock_mcp.server"


class OfTheHistory(Perturbation):
    """A condition that no mock server has to do with."""

    marker = "perturbation_applied: of_the_history"

    def apply(self, trace):
        return trace


def scenario(*perturbations) -> Scenario:
    return Scenario(name="one", prompt="Ask.", perturbations=list(perturbations))


def test_each_perturbation_of_the_world_arms_its_tool():
    """Mode, tool, probability and delay are the perturbation's; those of the history arm nothing."""
    asked = scenario(
        OfTheHistory(),
        ToolReturnsMalformedJson("a", 0.5),
        ToolTimeoutPerScenario("b", 7),
        ToolReturnsEmptyUnexpected("c"),
        ToolReturnsSchemaError("d"),
    )
    assert declared_failures(asked.perturbations) == [
        {"tool": "a", "mode": "malformed_json", "probability": 0.5},
        {"tool": "b", "mode": "timeout", "probability": 1.0, "delay_s": 7.0},
        {"tool": "c", "mode": "empty_unexpected", "probability": 1.0},
        {"tool": "d", "mode": "schema_error", "probability": 1.0},
    ]
    assert declared_failures(scenario().perturbations) == []


def test_the_server_fails_where_the_scenario_says_and_nowhere_else():
    """The perturbed tool's answer does not parse; the directory still works."""
    server = mcp_factory(TOOLS)(scenario(ToolReturnsMalformedJson("order_query", 1.0)))
    try:
        handle = server.start()
        assert call_tool(handle.url, "order_query", {}).text == "INVALID_JSON{{{"
        found = call_tool(handle.url, "client_lookup", {"query": "spinners"})
        assert found.inner()["matches"][0]["id"] == "ACC-LSPN-001"
        injected = [call.extra.get("injected") for call in handle.call_log()]
        assert injected == ["malformed_json", None]
        assert [report["tool"] for report in handle.armed_failures()] == ["order_query"]
    finally:
        server.stop()


def test_each_batch_has_a_server_of_its_own():
    """What one batch did is not in the next one's log."""
    factory = mcp_factory(TOOLS)
    first, second = factory(scenario()), factory(scenario())
    try:
        call_tool(first.start().url, "client_lookup")
        assert second.start().call_log() == []
    finally:
        first.stop()
        second.stop()


def test_packs_load_without_a_servers_libraries():
    """Listing scenarios imports neither the server kit nor what it stands on."""
    script = (
        "import sys\n"
        "from wt_git.scenarios import builtin_packs\n"
        "assert [pack.name for pack in builtin_packs()]\n"
        "loaded = {'mcp', 'uvicorn', 'pydantic', 'wt_git.mcp', 'wt_git.runtimes', 'wt_git.runner'}\n"
        "assert not loaded & set(sys.modules), loaded & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
