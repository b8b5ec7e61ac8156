"""Whether the agent finds the right tool, and uses it the way it has to be used.

Names work in the lookup only, so a question about a client by name takes two calls in order. Bulk
tables are to be delivered through the gateway's CSV path rather than typed into the answer.
"""

from wt_git.scenarios.dim_tool_affordance.pack import PACK

__all__ = ["PACK"]
