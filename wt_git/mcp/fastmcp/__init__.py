"""Tool servers built on the official SDK's server class, with a log of the calls they received."""

from wt_git.mcp.fastmcp.server import FastMCPServer, FastMCPServerConfig, LoggingFastMCP

__all__ = ["FastMCPServer", "FastMCPServerConfig", "LoggingFastMCP"]
