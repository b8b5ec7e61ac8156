"""The official SDK's server class, extended to log every `tools/call`.

The one module through which tool servers reach the SDK, starlette and uvicorn. These take half a
second of processor time, so it is imported only when a server is needed. Two places of the SDK are used, both public. Its middleware sees a request before any
validation, so a call with malformed parameters is logged too. `call_tool` can replace the tool's
answer by a failure that is still sent in the shape of the client's protocol.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import threading
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.tools import Tool
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolResult, TextContent

from wt_git.errors import exception_text
from wt_git.mcp.addresses import accepted_host_headers
from wt_git.mcp.fastmcp.evidence_routes import evidence_routes
from wt_git.mcp.serving import ThreadServer, serve_here

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator, Mapping
    from contextvars import ContextVar

    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.server.mcpserver import Context
    from mcp_types import InputRequiredResult
    from starlette.applications import Starlette
    from starlette.routing import Route

    from wt_git.mcp.call_log import CallLog, OpenCall
    from wt_git.mcp.failures import Injected

_root_logger = threading.Lock()


class CallLoggingServer(MCPServer[Any]):
    """An `MCPServer` that logs every attempt to call a tool, and shows the failures armed for it.

    `current` is the call being answered in this context, for the tool function to leave its plain
    return value in.
    """

    def __init__(
        self, name: str, log: CallLog, current: ContextVar[OpenCall | None], **options: Any
    ) -> None:
        self._log = log
        self._current = current
        with _root_logging_untouched():
            super().__init__(
                name, **options, middleware=[self._log_tool_call, *options.pop("middleware", ())]
            )

    def http_app(self, host: str | None, options: Mapping[str, Any]) -> Starlette:
        """Return an app with MCP at `/mcp`, whose host check fits a server that listens on `host`.

        By default the SDK refuses every name but the loopback's. `options` are the SDK's and win.
        """
        names = accepted_host_headers(host)
        security = TransportSecuritySettings(
            enable_dns_rebinding_protection=names is not None,
            allowed_hosts=names or [],
            allowed_origins=[f"http://{name}" for name in names or ()],
        )
        return self.streamable_http_app(**{"transport_security": security, **options})

    def evidence_routes(
        self,
        served_tools: Callable[[], list[str]],
        served_tool_definitions: Callable[[], list[dict[str, Any]]],
        token: str | None,
    ) -> list[Route]:
        """Return the evidence routes over this server's log."""
        return evidence_routes(self._log, served_tools, served_tool_definitions, token)

    def serve_here(self, app: Starlette, listener: socket.socket) -> None:
        """Serve in this thread until the process is told to end."""
        serve_here(app, listener)

    def serve_on_thread(self, app: Starlette, listener: socket.socket) -> ThreadServer:
        """Serve on a thread of this process, from now until `stop`."""
        return ThreadServer(app, listener)

    def add_declared(self, function: Callable[..., Any], options: Mapping[str, Any]) -> Tool:
        """Serve `function` as a tool, and return it as the SDK describes it."""
        self.add_tool(function, **options)
        return Tool.from_function(function, **options)

    async def _log_tool_call(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Log a request to call a tool from its arrival to its end, also one that fails."""
        if ctx.method != "tools/call":
            return await call_next(ctx)
        opened = self._log.begin(*_raw_call(ctx.params or {}))
        token = self._current.set(opened)
        try:
            return await call_next(ctx)
        except asyncio.CancelledError:
            self._log.finish(opened, None, error="cancelled before the tool answered")
            raise
        except Exception as refused:
            self._log.finish(opened, str(refused), error=exception_text(refused))
            raise
        finally:
            self._current.reset(token)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Answer a call with the failure armed for it, or by its tool, and log the answer."""
        opened = self._current.get() or self._log.begin(name, arguments)
        wait_s, injected = self._log.draw(opened, name, arguments)
        await asyncio.sleep(wait_s)
        if injected is not None:
            self._log.finish(opened, injected.payload)
            return injected_message(injected)
        try:
            result = await super().call_tool(name, arguments, context)
        except Exception as failed:
            self._log.finish(opened, str(failed), error=exception_text(failed.__cause__ or failed))
            raise
        self._log.finish(opened, _logged_value(opened, result), error=_declared_error(result))
        return result


def injected_message(injected: Injected) -> CallToolResult:
    """Return the message in place of an answer: a text unchanged, an object also as its JSON."""
    payload = injected.payload
    text = payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False)
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=payload if isinstance(payload, dict) else None,
        is_error=injected.is_error,
    )


def _raw_call(params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the tool's name and arguments from raw request parameters of any shape."""
    name, arguments = params.get("name"), params.get("arguments")
    if arguments is None:
        arguments = {}
    return (
        name if isinstance(name, str) else repr(name),
        arguments if isinstance(arguments, dict) else {"arguments": arguments},
    )


def _logged_value(opened: OpenCall, result: CallToolResult | InputRequiredResult) -> Any:
    """Return the value that the tool itself returned, or the sent message where it is unknown."""
    if opened.returned and not isinstance(opened.value, CallToolResult):
        return opened.value
    if not isinstance(result, CallToolResult):
        return result.model_dump(mode="json", exclude_none=True)
    if result.structured_content is not None:
        return result.structured_content
    return "\n".join(getattr(part, "text", repr(part)) for part in result.content)


def _declared_error(result: CallToolResult | InputRequiredResult) -> str | None:
    """Return the reason when a tool that answered normally marks its answer as an error."""
    if not isinstance(result, CallToolResult) or not result.is_error:
        return None
    return "\n".join(getattr(part, "text", repr(part)) for part in result.content) or "is_error"


@contextlib.contextmanager
def _root_logging_untouched() -> Iterator[None]:
    """Keep the SDK from configuring the root logger of the user's process.

    Its constructor calls `logging.basicConfig`, which does nothing while the root has a handler.
    """
    root, placeholder = logging.getLogger(), logging.NullHandler()
    with _root_logger:
        root.addHandler(placeholder)
        try:
            yield
        finally:
            root.removeHandler(placeholder)
