"""Calls over real MCP connections, made by the official client and by a careless one."""

from __future__ import annotations

import json
import threading
from typing import Any

import httpx
import pytest
from kit.mcp_client import (
    Answer,
    call_tool,
    call_tools,
    list_tools,
    meanwhile,
    on_a_thread,
    post_raw_call,
    until,
)
from mcp.server.mcpserver import Context  # noqa: TC002 - the SDK reads the annotation
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent

from wt_git.mcp.failures import ArmedFailure
from wt_git.mcp.fastmcp import LoggingFastMCP


def shop() -> LoggingFastMCP:
    """A server with one tool of each kind that matters."""
    server = LoggingFastMCP("shop")

    @server.tool()
    def add(a: int, b: int = 2) -> dict[str, int]:
        """Add two numbers."""
        return {"sum": a + b}

    @server.tool(name="fetch", description="Fetch a thing.")
    async def fetch_it(key: str) -> str:
        return f"value of {key}"

    @server.tool()
    def broken(key: str) -> str:
        """Break."""
        raise LookupError(f"no {key}")

    @server.tool()
    async def refusing(key: str) -> str:
        """Refuse."""
        raise ToolError(f"may not see {key}")

    @server.tool()
    def confessing() -> CallToolResult:
        """Answer with an error of its own making."""
        return CallToolResult(content=[TextContent(type="text", text="sorry")], is_error=True)

    return server


def test_a_call_is_answered_and_logged_as_it_was_received():
    """The log holds the arguments that were sent, without the defaults that were filled in."""
    with on_a_thread(shop()) as handle:
        answer = call_tool(handle.url, "add", {"a": 1})
        (call,) = handle.call_log()
    assert json.loads(answer.text) == answer.structured == {"sum": 3}
    assert (call.tool_name, call.args, call.result) == ("add", {"a": 1}, {"sum": 3})
    assert call.extra == {}


def test_an_argument_is_logged_before_it_is_converted():
    """A number sent as text stays text in the log, though the tool gets a number."""
    with on_a_thread(shop()) as handle:
        assert call_tool(handle.url, "add", {"a": "5"}).structured == {"sum": 7}
        assert handle.call_log()[0].args == {"a": "5"}


def test_a_tool_that_awaits_is_awaited():
    """The caller and the log get the value, not a coroutine."""
    with on_a_thread(shop()) as handle:
        assert call_tool(handle.url, "fetch", {"key": "k"}).text == "value of k"
        (call,) = handle.call_log()
    assert call.result == "value of k"


@pytest.mark.parametrize(
    ("tool", "args", "error"),
    [
        ("broken", {"key": "k"}, "LookupError: no k"),
        ("refusing", {"key": "k"}, "ToolError: may not see k"),
        ("confessing", {}, "sorry"),
        ("add", {}, "ValidationError"),
        ("add", {"a": "one"}, "ValidationError"),
        ("nobody", {"x": 1}, "Unknown tool: nobody"),
    ],
)
def test_every_failed_attempt_is_logged_with_its_error(tool, args, error):
    """A tool that raises, arguments that are refused, a tool that is not there: all were attempts."""
    with on_a_thread(shop()) as handle:
        answer = call_tool(handle.url, tool, args)
        (call,) = handle.call_log()
    assert answer.is_error
    assert (call.tool_name, call.args) == (tool, args)
    assert error in call.extra["error"]
    assert call.result == answer.text


@pytest.mark.parametrize(
    ("params", "logged"),
    [
        ({"name": "add", "arguments": '{"a": 1}'}, ("add", {"arguments": '{"a": 1}'})),
        ({"name": "add", "arguments": [1, 2]}, ("add", {"arguments": [1, 2]})),
        ({"name": 7, "arguments": {"a": 1}}, ("7", {"a": 1})),
        ({"arguments": {"a": 1}}, ("None", {"a": 1})),
    ],
)
def test_a_request_that_the_protocol_refuses_is_logged_too(params, logged):
    """An agent that calls in a wrong shape has called."""
    with on_a_thread(shop()) as handle:
        response = post_raw_call(handle.url, params)
        (call,) = handle.call_log()
    assert "error" in response.text
    assert (call.tool_name, call.args) == logged
    assert call.extra["error"]


def test_calls_on_one_connection_keep_their_order():
    """The log tells what was called first."""
    with on_a_thread(shop()) as handle:
        call_tools(handle.url, [("add", {"a": 1}), ("fetch", {"key": "k"}), ("add", {"a": 2})])
        calls = handle.call_log()
    assert [call.tool_name for call in calls] == ["add", "fetch", "add"]
    assert [call.timestamp_ms for call in calls] == sorted(call.timestamp_ms for call in calls)


