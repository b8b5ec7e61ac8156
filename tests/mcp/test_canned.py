from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from kit.mcp_client import call_tool

from wt_git.mcp.addresses import listen
from wt_git.mcp.canned import canned_server


@dataclass
class Row:
    """A tool as a table holds it."""

    name: str
    function: Any
    description: str = "Says it."
    failing: dict = field(default_factory=dict)


def table() -> list[Row]:
    def say(text: str = "nothing") -> dict[str, Any]:
        return {"said": text}

    def say_nothing(text: str = "nothing") -> dict[str, Any]:
        return {"said": "", "of": text}

    def refuse(text: str) -> dict[str, Any]:
        return {"rejected": True, "error": f"not {text}"}

    shapes = {"empty_unexpected": say_nothing, "schema_error": refuse}
    return [Row("say", say, failing=shapes), Row("other", say)]


def test_a_table_of_tools_is_a_server():
    """Each row is served under its bare name, with its description and its answer as text."""
    server = canned_server("windtunnel", table())
    try:
        handle = server.start()
        assert handle.served_tools() == ["say", "other"]
        assert [tool["description"] for tool in handle.served_tool_definitions()] == [
            "Says it.",
            "Says it.",
        ]
        answer = call_tool(handle.url, "say", {"text": "hi"})
        assert '"said": "hi"' in answer.text
        assert handle.call_log()[0].result == {"said": "hi"}
        assert handle.armed_failures() == []
    finally:
        server.stop()


def test_a_failure_is_armed_for_one_tool():
    """The other tools answer as ever, and a broken answer reaches the agent as it is."""
    failures = [{"tool": "say", "mode": "malformed_json", "probability": 1.0}]
    server = canned_server("windtunnel", table(), failures=failures)
    try:
        handle = server.start()
        assert call_tool(handle.url, "say").text == "INVALID_JSON{{{"
        assert '"said"' in call_tool(handle.url, "other").text
        assert handle.armed_failures() == failures
    finally:
        server.stop()


def test_a_tool_shows_a_failure_in_its_own_way():
    """Its own form of emptiness has the shape of its answers; its own refusal is flagged as one."""
    server = canned_server(
        "windtunnel", table(), failures=[{"tool": "say", "mode": "empty_unexpected"}]
    )
    try:
        handle = server.start()
        assert '"of": "hi"' in call_tool(handle.url, "say", {"text": "hi"}).text
        handle.configure_failure_mode("schema_error")
        refused = call_tool(handle.url, "say", {"text": "hi"})
        assert refused.is_error
        assert "not hi" in refused.text
    finally:
        server.stop()


def test_by_default_it_takes_any_free_port_of_the_loopback():
    """Two sweeps never collide, and nothing is open to the network."""
    servers = [canned_server("windtunnel", table()) for _ in range(2)]
    try:
        urls = [httpx.URL(server.start().url) for server in servers]
    finally:
        for server in servers:
            server.stop()
    assert {url.host for url in urls} == {"127.0.0.1"}
    assert urls[0].port != urls[1].port


def test_a_fixed_port_is_used_when_asked_for(monkeypatch):
    """The environment of the bench may name the address."""
    with listen("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("MOCK_MCP_PORT", str(port))
    server = canned_server("windtunnel", table())
    try:
        assert server.start().url == f"http://127.0.0.1:{port}/mcp"
    finally:
        server.stop()


@pytest.mark.parametrize("port", ["http", "-1", "65536", "80 80", "\u0663"])
def test_a_port_that_is_none_is_refused_by_name(monkeypatch, port):
    """A mistake in the environment is named before anything is started."""
    monkeypatch.setenv("MOCK_MCP_PORT", port)
    with pytest.raises(ValueError, match="MOCK_MCP_PORT"):
        canned_server("windtunnel", table())
