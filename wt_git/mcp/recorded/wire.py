"""A recorded universe over MCP. Imports the SDK; only a server that starts imports this.

Tools are listed without an output schema. A client refuses an answer that does not fit one before
its agent can see it: a list, an empty answer to a miss, a failure that was injected on purpose.
"""

from __future__ import annotations

import asyncio
import functools
import json
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult, TextContent, Tool

from wt_git.api.json_values import json_value
from wt_git.mcp.fastmcp.transport import streamable_http_app
from wt_git.mcp.fastmcp.witness import WitnessedServer, injected_message
from wt_git.mcp.off_the_loop import in_thread
from wt_git.mcp.recorded.listing import is_unicode, listed_tool

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from starlette.applications import Starlette

    from wt_git.mcp.call_log import CallLog, OpenCall
    from wt_git.mcp.recorded.handle import RecordedMCPHandle


class RecordedWire(WitnessedServer):
    """The SDK's server with the tools of a universe; what the handle answers is what is sent."""

    def __init__(self, name: str, log: CallLog, handle: RecordedMCPHandle) -> None:
        self._opened: ContextVar[OpenCall | None] = ContextVar("recorded call", default=None)
        self._calls = log
        self._handle = handle
        super().__init__(name, log, self._opened)

    async def list_tools(self) -> list[Tool]:
        """List the tools of the universe; their input is not validated, so that misses are logged."""
        return [Tool(**listed_tool(one)) for one in self._handle.served_tool_definitions()]

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, Any],
        context: Context[Any, Any] | None = None,  # noqa: ARG002 - the SDK's
    ) -> CallToolResult:
        """Answer a call as the handle does, without holding up others meanwhile."""
        opened = self._opened.get() or self._calls.begin(name, arguments)
        arrival = self._handle.arrived(opened, name, arguments)
        await asyncio.sleep(arrival.delay_s)
        answer = await in_thread(functools.partial(self._handle.answer, arrival))
        if answer.injected is not None:
            return injected_message(answer.injected)
        return _message(answer.result)


def recorded_app(name: str, log: CallLog, handle: RecordedMCPHandle, host: str) -> Starlette:
    """Return an app with the universe at `/mcp`, to be served once, on `host`.

    Connections carry no session, and answers are plain JSON.
    """
    options = {"stateless_http": True, "json_response": True}
    return streamable_http_app(RecordedWire(name, log, handle), host, options)


def _message(result: Any) -> CallToolResult:
    """Return a recorded answer as its JSON, and as an object too where it is one."""
    plain = json_value(result)
    text = json.dumps(plain, ensure_ascii=False)
    sendable = is_unicode(text)
    is_object = isinstance(plain, dict)
    return CallToolResult(
        content=[TextContent(type="text", text=text if sendable else json.dumps(plain))],
        structured_content=plain if is_object and sendable else None,
        is_error=is_object and bool(plain.get("error")),
    )
