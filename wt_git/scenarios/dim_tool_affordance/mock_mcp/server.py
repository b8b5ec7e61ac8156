"""The dimension's mock server: the four common tools over its rows.

The pack's factory serves them. To try them by hand, run this module; `MOCK_MCP_HOST`,
`MOCK_MCP_PORT` and `TOOL_PREFIX` set the address and the prefix of the tools' names.
"""

from __future__ import annotations

from wt_git.scenarios.dim_tool_affordance.synthetic_db import FACTS
from wt_git.scenarios.kit import mock_server
from wt_git.scenarios.kit.tools import Tool, common_tools


def tools() -> list[Tool]:
    """Return new tools for one server."""
    return common_tools(FACTS)


if __name__ == "__main__":
    mock_server.serve(tools())
