"""Serving a dimension's tools: the factory a pack hands to the runner, and the module's own start.

The server kit is found by name when it is needed. Scenarios describe tests and must load, and be
listed, without a tool server's libraries: docs/architecture.md, "Layers".
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from wt_git.api.perturbations.tool_failures import declared_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wt_git.api.scenario import Scenario
    from wt_git.scenarios.kit.tools import Tool
    from wt_git.spi.mcp_server import MCPServer

_SERVER_KIT = "wt_git.mcp.canned"
_SERVER_NAME = "windtunnel"


def mcp_factory(tools: Callable[[], Sequence[Tool]]) -> Callable[[Scenario], MCPServer]:
    """Return a pack's `mcp_factory`: a fresh server per batch, its tools made by `tools`.

    The tools have bare names, and fail as the scenario's perturbations say.
    """

    def build(scenario: Scenario) -> MCPServer:
        server: MCPServer = _server_kit().canned_server(
            _SERVER_NAME, tools(), failures=declared_failures(scenario.perturbations)
        )
        return server

    return build


def serve(tools: Callable[[], Sequence[Tool]], *, port: int = 8080) -> None:
    """Serve the tools until the process is told to end, as the `MOCK_MCP_` environment says."""
    _server_kit().serve(_SERVER_NAME, tools(), port=port)


def _server_kit() -> Any:
    return importlib.import_module(_SERVER_KIT)
