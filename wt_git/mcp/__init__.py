"""Mock tools as real MCP servers, and the evidence of every call that reached them.

Found by name, never imported by scenarios or runtimes: docs/architecture.md, "Layers".
"""

from wt_git.mcp.recorded import RecordedMCPHandle, RecordedMCPServer

__all__ = ["RecordedMCPHandle", "RecordedMCPServer"]
