"""A drop-in for the official SDK's server class that logs calls and shows armed failures."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import importlib.util
import inspect
import os
import threading
import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from wt_git.mcp.addresses import listen
from wt_git.mcp.call_log import CallLog, OpenCall
from wt_git.mcp.failures import arm_from_environment
from wt_git.mcp.fastmcp.child_process import claim_inherited

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from mcp.server.mcpserver.server import Settings
    from mcp.server.mcpserver.tools import Tool
    from starlette.applications import Starlette

    from wt_git.mcp.failures import Injected
    from wt_git.mcp.fastmcp.sdk_server import CallLoggingServer
    from wt_git.mcp.serving import ThreadServer

    CurrentCall: TypeAlias = ContextVar[OpenCall | None]

_STREAMABLE_HTTP = "streamable-http"
# Constructor arguments of the SDK's first generation that its second takes when it serves.
_SERVING_OPTIONS = frozenset(
    {
        "event_store",
        "json_response",
        "max_request_body_size",
        "max_sessions",
        "retry_interval",
        "session_idle_timeout",
        "stateless_http",
        "streamable_http_path",
        "transport_security",
    }
)


class LoggingFastMCP:
    """An MCP server whose every call is logged; `name` and `options` are the SDK's.

    The SDK is loaded only when something has to be served or described: without it, tools can still
    be declared and called in process. The options that the SDK once took here and now takes when
    serving (`host`, `port`, `json_response` and so on) are kept for then.
    docs/writing-a-scenario.md, "Mock tools".
    """

    def __init__(self, name: str, **options: Any) -> None:
        self.name = name
        self._host: str = options.pop("host", "127.0.0.1")
        self._port: int = options.pop("port", 8000)
        self._serving = {key: options.pop(key) for key in _SERVING_OPTIONS & options.keys()}
        self._given: list[Tool] = list(options.pop("tools", None) or ())
        self._options = options
        self._declared: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {}
        self._log = CallLog()
        self._current: CurrentCall = ContextVar("current call", default=None)
        self._lock = threading.RLock()
        self._server: CallLoggingServer | None = None
        self._tools: dict[str, Tool] = {}
        self._app: Starlette | None = None

    @property
    def call_log(self) -> CallLog:
        """The calls so far and the failures armed for the next ones."""
        return self._log

    @property
    def settings(self) -> Settings[Any]:
        """The SDK's settings object; raises `RuntimeError` without the SDK."""
        return self._sdk().settings

    @property
    def calls_app(self) -> Starlette | None:
        """The same as `build_app()`."""
        return self.build_app()

    def tool(self, **kwargs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Return a decorator that serves a function as a tool; `kwargs` are the SDK's.

        The tool's name is `kwargs["name"]`, else the function's; of two with one name the first is
        served. The decorated function can be called directly; such a call is logged and made to fail
        like one over the network. A coroutine function is awaited; any other runs on a thread of its
        own, so that the server keeps answering.
        """

        def declare(function: Callable[..., Any]) -> Callable[..., Any]:
            name = kwargs.get("name") or function.__name__
            with self._lock:
                if name not in self._declared:
                    self._declared[name] = (function, kwargs)
                    if self._server is not None:
                        self._add(self._server, name)
            return _direct_form(name, function, self._log, self._current)

        return declare

    def served_tools(self) -> list[str]:
        """Return the tools' names in the order of their registration."""
        with self._lock:
            return list(dict.fromkeys([*(tool.name for tool in self._given), *self._declared]))

    def served_tool_definitions(self) -> list[dict[str, Any]]:
        """Return `{name, description, input_schema, result_schema?}` per tool, as agents see them.

        Raises `RuntimeError` without the SDK, which writes the schemas.
        """
        self._sdk()
        with self._lock:
            tools = list(self._tools.values())
        return [
            {
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.parameters,
                **({"result_schema": tool.output_schema} if tool.output_schema else {}),
            }
            for tool in tools
        ]

    def armed_failures(self) -> list[dict[str, Any]]:
        """Return `{tool, mode, probability}` for every served tool with an armed failure."""
        return self._log.failures.armed(self.served_tools())

    def build_app(self) -> Starlette | None:
        """Return the ASGI app (MCP at `/mcp`, evidence routes), always the same; None without the SDK.

        Every `Host` is accepted, since the address is unknown here. The evidence routes answer this
        machine only.
        """
        if not _sdk_is_installed():
            return None
        with self._lock:
            if self._app is None:
                self._app = self.new_app()
            return self._app

    def new_app(self, *, host: str | None = None, token: str | None = None) -> Starlette:
        """Return a fresh ASGI app, to be served once, on `host`.

        Its evidence routes answer requests that carry `token` or, without one, requests from this
        machine. Raises `RuntimeError` without the SDK.
        """
        app = self._sdk().http_app(host, self._serving)
        app.router.routes.extend(
            self._sdk().evidence_routes(self.served_tools, self.served_tool_definitions, token)
        )
        return app

    def serve_on_thread(self, app: Starlette, listener: socket.socket) -> ThreadServer:
        """Serve an app of this server on a thread of this process."""
        return self._sdk().serve_on_thread(app, listener)

    def run(
        self, host: str | None = None, port: int | None = None, *, transport: str = _STREAMABLE_HTTP
    ) -> None:
        """Serve until the process is told to end; host and port default to the constructor's.

        A process that `FastMCPServer` started uses the socket that it inherited, and ends with its
        parent. A failure that the environment asks for is armed. Raises `ValueError` for any other
        transport or for an invalid failure, `RuntimeError` without the SDK, `OSError` when the
        address cannot be bound.
        """
        if transport != _STREAMABLE_HTTP:
            raise ValueError(f"transport {transport!r} is not served; only {_STREAMABLE_HTTP!r} is")
        environment = os.environ  # noqa: TID251 - the start of a process that serves
        arm_from_environment(environment, self._log.failures, self.served_tools())
        inherited = claim_inherited()
        if inherited is not None:
            app = self.new_app(host=inherited.host, token=inherited.token)
            self._sdk().serve_here(app, inherited.listener)
            return
        self._sdk()
        chosen_host, chosen_port = host or self._host, self._port if port is None else port
        listener = listen(chosen_host, chosen_port)
        self._sdk().serve_here(self.new_app(host=chosen_host), listener)

    def _sdk(self) -> CallLoggingServer:
        """Return the SDK's server, made on first use; raises `RuntimeError` when it is missing."""
        with self._lock:
            if self._server is None:
                if not _sdk_is_installed():
                    raise RuntimeError(
                        "serving tools needs the official SDK: pip install 'mcp>=2.2'"
                    )
                from wt_git.mcp.fastmcp.sdk_server import CallLoggingServer  # noqa: PLC0415 - slow

                self._tools = {tool.name: tool for tool in self._given}
                server = CallLoggingServer(
                    self.name, self._log, self._current, tools=self._given, **self._options
                )
                for name in self._declared:
                    self._add(server, name)
                self._server = server
            return self._server

    def _add(self, server: CallLoggingServer, name: str) -> None:
        function, kwargs = self._declared[name]
        tool = server.add_declared(_served_form(function, self._current), kwargs)
        self._tools.setdefault(name, tool)


def _sdk_is_installed() -> bool:
    return importlib.util.find_spec("mcp") is not None


async def run_in_thread(function: Callable[[], Any]) -> Any:
    """Run `function` on a thread of its own and return its result; the loop goes on meanwhile.

    The thread is a daemon, and the number of threads has no limit: some mock tools hang on purpose,
    and must hold up neither the next call nor the end of the process.
    """
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[Any] = loop.create_future()

    def deliver(settle: Callable[[Any], None], value: Any) -> None:
        if not outcome.done():
            settle(value)

    def work() -> None:
        settle: Callable[[Any], None]
        value: Any
        try:
            settle, value = outcome.set_result, function()
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            settle, value = outcome.set_exception, _raisable(error)
        with contextlib.suppress(RuntimeError):  # the loop was closed while the function ran
            loop.call_soon_threadsafe(deliver, settle, value)

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(work,), name="mock tool", daemon=True).start()
    return await outcome


