"""A mock server made of a table of tools; every built-in dimension has one.

The scenario packs describe tools and import no server; they find this module by name:
docs/writing-a-scenario.md, "Mock tools".
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol

from wt_git.mcp.failures import ArmedFailure, Injected
from wt_git.mcp.fastmcp.logging_mcp import LoggingFastMCP
from wt_git.mcp.fastmcp.server import FastMCPServer, FastMCPServerConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


class _CannedTool(Protocol):
    """A tool of the table: its bare name, its function, and its description for agents.

    The function's signature is the tool's schema. `failing` are its own answers for some of the
    failure modes.
    """

    @property
    def name(self) -> str: ...
    @property
    def function(self) -> Callable[..., Any]: ...
    @property
    def description(self) -> str: ...
    @property
    def failing(self) -> Mapping[str, Callable[..., dict[str, Any]]]: ...


def canned_server(
    name: str, tools: Iterable[_CannedTool], *, failures: Iterable[Mapping[str, Any]] = ()
) -> FastMCPServer:
    """Return a server, not yet started, that serves the tools under their bare names.

    It runs on a thread of this process: loading the SDK takes a new process half a second, and a
    sweep has a server per scenario. It listens on a free port of the loopback, unless
    `MOCK_MCP_HOST` or `MOCK_MCP_PORT` asks for another. `failures` are the fields of an
    `ArmedFailure` each. Raises `ValueError` for an unknown failure mode or an invalid port.
    """
    server = _logging_server(name, tools, prefix="")
    for failure in failures:
        server.call_log.failures.arm(ArmedFailure(**failure))
    return FastMCPServer(mcp_instance=server, config=_configured_address())


def serve(name: str, tools: Iterable[_CannedTool], *, port: int) -> None:
    """Serve the tools until the process is told to end, as the environment says.

    It reads `MOCK_MCP_HOST` (default: every address), `MOCK_MCP_PORT` (default: `port`) and
    `TOOL_PREFIX`, the prefix of every tool's name (default: `ops_`). Raises `ValueError` for an
    invalid port, `OSError` when it is taken.
    """
    environment = os.environ  # noqa: TID251 - this process's own start
    server = _logging_server(name, tools, prefix=environment.get("TOOL_PREFIX", "ops_"))
    host = environment.get("MOCK_MCP_HOST") or "0.0.0.0"  # noqa: S104 - the documented default
    server.run(host, _port(environment.get("MOCK_MCP_PORT") or str(port)))


def _logging_server(
    server_name: str, tools: Iterable[_CannedTool], *, prefix: str
) -> LoggingFastMCP:
    # Answers are plain JSON and connections carry no session: an agent may reconnect at will.
    server = LoggingFastMCP(server_name, stateless_http=True, json_response=True)
    for tool in tools:
        # Without an output schema, a client passes a broken answer to its agent instead of refusing
        # it; how the agent handles it is the subject of such a scenario.
        name = prefix + tool.name
        server.tool(name=name, description=tool.description, structured_output=False)(tool.function)
        for mode, answer in tool.failing.items():
            server.call_log.failures.shape(name, mode, _effect(answer))
    return server


def _effect(answer: Callable[..., dict[str, Any]]) -> Callable[[Mapping[str, Any]], Injected]:
    def effect(args: Mapping[str, Any]) -> Injected:
        payload = answer(**args)
        return Injected(payload, is_error="error" in payload)

    return effect


def _configured_address() -> FastMCPServerConfig | None:
    environment = os.environ  # noqa: TID251 - where a tool server is constructed
    host, port = environment.get("MOCK_MCP_HOST"), environment.get("MOCK_MCP_PORT")
    if not host and not port:
        return None
    return FastMCPServerConfig("", host=host or "127.0.0.1", port=_port(port or "0"))


def _port(text: str) -> int:
    highest = 65535
    if text.isascii() and text.isdigit() and int(text) <= highest:
        return int(text)
    raise ValueError(f"MOCK_MCP_PORT={text!r} is not a port number (0 to {highest})")
