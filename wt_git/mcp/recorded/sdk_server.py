"""A recorded universe over MCP. Imports the SDK; only a server that starts imports this.

Tools are listed without an output schema. A client refuses an answer that does not fit one before
its agent can see it: a list, an empty answer to a miss, an injected failure. A tool that the protocol
refuses would hide all others from the agent, since clients then reject the list.
"""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult, TextContent, Tool

from wt_git.api.json_values import json_value
from wt_git.mcp.fastmcp.logging_mcp import run_in_thread
from wt_git.mcp.fastmcp.sdk_server import CallLoggingServer, injected_message
from wt_git.mcp.serving import ThreadServer

if TYPE_CHECKING:
    import socket

    from mcp.server.mcpserver import Context

    from wt_git.mcp.call_log import CallLog
    from wt_git.mcp.recorded.handle import RecordedMCPHandle

_START_LIMIT_S = 5.0


def listed_tool(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return `{name, description, input_schema}` of a tool, without the parts that cannot be sent."""
    tool = {
        "name": definition["name"],
        "description": definition["description"],
        "input_schema": sendable_schema(definition["input_schema"]),
    }
    if is_unicode(text := json.dumps(tool, ensure_ascii=False)):
        return tool
    repaired: dict[str, Any] = json.loads(text.encode("utf-8", "replace"))
    return repaired


def sendable_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema of arguments that the protocol accepts: its type is `object`.

    A keyword of the root whose value has the wrong shape is left out.
    """
    kept = {
        keyword: value
        for keyword, value in schema.items()
        if keyword not in _SHAPES or _SHAPES[keyword](value)
    }
    return {**kept, "type": "object"}


def is_unicode(text: str) -> bool:
    """Say whether a text can be sent: half of a surrogate pair has no form in UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_properties(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(schema, (Mapping, bool)) for schema in value.values()
    )


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


_SHAPES = {
    "$schema": lambda value: isinstance(value, str),
    "properties": _is_properties,
    "required": _is_names,
}


class RecordedSdkServer(CallLoggingServer):
    """The SDK's server with the tools of a universe; the handle's answers are sent."""

    def __init__(self, name: str, log: CallLog, handle: RecordedMCPHandle) -> None:
        self._handle = handle
        super().__init__(name, log, ContextVar("recorded call", default=None))

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
        opened = self._current.get() or self._log.begin(name, arguments)
        wait_s, injected = self._log.draw(opened, name, {}, marks_mode=False)
        await asyncio.sleep(wait_s)
        if injected is not None:
            self._log.finish(opened, injected.payload)
            return injected_message(injected)
        answer = functools.partial(self._handle.answer, opened, name, arguments)
        return _call_result(await run_in_thread(answer))


def serve_recorded(
    name: str, handle: RecordedMCPHandle, log: CallLog, listener: socket.socket, host: str
) -> ThreadServer:
    """Serve the universe at `/mcp` on a thread of this process, listening on `host`.

    Connections carry no session, and answers are plain JSON. Raises `RuntimeError` when the server
    does not come up within 5 s.
    """
    options = {"stateless_http": True, "json_response": True}
    app = RecordedSdkServer(name, log, handle).http_app(host, options)
    return ThreadServer(app, listener, start_limit_s=_START_LIMIT_S)


def _call_result(result: Any) -> CallToolResult:
    """Return a recorded answer as its JSON text, and also as structured content if it is an object."""
    plain = json_value(result)
    text = json.dumps(plain, ensure_ascii=False)
    sendable = is_unicode(text)
    is_object = isinstance(plain, dict)
    return CallToolResult(
        content=[TextContent(type="text", text=text if sendable else json.dumps(plain))],
        structured_content=plain if is_object and sendable else None,
        is_error=is_object and bool(plain.get("error")),
    )
