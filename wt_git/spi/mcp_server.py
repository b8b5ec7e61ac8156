"""Tool servers the runner starts, and the handles through which it witnesses their calls.

docs/writing-a-runtime.md, "Tool servers". What a server logged is the bench's primary evidence of
what an agent did; its own account comes second.
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
    """A tool server the runner starts once per batch and stops afterwards."""

    def start(self) -> MCPHandle:
        """Start serving and return once the URL accepts traffic; raise and leave nothing behind."""
        ...

    def stop(self) -> None:
        """Release ports and processes; may be called twice, and when it was never started."""
        ...


@runtime_checkable
class ToolIntrospectableMCPHandle(Protocol):
    """A tool server that can name what it serves."""

    def served_tools(self) -> list[str]:
        """Return the tools' bare names."""
        ...


@runtime_checkable
class ToolDefinitionIntrospectableMCPHandle(Protocol):
    """A tool server that can show the definitions the agent sees."""

    def served_tool_definitions(self) -> list[dict[str, Any]]:
        """Return `{name, description, input_schema, result_schema?}` in manifest order."""
        ...


@runtime_checkable
class FailureInjectableMCPHandle(Protocol):
    """A tool server that can be told to misbehave; the runner never does so itself."""

    def configure_failure_mode(self, mode: str | None) -> None:
        """Fail in this way from the next call on, until changed; None serves normally.

        Modes: `malformed_json`, `timeout`, `empty_unexpected`, `auth_scope_denied`. Raises
        `ValueError` for a mode the server does not know.
        """
        ...
