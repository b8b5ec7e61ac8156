"""Whether the agent finds the right tool and uses it correctly.

Names work in the lookup only, so a question about a client by name takes two calls in order. Bulk
tables must be delivered through the gateway's CSV path, not in the text of the answer.
"""

from wt_git.api.pack import ScenarioPack
from wt_git.scenarios.dim_tool_affordance.scenarios import TOOL_AFFORDANCE_SCENARIOS
from wt_git.scenarios.kit.mock_server import mcp_factory

PACK = ScenarioPack(
    name="tool_affordance",
    scenarios=TOOL_AFFORDANCE_SCENARIOS,
    mcp_factory=mcp_factory(f"{__name__}.mock_mcp.server"),
)
