"""A tool server that replays a recorded universe: the same answers as the system it stands for.

docs/recorded-servers.md.
"""

from wt_git.mcp.recorded.handle import RecordedMCPHandle
from wt_git.mcp.recorded.server import RecordedMCPServer

__all__ = ["RecordedMCPHandle", "RecordedMCPServer"]
