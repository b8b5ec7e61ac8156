from __future__ import annotations

import logging
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from kit.mcp_client import call_tool

from wt_git.mcp.addresses import listen
from wt_git.mcp.fastmcp import FastMCPServer, FastMCPServerConfig, LoggingFastMCP
from wt_git.mcp.fastmcp.server import InProcessMCPHandle
from wt_git.spi.mcp_server import (
    FailureInjectableMCPHandle,
    MCPHandle,
    MCPServer,
    ToolDefinitionIntrospectableMCPHandle,
    ToolIntrospectableMCPHandle,
)


def echo() -> LoggingFastMCP:
    server = LoggingFastMCP("echo")

    @server.tool()
    def say(text: str) -> str:
        return text

    return server


def port_of(url: str) -> int:
    return httpx.URL(url).port


def test_nothing_to_serve_is_refused():
    """Neither an instance nor a module: there is nothing to start."""
    with pytest.raises(ValueError, match="mcp_instance"):
        FastMCPServer()


def test_the_url_is_served_by_somebody():
    """An in-process server is a real one, and its handle satisfies every protocol there is."""
    server = FastMCPServer(mcp_instance=echo())
    handle = server.start()
    try:
        assert isinstance(server, MCPServer)
        for protocol in (
            MCPHandle,
            ToolIntrospectableMCPHandle,
            ToolDefinitionIntrospectableMCPHandle,
            FailureInjectableMCPHandle,
        ):
            assert isinstance(handle, protocol)
        assert call_tool(handle.url, "say", {"text": "hi"}).text == "hi"
        handle.reset_call_log()
        assert handle.call_log() == []
    finally:
        server.stop()


def test_started_twice_it_is_one_server():
    """The second start gives the handle of the first."""
    server = FastMCPServer(mcp_instance=echo())
    try:
        assert server.start() is server.start()
    finally:
        server.stop()


def test_two_servers_do_not_meet():
    """Without a port each gets its own, so sweeps and jobs can run side by side."""
    servers = [FastMCPServer(mcp_instance=echo()) for _ in range(5)]
    try:
        ports = {port_of(server.start().url) for server in servers}
    finally:
        for server in servers:
            server.stop()
    assert len(ports) == 5


def test_servers_of_concurrent_jobs_do_not_disturb_one_another():
    """Started, called and stopped at once, each logs its own calls and nobody else's."""

    def job(number: int) -> list[dict]:
        server = FastMCPServer(mcp_instance=echo())
        try:
            handle = server.start()
            for turn in range(3):
                call_tool(handle.url, "say", {"text": f"{number}.{turn}"})
            return [call.args for call in handle.call_log()]
        finally:
            server.stop()

    with ThreadPoolExecutor(8) as pool:
        logs = list(pool.map(job, range(16)))
    assert logs == [[{"text": f"{n}.{t}"} for t in range(3)] for n in range(16)]


def test_stopped_it_gives_back_its_port_and_its_thread():
    """Stopping twice, or without a start, is fine; the port is free at once."""
    server = FastMCPServer(mcp_instance=echo())
    server.stop()
    port = port_of(server.start().url)
    server.stop()
    server.stop()
    with listen("127.0.0.1", port):
        assert not [thread for thread in threading.enumerate() if thread.name == "tool server"]


def test_it_can_be_started_again():
    """A server that was stopped serves the same tools anew."""
    server = FastMCPServer(mcp_instance=echo())
    for text in ("first", "second"):
        assert call_tool(server.start().url, "say", {"text": text}).text == text
        server.stop()


def test_a_taken_port_is_told_and_nothing_stays_behind():
    """The message names the address."""
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        config = FastMCPServerConfig("", host="127.0.0.1", port=port)
        server = FastMCPServer(mcp_instance=echo(), config=config)
        with pytest.raises(RuntimeError, match=f"127.0.0.1:{port}"):
            server.start()
        server.stop()


def test_a_wildcard_host_is_advertised_as_one_to_connect_to():
    """Listening on every address, the URL still leads somewhere."""
    config = FastMCPServerConfig("", host="0.0.0.0")
    server = FastMCPServer(mcp_instance=echo(), config=config)
    try:
        assert server.start().url.startswith("http://127.0.0.1:")
    finally:
        server.stop()


@pytest.mark.skipif(not socket.has_ipv6, reason="the machine has no IPv6")
def test_ipv6_works():
    """A host with colons is bound, and its URL can be used."""
    try:
        listen("::1", 0).close()
    except OSError:
        pytest.skip("the machine has no IPv6 loopback")
    server = FastMCPServer(mcp_instance=echo(), config=FastMCPServerConfig("", host="::1"))
    try:
        assert call_tool(server.start().url, "say", {"text": "six"}).text == "six"
    finally:
        server.stop()


def test_defaults_are_those_of_the_documentation():
    """A handle made by hand points at the documented address; a config takes any free port."""
    assert InProcessMCPHandle(echo()).url == "http://localhost:8080/mcp"
    config = FastMCPServerConfig("some.module")
    assert (config.host, config.port, config.startup_delay) == ("0.0.0.0", 0, 2.0)
    assert config.extra_env == {}


def test_a_tool_that_raises_does_not_write_to_the_terminal(capfd):
    """What scenarios do on purpose leaves stderr alone where nobody configured logging."""
    root = logging.getLogger()
    handlers, root.handlers = root.handlers, []
    server = LoggingFastMCP("noisy")

    @server.tool()
    def broken() -> None:
        raise LookupError("on purpose")

    running = FastMCPServer(mcp_instance=server)
    try:
        assert call_tool(running.start().url, "broken").is_error
    finally:
        running.stop()
        root.handlers = handlers
    assert capfd.readouterr() == ("", "")


def test_a_child_is_told_of_a_failure_unless_its_factory_said_otherwise():
    """The environment of the process to come is extended; that of this process is not."""
    server = FastMCPServer(config=FastMCPServerConfig("some.module", extra_env={"A": "1"}))
    server.arm_failure(tool="order_query", mode="timeout", delay_s=3)
    assert server.config.extra_env == {
        "A": "1",
        "MOCK_MCP_FAILURE_MODE": "timeout",
        "MOCK_MCP_FAILURE_TOOL": "order_query",
        "MOCK_MCP_FAILURE_PROBABILITY": "1.0",
        "MOCK_MCP_TIMEOUT_SECONDS": "3",
    }
    server.arm_failure(tool="client_lookup", mode="malformed_json")
    assert server.config.extra_env["MOCK_MCP_FAILURE_MODE"] == "timeout"
    with pytest.raises(ValueError, match="lazy"):
        server.arm_failure(tool="order_query", mode="lazy")


def test_a_server_on_a_thread_is_its_factorys_to_arm():
    """Telling its process about a failure changes nothing where there is none."""
    instance = echo()
    FastMCPServer(mcp_instance=instance).arm_failure(tool="say", mode="timeout")
    assert instance.armed_failures() == []
