from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from mcp.server.mcpserver.server import Settings

from wt_git.mcp.failures import ArmedFailure
from wt_git.mcp.fastmcp import LoggingFastMCP


def declared() -> tuple[LoggingFastMCP, dict]:
    server = LoggingFastMCP("direct")

    @server.tool()
    def add(a: int, b: int = 2, **more: int) -> int:
        return a + b + sum(more.values())

    @server.tool(name="later")
    async def wait_for(value: str) -> str:
        await asyncio.sleep(0)
        return value

    @server.tool()
    def broken() -> None:
        raise LookupError("no")

    return server, {"add": add, "later": wait_for, "broken": broken}


def test_a_declared_tool_can_still_be_called():
    """The decorated function answers as before, and the call is logged by parameter name."""
    server, tools = declared()
    assert tools["add"](1, b=5, c=4) == 10
    assert tools["add"].__name__ == "add"
    (call,) = server.call_log.get_calls()
    assert (call.tool_name, call.args, call.result) == ("add", {"a": 1, "b": 5, "c": 4}, 10)


def test_defaults_are_not_logged_as_arguments():
    """Only what the caller gave is an argument."""
    server, tools = declared()
    tools["add"](1)
    assert server.call_log.get_calls()[0].args == {"a": 1}


def test_an_awaited_tool_logs_its_value():
    """Calling an asynchronous tool in process gives its value, not a coroutine, to the log."""
    server, tools = declared()
    assert asyncio.run(tools["later"]("x")) == "x"
    (call,) = server.call_log.get_calls()
    assert (call.tool_name, call.result) == ("later", "x")


def test_a_raising_tool_raises_and_is_logged():
    """A direct caller gets the exception, and the log its text."""
    server, tools = declared()
    with pytest.raises(LookupError):
        tools["broken"]()
    (call,) = server.call_log.get_calls()
    assert (call.result, call.extra) == ("no", {"error": "LookupError: no"})


def test_a_call_with_wrong_arguments_is_logged():
    """Arguments that fit no parameter are logged as far as they have names."""
    server, tools = declared()
    with pytest.raises(TypeError):
        tools["broken"](1, x=2)
    (call,) = server.call_log.get_calls()
    assert call.args == {"0": 1, "x": 2}
    assert call.extra["error"].startswith("TypeError")


def test_armed_failures_show_in_direct_calls():
    """A direct call fails like one over the wire."""
    server, tools = declared()
    server.call_log.set_failure_mode("malformed_json")
    assert tools["add"](1) == "INVALID_JSON{{{"
    assert asyncio.run(tools["later"]("x")) == "INVALID_JSON{{{"
    server.call_log.failures.arm(ArmedFailure("add", "timeout", delay_s=0.001))
    server.call_log.failures.arm(ArmedFailure("later", "timeout", delay_s=0.001))
    assert tools["add"](1) == 3
    assert asyncio.run(tools["later"]("x")) == "x"
    injected = [call.extra["injected"] for call in server.call_log.get_calls()]
    assert injected == ["malformed_json", "malformed_json", "timeout", "timeout"]


def test_the_first_of_two_tools_of_one_name_is_served():
    """Names are listed once, in the order in which they came."""
    server, _ = declared()

    @server.tool(name="add")
    def other() -> str:
        """Other."""
        return "other"

    assert server.served_tools() == ["add", "later", "broken"]
    assert len(server.served_tool_definitions()) == 3
    assert "Other" not in server.served_tool_definitions()[0]["description"]
    assert other() == "other"


def test_names_are_handed_out_as_a_copy():
    """Editing the list changes no server."""
    server, _ = declared()
    server.served_tools().clear()
    assert server.served_tools() == ["add", "later", "broken"]


def test_settings_are_the_sdks():
    """Options are passed on to the SDK's server."""
    server = LoggingFastMCP("named", host="127.0.0.1", port=1, debug=True, json_response=True)
    assert isinstance(server.settings, Settings)
    assert server.settings.debug is True


def test_an_option_that_the_sdk_does_not_know_is_refused():
    """A misspelt option is the SDK's to refuse, not ours to swallow."""
    with pytest.raises(TypeError, match="misspelt"):
        _ = LoggingFastMCP("named", misspelt=True).settings


def test_the_app_is_built_once():
    """`build_app` and `calls_app` are one and the same."""
    server, _ = declared()
    assert server.build_app() is server.build_app() is server.calls_app


@pytest.mark.parametrize("transport", ["stdio", "sse", ""])
def test_only_streamable_http_is_served(transport):
    """Any other transport is refused by name before anything is bound."""
    server, _ = declared()
    with pytest.raises(ValueError, match="streamable-http"):
        server.run(transport=transport)


_WITHOUT_SDK = """
import sys
sys.modules["mcp"] = None
from wt_git.mcp.fastmcp import LoggingFastMCP
server = LoggingFastMCP("bare")
@server.tool()
def add(a: int) -> int:
    return a + 1
assert add(1) == 2
assert server.served_tools() == ["add"]
assert [call.result for call in server.call_log.get_calls()] == [2]
assert server.build_app() is None
for use in (lambda: server.settings, server.run, server.served_tool_definitions):
    try:
        use()
    except RuntimeError as error:
        assert "pip install" in str(error)
    else:
        raise SystemExit("no error")
"""

_ROOT_LOGGER = """
import logging
from wt_git.mcp.fastmcp import LoggingFastMCP
LoggingFastMCP("quiet").settings
assert logging.getLogger().handlers == [], logging.getLogger().handlers
assert logging.getLogger().level == logging.WARNING
"""

_CHEAP = """
import sys
from wt_git.mcp.fastmcp import LoggingFastMCP
server = LoggingFastMCP("cheap")
@server.tool()
def add(a: int) -> int:
    return a + 1
add(1)
loaded = {"mcp", "uvicorn", "starlette", "pydantic", "httpx", "rich"} & set(sys.modules)
assert not loaded, loaded
"""


@pytest.mark.parametrize("script", [_WITHOUT_SDK, _ROOT_LOGGER, _CHEAP])
def test_in_a_process_of_its_own(script):
    """Tools work without the SDK; the SDK's logging set-up stays out; declaring loads nothing."""
    subprocess.run([sys.executable, "-W", "error", "-c", script], check=True, timeout=60)
