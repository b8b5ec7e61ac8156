"""The tool server that packs hand to the runner, on a thread or in a process, and its handles."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wt_git.mcp.addresses import MCP_PATH, connectable, http_url, listen
from wt_git.mcp.failures import (
    DEFAULT_TIMEOUT_S,
    MODE_VARIABLE,
    ArmedFailure,
    environment_for,
    known_mode,
)
from wt_git.mcp.fastmcp.child_process import EvidenceClient, start_child
from wt_git.mcp.fastmcp.logging_mcp import LoggingFastMCP
from wt_git.spi.mcp_server import MCPCall

if TYPE_CHECKING:
    from wt_git.mcp.fastmcp.child_process import ChildProcess
    from wt_git.mcp.serving import ThreadServer

__all__ = ["FastMCPServer", "FastMCPServerConfig", "InProcessMCPHandle", "LoggingFastMCP"]


class InProcessMCPHandle:
    """A handle on a server object of this process; `url` is where an agent connects."""

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
        """Return `{tool, mode, probability}` for every tool with an armed failure."""
        return self._server.armed_failures()


class ChildProcessMCPHandle:
    """A handle that reads the server's evidence routes, and raises when they do not answer."""

    def __init__(self, host: str, port: int, token: str) -> None:
        self._host = connectable(host)
        self._port = port
        self._evidence = EvidenceClient(self._host, port, token)

    @property
    def url(self) -> str:
        """Where the agent connects."""
        return http_url(self._host, self._port, MCP_PATH)

    @property
    def calls_url(self) -> str:
        """Where the log can be read with the token."""
        return http_url(self._host, self._port, "/calls")

    def call_log(self) -> list[MCPCall]:
        """Return every call since the last reset, in order of arrival.

        Raises `RuntimeError` or `OSError` when the server does not answer with a log.
        """
        return [_call_from_json(sent) for sent in self._evidence.get("/calls")]

    def reset_call_log(self) -> None:
        """Forget the calls so far; raises `RuntimeError` or `OSError` if that failed."""
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
        """Return `{tool, mode, probability}` for every tool with an armed failure."""
        return self._evidence.get("/failures")


def _call_from_json(sent: Any) -> MCPCall:
    try:
        return MCPCall(
            str(sent["tool_name"]),
            dict(sent["args"]),
            sent["result"],
            float(sent["timestamp_ms"]),
            dict(sent.get("extra") or {}),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RuntimeError(f"the tool server's log has an invalid call: {sent!r}") from error


@dataclass
class FastMCPServerConfig:
    """Where and how a tool server is started.

    `server_module` is run as `python -m` and must call `run` on a `LoggingFastMCP`. `host` is the
    address to listen on; agents are given one they can connect to. `port` 0 is any free port.
    `startup_delay` and `startup_timeout` are seconds; the server counts as started as soon as it
    answers, and as failed after the longer of the two. `extra_env` wins over the environment that
    the process inherits.
    """

    server_module: str
    host: str = "0.0.0.0"  # noqa: S104 - agents in containers come from other addresses
    port: int = 0
    startup_delay: float = 2.0
    extra_env: dict[str, str] = field(default_factory=dict)
    startup_timeout: float = 30.0


class FastMCPServer:
    """A tool server for one batch, not yet started.

    With `mcp_instance` it is served on a thread of this process, which starts in milliseconds, on
    loopback unless `config` says otherwise. With `config` alone its module runs in a process of its
    own. Raises `ValueError` when neither is given. docs/writing-a-scenario.md, "Mock tools".
    """

    def __init__(
        self,
        *,
        mcp_instance: LoggingFastMCP | None = None,
        config: FastMCPServerConfig | None = None,
    ) -> None:
        if mcp_instance is None and config is None:
            raise ValueError(
                "FastMCPServer needs an mcp_instance to serve on a thread, or a config that names"
                " the module to run"
            )
        self.mcp_instance = mcp_instance
        self.config = config
        self._running: ThreadServer | ChildProcess | None = None
        self._handle: InProcessMCPHandle | ChildProcessMCPHandle | None = None

    def start(self) -> InProcessMCPHandle | ChildProcessMCPHandle:
        """Start serving and return the handle once tools can be called.

        Started again while it runs, it returns the same handle. Raises `RuntimeError`, with nothing
        left running, when the address is taken or the server does not come up.
        """
        if self._handle is None:
            if self.mcp_instance is not None:
                self._handle = self._start_thread(self.mcp_instance)
            else:
                assert self.config is not None
                self._handle = self._start_process(self.config)
        return self._handle

    def arm_failure(
        self, *, tool: str, mode: str, probability: float = 1.0, delay_s: float = DEFAULT_TIMEOUT_S
    ) -> None:
        """Arm a failure in the process that `start` will make, unless its factory armed one.

        This process's own environment stays unchanged. A server on a thread is armed only by its
        factory. Raises `ValueError` for an unknown mode.
        """
        failure = ArmedFailure(tool, known_mode(mode), probability, delay_s)
        config = self.config if self.mcp_instance is None else None
        if config is not None and not config.extra_env.get(MODE_VARIABLE):
            config.extra_env = {**environment_for(failure), **config.extra_env}

    def stop(self) -> None:
        """Release the port and the process; may be called twice, and when nothing was started."""
        running, self._running, self._handle = self._running, None, None
        if running is not None:
            running.stop()

    def _start_thread(self, instance: LoggingFastMCP) -> InProcessMCPHandle:
        host, port = (self.config.host, self.config.port) if self.config else ("127.0.0.1", 0)
        app = instance.new_app(host=host, token=secrets.token_urlsafe(24))
        try:
            listener = listen(host, port)
        except OSError as error:
            message = f"the tool server cannot listen on {host}:{port}: {error}"
            raise RuntimeError(message) from error
        bound_port = int(listener.getsockname()[1])
        self._running = instance.serve_on_thread(app, listener)
        url = http_url(connectable(host), bound_port, MCP_PATH)
        return InProcessMCPHandle(instance, url)

    def _start_process(self, config: FastMCPServerConfig) -> ChildProcessMCPHandle:
        child = start_child(
            config.server_module,
            host=config.host,
            port=config.port,
            environment=config.extra_env,
            limit_s=max(config.startup_delay, config.startup_timeout),
        )
        self._running = child
        return ChildProcessMCPHandle(child.host, child.port, child.token)
