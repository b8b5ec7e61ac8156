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
from wt_git.mcp.fastmcp.sdk_server import CallLoggingServer, injected_message, streamable_http_app
from wt_git.mcp.run_in_thread import run_in_thread

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from starlette.applications import Starlette

    from wt_git.mcp.call_log import CallLog, OpenCall
    from wt_git.mcp.recorded.handle import RecordedMCPHandle


def listed_tool(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return `{name, description, input_schema}` of a tool, as far as it can be sent."""
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
    """Return a schema of arguments whose root is what the protocol demands of one.

    Arguments are an object, whether or not the recording says so. What stands under the root's
    keywords in another shape than theirs is left out.
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
        answer = await run_in_thread(functools.partial(self._handle.answer, arrival))
        if answer.injected is not None:
            return injected_message(answer.injected)
        return _call_result(answer.result)


def recorded_app(name: str, log: CallLog, handle: RecordedMCPHandle, host: str) -> Starlette:
    """Return an app with the universe at `/mcp`, to be served once, on `host`.

    Connections carry no session, and answers are plain JSON.
    """
    options = {"stateless_http": True, "json_response": True}
    return streamable_http_app(RecordedSdkServer(name, log, handle), host, options)


def _call_result(result: Any) -> CallToolResult:
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
