"""Serving a dimension's tools, in a run and by hand.

The server kit and the tools are loaded by name when they are needed: scenarios must load, and be
listed, without a tool server's libraries. docs/architecture.md, "Layers".
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from wt_git.api.scenario import declared_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wt_git.api.scenario import Scenario
    from wt_git.scenarios.kit.tools import Tool
    from wt_git.spi.mcp_server import MCPServer

_SERVER_NAME = "windtunnel"


def mcp_factory(tools_module: str) -> Callable[[Scenario], MCPServer]:
    """Return a pack's `mcp_factory`: a new server for each batch.

    Its tools come from the function `tools` of `tools_module`. They have bare names and the failures
    of the scenario's perturbations.
    """

    def build(scenario: Scenario) -> MCPServer:
        tools = importlib.import_module(tools_module).tools()
        failures = declared_failures(scenario.perturbations)
        server: MCPServer = _server_kit().canned_server(_SERVER_NAME, tools, failures=failures)
        return server

    return build


def serve(tools: Sequence[Tool], *, port: int = 8080) -> None:
    """Serve `tools` until the process ends; `MOCK_MCP_` variables set the address."""
    _server_kit().serve(_SERVER_NAME, tools, port=port)


def _server_kit() -> Any:
    return importlib.import_module("wt_git.mcp.canned")
