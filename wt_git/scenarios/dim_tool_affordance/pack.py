"""The `tool_affordance` pack."""

from __future__ import annotations

from wt_git.api.pack import ScenarioPack
from wt_git.scenarios.dim_tool_affordance.mock_mcp.server import tools
from wt_git.scenarios.dim_tool_affordance.scenarios import TOOL_AFFORDANCE_SCENARIOS
from wt_git.scenarios.kit.mock_server import mcp_factory

PACK = ScenarioPack(
    name="tool_affordance",
    scenarios=TOOL_AFFORDANCE_SCENARIOS,
    mcp_factory=mcp_factory(tools),
)