def test_only_calls_of_tools_are_logged():
    """Shaking hands and listing tools leave no trace in the evidence."""
    with on_a_thread(shop()) as handle:
        list_tools(handle.url)
        assert handle.call_log() == []


def test_definitions_are_what_an_agent_sees():
    """What the handle says of the tools equals what a client lists, schemas included."""
    with on_a_thread(shop()) as handle:
        seen = [
            {
                "name": tool.name,
                "description": tool.description,
                "input_schema": tool.input_schema,
                **({"result_schema": tool.output_schema} if tool.output_schema else {}),
            }
            for tool in list_tools(handle.url)
        ]
        assert handle.served_tool_definitions() == seen
        assert handle.served_tools() == [tool["name"] for tool in seen]


def test_a_tool_may_ask_for_the_sdks_context():
    """A parameter for the request's context is filled in, and no argument of the call."""
    server = LoggingFastMCP("asking")

    @server.tool()
    async def whoami(ctx: Context, greeting: str = "hello") -> str:
        return f"{greeting} {ctx.request_id is not None}"

    with on_a_thread(server) as handle:
        assert call_tool(handle.url, "whoami", {"greeting": "hi"}).text == "hi True"
        assert handle.call_log()[0].args == {"greeting": "hi"}


def test_one_tool_may_use_another_without_the_agent_having_called_it():
    """How a mock works inside is no evidence against the agent."""
    server = shop()

    @server.tool()
    def inner() -> str:
        return "inner"

    @server.tool()
    def outer() -> str:
        return f"outer of {inner()}"

    server.call_log.failures.arm(ArmedFailure("inner", "malformed_json"))
    with on_a_thread(server) as handle:
        assert call_tool(handle.url, "outer").text == "outer of inner"
        assert [call.tool_name for call in handle.call_log()] == ["outer"]


def test_a_tool_declared_while_the_server_runs_is_served():
    """Declaring and serving may come in any order."""
    server = shop()
    with on_a_thread(server) as handle:

        @server.tool()
        def late() -> str:
            return "late"

        assert call_tool(handle.url, "late").text == "late"
        assert handle.served_tools()[-1] == "late"
        assert handle.served_tool_definitions()[-1]["name"] == "late"


def test_a_blocking_tool_keeps_nobody_else_waiting():
    """While one call blocks, others are answered and the log can be read."""
    server, release = shop(), threading.Event()

    @server.tool()
    def slow() -> str:
        release.wait(60)
        return "at last"

    with on_a_thread(server) as handle:
        with meanwhile(lambda: call_tool(handle.url, "slow")) as slow_answer:
            until(handle.call_log)
            assert call_tool(handle.url, "add", {"a": 1}).structured == {"sum": 3}
            assert handle.call_log()[0].extra == {"unfinished": True}
            release.set()
        assert slow_answer == [Answer("at last", {"result": "at last"}, is_error=False)]
        assert [call.tool_name for call in handle.call_log()] == ["slow", "add"]
        assert handle.call_log()[0].result == "at last"


def test_stopping_the_server_ends_a_call_that_hangs():
    """A tool that never returns holds up neither the stop nor the log."""
    server, release = shop(), threading.Event()

    @server.tool()
    def hang() -> str:
        release.wait(60)
        return "never"

    with on_a_thread(server) as handle:
        with meanwhile(lambda: call_tool(handle.url, "hang", read_timeout_seconds=0.2)) as outcome:
            until(handle.call_log)
        assert isinstance(outcome[0], BaseException)
    (call,) = handle.call_log()
    release.set()
    assert call.tool_name == "hang"
    assert call.extra


@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1"])
def test_an_agent_in_a_container_may_use_its_name_for_the_host(host):
    """The SDK's own check of the `Host` header would refuse it."""
    with on_a_thread(shop(), host) as handle:
        port = httpx.URL(handle.url).port
        headers = {"Host": f"host.docker.internal:{port}"}
        response = post_raw_call(
            handle.url, {"name": "add", "arguments": {"a": 1}}, headers=headers
        )
        assert response.status_code == 200
        assert len(handle.call_log()) == 1


def test_a_web_page_cannot_reach_a_server_on_loopback():
    """On loopback a foreign `Host` is refused: it comes from DNS rebinding."""
    with on_a_thread(shop()) as handle:
        headers = {"Host": "evil.example:80"}
        response = post_raw_call(
            handle.url, {"name": "add", "arguments": {"a": 1}}, headers=headers
        )
        assert response.status_code == 421
        assert handle.call_log() == []


