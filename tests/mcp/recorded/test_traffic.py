"""A recorded universe over real MCP traffic, with the official client."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kit.mcp_client import call_tool, call_tools, list_tools, meanwhile, post_raw_call, until
from kit.traces import json_values
from kit.universes import few_args, orders
from mcp import Client

from wt_git.api.universe import freeze_universe
from wt_git.mcp import RecordedMCPServer


@contextlib.contextmanager
def serving(universe, **options):
    server = RecordedMCPServer(universe, **options)
    try:
        yield server.start()
    finally:
        server.stop()


def saying(*results, schema=None, **matching):
    """A universe whose tool `say` gives `results[n]` for `{"n": n}`."""
    calls = [{"tool_name": "say", "args": {"n": n}, "result": one} for n, one in enumerate(results)]
    tool = {"name": "say", "input_schema": {"type": "object"}, "result_schema": schema}
    return freeze_universe(calls, [tool], matching=matching)


def test_the_tools_are_listed_as_they_were_recorded():
    """By name, description and input schema."""
    with serving(orders()) as handle:
        listed = list_tools(handle.url)
        assert [(tool.name, tool.description, tool.input_schema) for tool in listed] == [
            (tool["name"], tool["description"], tool["input_schema"])
            for tool in handle.served_tool_definitions()
        ]


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (None, "null"),
        ("hi", '"hi"'),
        (7, "7"),
        (True, "true"),
        (["a", 1], '["a", 1]'),
        ({"ok": "héllo"}, '{"ok": "héllo"}'),
        ({}, "{}"),
    ],
)
def test_an_answer_is_its_json(result, text):
    """In one text part, and as structured content too where it is an object."""
    with serving(saying(result)) as handle:
        answer = call_tool(handle.url, "say", {"n": 0})
        assert answer.text == text
        assert answer.structured == (result if isinstance(result, dict) else None)
        assert not answer.is_error
        assert handle.call_log()[0].result == result


@pytest.mark.parametrize(
    ("result", "is_error"),
    [
        ({"error": "not found"}, True),
        ({"error": {"code": 1}}, True),
        ({"error": None}, False),
        ({"error": ""}, False),
        ({"errors": ["x"]}, False),
        (["error"], False),
        ("error", False),
    ],
)
def test_only_an_object_with_an_error_is_flagged_as_one(result, is_error):
    """An answer that says there is none is no error."""
    with serving(saying(result)) as handle:
        assert call_tool(handle.url, "say", {"n": 0}).is_error == is_error


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}},
        {"type": "object", "required": ["missing"]},
        {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False},
        {"type": "string"},
        {"type": "nonsense", "properties": 3},
    ],
)
def test_no_client_refuses_an_answer_over_a_result_schema(schema):
    """The recording may not keep it, nor may an empty answer or a failure."""
    results = (["a"], {"a": 1}, {"b": 2}, "text")
    with serving(saying(*results, schema=schema, on_miss="empty")) as handle:
        assert list_tools(handle.url)[0].name == "say"
        calls = [("say", {"n": n}) for n in range(5)]
        texts = [answer.text for answer in call_tools(handle.url, calls)]
        assert texts[:4] == [json.dumps(one) for one in results]
        handle.configure_failure_mode("malformed_json")
        assert call_tool(handle.url, "say", {"n": 0}).text == "INVALID_JSON{{{"
        assert handle.served_tool_definitions()[0]["result_schema"] == schema


def test_wrong_arguments_and_wrong_tools_are_misses():
    """Nothing is validated away before the log: what the agent asked is the evidence."""
    with serving(orders()) as handle:
        wrong = [("find_order", {"order": 7, "color": None}), ("find_odor", {"order": "A1"})]
        answers = call_tools(handle.url, wrong)
        for (name, args), answer, call in zip(wrong, answers, handle.call_log(), strict=True):
            refusal = {"error": "no_recorded_result", "tool": name, "args": args}
            assert answer.is_error
            assert answer.structured == json.loads(answer.text) == call.result == refusal
            assert (call.tool_name, call.args) == (name, args)
            assert call.extra == {"divergence": {"policy": "fail_call", "matched": None}}


@pytest.mark.parametrize(
    "params", [{"name": "poll", "arguments": [1]}, {"name": 7}, {"arguments": {}}, {}]
)
def test_a_call_that_breaks_the_protocol_is_logged_and_uses_nothing_up(params):
    """With what was wrong with it."""
    with serving(orders()) as handle:
        assert "error" in post_raw_call(handle.url, params).json()
        (call,) = handle.call_log()
        assert call.extra["error"]
        assert "unfinished" not in call.extra
        assert handle.call_tool("poll") == "queued"


def test_calls_of_either_way_share_log_and_sequence():
    """In process and over the network there is one server."""
    with serving(orders()) as handle:
        assert handle.call_tool("poll") == "queued"
        assert call_tool(handle.url, "poll").text == '"done"'
        assert call_tool(handle.url, "poll").is_error
        assert [call.extra for call in handle.call_log()][:2] == [{}, {}]
        handle.reset_call_log()
        assert call_tool(handle.url, "poll").text == '"queued"'


def test_two_sessions_never_get_the_same_recording_of_a_sequence():
    """However many calls are under way at once."""
    calls = [{"tool_name": "poll", "args": {}, "result": n} for n in range(60)]
    tool = {"name": "poll", "input_schema": {}, "mode": "sequence"}

    async def take(url, count):
        async with Client(url) as client:
            answers = await asyncio.gather(*(client.call_tool("poll", {}) for _ in range(count)))
            return [int(answer.content[0].text) for answer in answers]

    async def together(url):
        return await asyncio.gather(*(take(url, 20) for _ in range(3)))

    with serving(freeze_universe(calls, [tool])) as handle:
        taken = [one for part in asyncio.run(together(handle.url)) for one in part]
        assert sorted(taken) == list(range(60))
        assert sorted(call.result for call in handle.call_log()) == list(range(60))


def test_a_hook_answers_over_the_network_and_holds_nobody_up():
    """While it thinks, other calls are answered and the evidence can be read."""
    thinking, go_on = threading.Event(), threading.Event()

    def synthesize(tool, args, universe):
        thinking.set()
        assert go_on.wait(30)
        return {"status": "made up", "at": {1}}

    with serving(orders(on_miss="synthesize"), synthesize=synthesize) as handle:
        with meanwhile(lambda: call_tool(handle.url, "find_order", {"order": "A3"})) as outcome:
            assert thinking.wait(30)
            assert call_tool(handle.url, "find_order", {"order": "A1"}).text
            go_on.set()
        assert json.loads(outcome[0].text) == {"status": "made up", "at": "{1}"}
        assert handle.call_log()[0].result == {"status": "made up", "at": {1}}


def test_a_hook_that_raises_is_an_error_for_the_agent():
    """And the call is in the log."""

    def synthesize(tool, args, universe):
        raise LookupError("no idea")

    with serving(orders(on_miss="synthesize"), synthesize=synthesize) as handle:
        answer = call_tool(handle.url, "find_order", {"order": "A3"})
        assert answer.is_error
        assert "no idea" in answer.text
        (call,) = handle.call_log()
        assert call.extra == {
            "divergence": {"policy": "synthesize", "matched": None},
            "error": "LookupError: no idea",
        }


def test_failures_reach_the_agent_as_they_are():
    """Broken text is broken, and a refusal is flagged as one."""
    with serving(orders()) as handle:
        handle.configure_failure_mode("malformed_json")
        broken = call_tool(handle.url, "poll")
        assert (broken.text, broken.structured, broken.is_error) == ("INVALID_JSON{{{", None, False)
        handle.configure_failure_mode("empty_unexpected")
        empty = call_tool(handle.url, "poll")
        assert empty.structured == {
            "result": "[]",
            "structuredContent": {"columns": [], "rows": []},
        }
        handle.configure_failure_mode("auth_scope_denied")
        denied = call_tool(handle.url, "poll")
        assert denied.is_error
        assert json.loads(denied.text)["code"] == 403
        assert [call.extra for call in handle.call_log()] == [{}, {}, {}]


def test_a_timeout_holds_up_its_caller_only():
    """One that gave up has used nothing."""
    server = RecordedMCPServer(orders())
    server.arm_failure(tool="poll", mode="timeout", delay_s=30)
    try:
        handle = server.start()

        def impatient():
            with contextlib.suppress(httpx.TimeoutException):
                post_raw_call(handle.url, {"name": "poll"}, timeout=1)

        with meanwhile(impatient):
            until(handle.call_log)
            assert call_tool(handle.url, "find_order", {"order": "A1"}).text
        handle.configure_failure_mode(None)
        assert handle.call_tool("poll") == "queued"
        assert handle.call_log()[0].extra["injected"] == "timeout"
    finally:
        server.stop()


def test_what_has_no_unicode_form_is_sent_escaped():
    """Half of a surrogate pair stands in many an agent's log."""
    results = ("half \ud83d", {"half": "\ud83d"}, {"\ud83d": 1, "error": "x"})
    with serving(saying(*results)) as handle:
        for n, result in enumerate(results):
            answer = call_tool(handle.url, "say", {"n": n})
            assert json.loads(answer.text) == result
            assert answer.structured is None
            assert answer.is_error == (n == 2)


def test_a_deep_answer_arrives_whole():
    """As deep as a universe may be."""
    deep = {}
    for _ in range(99):
        deep = {"in": deep}
    with serving(saying(deep)) as handle:
        assert call_tool(handle.url, "say", {"n": 0}).structured == deep


@pytest.fixture(scope="module")
def echo():
    """A server whose hook answers with the arguments."""
    universe = orders(on_miss="synthesize")
    with serving(universe, synthesize=lambda tool, args, universe: args["value"]) as handle:
        yield handle


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=json_values() | few_args(), data=st.data())
def test_any_json_comes_back_as_it_went(echo, value, data):
    """Through the official client, both ways."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    echo.reset_call_log()
    answer = call_tool(echo.url, "say_what", {"value": value})
    assert json.dumps(json.loads(answer.text), sort_keys=True) == json.dumps(value, sort_keys=True)
    assert json.dumps(echo.call_log()[0].args) == json.dumps({"value": value})
