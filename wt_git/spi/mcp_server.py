"""Tool servers that the runner starts, and their optional abilities.

docs/writing-a-runtime.md, "Tool servers". The call log of a server is the primary evidence of an
agent's tool calls; the transcript comes second.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from wt_git.spi.agent_runtime import MCPCall, MCPHandle, MCPSpec

__all__ = [
    "FailureInjectableMCPHandle",
    "MCPCall",
    "MCPHandle",
    "MCPServer",
    "MCPSpec",
    "ToolDefinitionIntrospectableMCPHandle",
    "ToolIntrospectableMCPHandle",
]


@runtime_checkable
class MCPServer(Protocol):
    """A tool server that the runner starts once per batch and stops afterwards."""

    def start(self) -> MCPHandle:
        """Start, and return as soon as the URL accepts traffic; on failure clean up and raise."""
        ...

    def stop(self) -> None:
        """Release ports and processes; callable twice, and without a start."""
        ...


@runtime_checkable
class ToolIntrospectableMCPHandle(Protocol):
    """A tool server that can name its tools."""

    def served_tools(self) -> list[str]:
        """Return the tools' bare names."""
        ...


@runtime_checkable
class ToolDefinitionIntrospectableMCPHandle(Protocol):
    """A tool server that can return the definitions of its tools."""

    def served_tool_definitions(self) -> list[dict[str, Any]]:
        """Return `{name, description, input_schema, result_schema?}` in manifest order."""
        ...


@runtime_checkable
class FailureInjectableMCPHandle(Protocol):
    """A tool server with failure modes; the runner never sets one itself."""

    def configure_failure_mode(self, mode: str | None) -> None:
        """Fail in this way from the next call on, until changed; None serves normally.

        Modes: `malformed_json`, `timeout`, `empty_unexpected`, `auth_scope_denied`. Raises
        `ValueError` for an unknown mode.
        """
        ...