class TestArmedFailures:
    """What a caller gets, and what the log says, when a failure is armed."""

    def run(self, mode: str) -> tuple[Answer, Any]:
        server = LoggingFastMCP("failing")

        @server.tool(structured_output=False)
        def look() -> dict[str, int]:
            raise AssertionError("the real tool must not run")

        server.call_log.set_failure_mode(mode)
        with on_a_thread(server) as handle:
            return call_tool(handle.url, "look"), handle.call_log()[0]

    def test_malformed_json_is_really_malformed(self):
        """The answer does not parse, and it is not wrapped in something that does."""
        answer, call = self.run("malformed_json")
        with pytest.raises(ValueError, match="Expecting value"):
            json.loads(answer.text)
        assert answer == Answer("INVALID_JSON{{{", None, is_error=False)
        assert (call.result, call.extra) == ("INVALID_JSON{{{", {"injected": "malformed_json"})

    def test_a_tool_that_promised_a_structure_breaks_its_promise(self):
        """A client that checks structured answers refuses the broken one; the log shows what it was."""
        server = shop()
        server.call_log.failures.arm(ArmedFailure("add", "malformed_json"))
        with on_a_thread(server) as handle:
            with pytest.raises(ExceptionGroup):
                call_tool(handle.url, "add", {"a": 1})
            assert handle.call_log()[0].result == "INVALID_JSON{{{"

    def test_an_unexpected_emptiness_looks_like_an_answer(self):
        """Nothing is found, and nothing says that something is wrong."""
        answer, call = self.run("empty_unexpected")
        expected = {"result": "[]", "structuredContent": {"columns": [], "rows": []}}
        assert json.loads(answer.text) == call.result == expected
        assert not answer.is_error
        assert call.extra == {"injected": "empty_unexpected"}

    def test_a_denied_scope_is_a_403(self):
        """The error says what is not permitted."""
        answer, call = self.run("auth_scope_denied")
        assert answer.is_error
        assert call.result["code"] == 403
        assert "permission denied" in call.result["error"]
        assert json.loads(answer.text) == call.result

    def test_a_schema_error_asks_for_valid_values(self):
        """The refusal is flagged as one."""
        answer, call = self.run("schema_error")
        assert answer.is_error
        assert call.result["rejected"] is True
        assert call.result["error"].startswith("Schema validation error")

    def test_a_timeout_holds_the_call_back_and_then_runs_the_tool(self):
        """A caller that waits long enough gets the real answer; the log says it was held back."""
        server = shop()
        server.call_log.failures.arm(ArmedFailure("fetch", "timeout", delay_s=0.01))
        with on_a_thread(server) as handle:
            assert call_tool(handle.url, "fetch", {"key": "k"}).text == "value of k"
            (call,) = handle.call_log()
        assert (call.result, call.extra) == ("value of k", {"injected": "timeout"})

    def test_a_timeout_keeps_nobody_else_waiting(self):
        """While a call is held back, it is in the log and others are answered."""
        server = shop()
        server.call_log.failures.arm(ArmedFailure("fetch", "timeout", delay_s=3600))
        with on_a_thread(server) as handle:
            give_up = {"read_timeout_seconds": 0.3}
            with meanwhile(lambda: call_tool(handle.url, "fetch", {"key": "k"}, **give_up)):
                until(handle.call_log)
                assert handle.call_log()[0].extra == {"unfinished": True, "injected": "timeout"}
                assert call_tool(handle.url, "add", {"a": 1}).structured == {"sum": 3}
            assert handle.call_log()[0].extra["injected"] == "timeout"

    def test_only_the_named_tool_fails(self):
        """The others answer, and the handle says what is armed."""
        server = shop()
        server.call_log.failures.arm(ArmedFailure("fetch", "malformed_json"))
        with on_a_thread(server) as handle:
            assert call_tool(handle.url, "add", {"a": 1}).structured == {"sum": 3}
            assert handle.armed_failures() == [
                {"tool": "fetch", "mode": "malformed_json", "probability": 1.0}
            ]

    def test_a_rejected_call_shows_an_armed_failure_too(self):
        """The failure stands before the tool: wrong arguments do not get around it."""
        server = shop()
        server.call_log.failures.arm(ArmedFailure("fetch", "auth_scope_denied"))
        with on_a_thread(server) as handle:
            call_tool(handle.url, "fetch", {"wrong": 1})
            (call,) = handle.call_log()
        assert call.extra == {"injected": "auth_scope_denied"}

    def test_the_mode_changes_between_calls(self):
        """What the handle is told holds from the next call on."""
        with on_a_thread(shop()) as handle:
            handle.configure_failure_mode("auth_scope_denied")
            assert call_tool(handle.url, "add", {"a": 1}).is_error
            handle.configure_failure_mode(None)
            assert not call_tool(handle.url, "add", {"a": 1}).is_error
            with pytest.raises(ValueError, match="lazy"):
                handle.configure_failure_mode("lazy")
        injected = [call.extra.get("injected") for call in handle.call_log()]
        assert injected == ["auth_scope_denied", None]