def _raisable(error: BaseException) -> BaseException:
    """Return `error` in a form that a future takes: it refuses StopIteration."""
    return RuntimeError(f"raised {error!r}") if isinstance(error, StopIteration) else error


def _served_form(function: Callable[..., Any], current: CurrentCall) -> Callable[..., Any]:
    """Return a coroutine function for the SDK, which leaves its plain value in the current call."""
    awaited = inspect.iscoroutinefunction(function)

    @functools.wraps(function)
    async def serve(*args: Any, **kwargs: Any) -> Any:
        call = functools.partial(function, *args, **kwargs)
        value = await call() if awaited else await run_in_thread(call)
        opened = current.get()
        if opened is not None:
            opened.returns(value)
        return value

    return serve


def _direct_form(
    name: str, function: Callable[..., Any], log: CallLog, current: CurrentCall
) -> Callable[..., Any]:
    """Return a function that logs a call made in process, and shows the failures armed for it.

    A call from inside another tool is part of the mock, and not made by the agent: it is neither
    logged nor made to fail.
    """

    def arrive(
        args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[OpenCall, float, Injected | None]:
        named = _named_arguments(function, args, kwargs)
        opened = log.begin(name, named)
        return opened, *log.draw(opened, name, named)

    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def call_async(*args: Any, **kwargs: Any) -> Any:
            if current.get() is not None:
                return await function(*args, **kwargs)
            opened, wait_s, injected = arrive(args, kwargs)
            await asyncio.sleep(wait_s)
            if injected is not None:
                return log.finish(opened, injected.payload)
            with log.failure_logged(opened):
                value = await function(*args, **kwargs)
            return log.finish(opened, value)

        return call_async

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if current.get() is not None:
            return function(*args, **kwargs)
        opened, wait_s, injected = arrive(args, kwargs)
        time.sleep(wait_s)
        if injected is not None:
            return log.finish(opened, injected.payload)
        with log.failure_logged(opened):
            value = function(*args, **kwargs)
        return log.finish(opened, value)

    return call


def _named_arguments(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the arguments of a call by the names of their parameters, defaults left out."""
    try:
        bound = inspect.signature(function).bind_partial(*args, **kwargs)
    except (TypeError, ValueError):  # the call is about to fail; its arguments are logged anyway
        return {**{str(place): value for place, value in enumerate(args)}, **kwargs}
    named = dict(bound.arguments)
    for parameter in bound.signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            named.update(named.pop(parameter.name, {}))
    return named
