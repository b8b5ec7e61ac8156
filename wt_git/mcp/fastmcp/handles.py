"""Handles on a running tool server: one in this process, one in a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.mcp import addresses
from wt_git.mcp.evidence_client import EvidenceClient
from wt_git.spi.mcp_server import MCPCall

if TYPE_CHECKING:
    from wt_git.mcp.fastmcp.logging_mcp import LoggingFastMCP


class InProcessMCPHandle:
    """A handle that reads straight from the server object; `url` is where an agent connects."""

    def __init__(self, logging_mcp: LoggingFastMCP, url: str = "http://localhost:8080/mcp") -> None:
        self._server = logging_mcp
        self._url = url

    @property
    def url(self) -> str:
        """Where the agent connects."""
        return self._url

    def call_log(self) -> list[MCPCall]:
        """Return a copy of every call since the last reset, in order of arrival."""
        return self._server.call_log.get_calls()

    def reset_call_log(self) -> None:
        """Forget the calls so far."""
        self._server.call_log.reset()

    def configure_failure_mode(self, mode: str | None) -> None:
        """Make every tool fail in `mode` until changed, or none; `ValueError` if unknown."""
        self._server.call_log.set_failure_mode(mode)

    def served_tools(self) -> list[str]:
        """Return the tools' names."""
        return self._server.served_tools()

    def served_tool_definitions(self) -> list[dict[str, Any]]:
        """Return the tools as an agent sees them."""
        return self._server.served_tool_definitions()

    def armed_failures(self) -> list[dict[str, Any]]:
        """Return `{tool, mode, probability}` for every tool that was told to fail."""
        return self._server.armed_failures()


class ChildProcessMCPHandle:
    """A handle that asks the server's evidence routes, and raises whenever they do not answer."""

    def __init__(self, host: str, port: int, token: str) -> None:
        self._host = addresses.connectable(host)
        self._port = port
        self._evidence = EvidenceClient(self._host, port, token)

    @property
    def url(self) -> str:
        """Where the agent connects."""
        return addresses.http_url(self._host, self._port, addresses.MCP_PATH)

    @property
    def calls_url(self) -> str:
        """Where the log is read, by whoever bears the token."""
        return addresses.http_url(self._host, self._port, "/calls")

    def call_log(self) -> list[MCPCall]:
        """Return every call since the last reset, in order of arrival.

        Raises `RuntimeError` or `OSError` when the server does not answer with a log.
        """
        return [_call(sent) for sent in self._evidence.get("/calls")]

    def reset_call_log(self) -> None:
        """Forget the calls so far; raises `RuntimeError` or `OSError` if that was not done."""
        self._evidence.post("/calls/reset")

    def configure_failure_mode(self, mode: str | None) -> None:
        """Make every tool fail in `mode` until changed, or none; `ValueError` if unknown."""
        self._evidence.post("/failures", {"mode": mode})

    def served_tools(self) -> list[str]:
        """Return the tools' names."""
        return [str(name) for name in self._evidence.get("/tools")]

    def served_tool_definitions(self) -> list[dict[str, Any]]:
        """Return the tools as an agent sees them."""
        return self._evidence.get("/tools/definitions")

    def armed_failures(self) -> list[dict[str, Any]]:
        """Return `{tool, mode, probability}` for every tool that was told to fail."""
        return self._evidence.get("/failures")


def _call(sent: Any) -> MCPCall:
    try:
        return MCPCall(
            str(sent["tool_name"]),
            dict(sent["args"]),
            sent["result"],
            float(sent["timestamp_ms"]),
            dict(sent.get("extra") or {}),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RuntimeError(
            f"the tool server's log holds something else than a call: {sent!r}"
        ) from error
