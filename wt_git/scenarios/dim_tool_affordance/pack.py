"""The `tool_affordance` pack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.pack import ScenarioPack
from wt_git.scenarios.dim_tool_affordance.scenarios import TOOL_AFFORDANCE_SCENARIOS
from wt_git.scenarios.kit.mock_server import mcp_factory

if TYPE_CHECKING:
    from wt_git.scenarios.kit.tools import Tool


def _tools() -> list[Tool]:
    # The rows behind the tools are made when one of them is served.
    from wt_git.scenarios.dim_tool_affordance.mock_mcp.server import tools  # noqa: PLC0415

    return tools()


PACK = ScenarioPack(
    name="tool_affordance",
    scenarios=TOOL_AFFORDANCE_SCENARIOS,
    mcp_factory=mcp_factory(_tools),
)
