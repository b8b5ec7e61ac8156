"""Every documented shape of a reply is read, and no call in one is lost in silence."""

import contextlib
import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wt_git.api.replies import ReplyError, read_agent_reply
from wt_git.runner.safe_values import json_with_reprs

ARGS = {"account": "A-1"}
DELETE = [("delete_account", ARGS)]


def calls_in(response):
    """The names and the arguments of the calls that were read."""
    found = []
    for call in read_agent_reply(response).calls:
        function = call.get("function", call)
        arguments = function.get("arguments", function.get("args", {}))
        found.append(
            (function["name"], json.loads(arguments) if isinstance(arguments, str) else arguments)
        )
    return found


def openai_call(name="delete_account", args=ARGS):
    return {
        "id": "c1",
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(args)},
    }


def completion(finish_reason="tool_calls", **message):
    return {
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": None, **message},
            }
        ],
    }


def anthropic(*content, stop_reason="tool_use"):
    return {
        "type": "message",
        "role": "assistant",
        "content": list(content),
        "stop_reason": stop_reason,
        "usage": {"input_tokens": 3, "output_tokens": 4},
    }


def gemini(*parts, reason="STOP"):
    return {
        "candidates": [
            {"content": {"role": "model", "parts": list(parts)}, "finishReason": reason}
        ],
        "modelVersion": "gemini-3",
    }


def responses(*output, **more):
    return {
        "object": "response",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "output": list(output),
        "tools": [
            {
                "type": "function",
                "name": "delete_account",
                "parameters": {"type": "object", "properties": {}},
            }
        ],
        **more,
    }


PARALLEL = {"tool_uses": [{"recipient_name": "functions.delete_account", "parameters": ARGS}]}

WITH_A_CALL = {
    "chat completion": completion(tool_calls=[openai_call()]),
    "legacy function_call": completion(function_call={"name": "delete_account", "arguments": json.dumps(ARGS)}),
    "custom": completion(tool_calls=[{"id": "c", "type": "custom", "custom": {"name": "delete_account", "input": json.dumps(ARGS)}}]),
    "parallel": completion(tool_calls=[openai_call("multi_tool_use.parallel", PARALLEL)]),
    "chunk": {"object": "chat.completion.chunk", "choices": [{"delta": {"tool_calls": [openai_call()]}}]},
    "anthropic": anthropic({"type": "text", "text": "Sure."}, {"type": "tool_use", "id": "t", "name": "delete_account", "input": ARGS}),
    "anthropic server tool": anthropic({"type": "server_tool_use", "id": "t", "name": "delete_account", "input": ARGS}),
    "anthropic mcp": anthropic({"type": "mcp_tool_use", "id": "t", "name": "delete_account", "server_name": "s", "input": ARGS}),
    "gemini": gemini({"text": "ok"}, {"functionCall": {"name": "delete_account", "args": ARGS}}),
    "google-genai": gemini({"text": None, "function_call": {"id": None, "name": "delete_account", "args": ARGS}}),
    "responses": responses({"type": "reasoning", "summary": []}, {"type": "function_call", "call_id": "c", "name": "delete_account", "arguments": json.dumps(ARGS)}),
    "responses mcp": responses({"type": "mcp_call", "id": "m", "server_label": "s", "name": "delete_account", "arguments": json.dumps(ARGS), "output": "done"}),
    "mistral": completion(tool_calls=[{"id": "m", "function": {"name": "delete_account", "arguments": ARGS}}]),
    "converse": {"output": {"message": {"role": "assistant", "content": [{"text": "x"}, {"toolUse": {"toolUseId": "t", "name": "delete_account", "input": ARGS}}]}}, "stopReason": "tool_use"},
    "cohere v2": {"id": "c", "finish_reason": "TOOL_CALL", "message": {"role": "assistant", "tool_plan": "I will", "tool_calls": [openai_call()]}},
    "cohere v1": {"text": "", "generation_id": "g", "tool_calls": [{"name": "delete_account", "parameters": ARGS}]},
    "ollama": {"message": {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "delete_account", "arguments": ARGS}}]}, "done": True},
    "langchain": {"type": "ai", "content": "", "tool_calls": [{"name": "delete_account", "args": ARGS, "id": "l", "type": "tool_call"}], "invalid_tool_calls": [], "additional_kwargs": {"tool_calls": [openai_call()]}},
    "langchain content": {"type": "ai", "content": [{"type": "tool_use", "id": "t", "name": "delete_account", "input": ARGS}], "tool_calls": []},
    "langchain data": {"type": "ai", "data": {"content": "", "tool_calls": [{"name": "delete_account", "args": ARGS}]}},
    "langchain raw only": {"type": "ai", "content": "", "additional_kwargs": {"tool_calls": [openai_call()]}},
    "pydantic-ai": {"kind": "response", "parts": [{"part_kind": "text", "content": "x"}, {"part_kind": "tool-call", "tool_name": "delete_account", "args": ARGS, "tool_call_id": "p"}]},
    "vercel": {"text": "", "toolCalls": [{"toolCallId": "v", "toolName": "delete_account", "input": ARGS}]},
    "flat": {"content": "", "tool_calls": [{"name": "delete_account", "args": ARGS}]},
    "mistral conversation": {"object": "conversation.response", "outputs": [{"type": "message.output", "role": "assistant", "content": "x"}, {"type": "function.call", "name": "delete_account", "arguments": json.dumps(ARGS), "tool_call_id": "m"}]},
    "mistral's own tool": {"outputs": [{"type": "agent.handoff", "next_agent_name": "a"}, {"type": "tool.execution", "name": "delete_account", "arguments": json.dumps(ARGS)}]},
    "gemini interaction": {"outputs": [{"type": "thought", "signature": "s"}, {"type": "function_call", "id": "g", "name": "delete_account", "arguments": ARGS}]},
    "a function named by a string": {"content": "", "tool_calls": [{"function": "delete_account", "arguments": json.dumps(ARGS)}]},
    "a call as an argument of its wrapper": {"content": [{"functionCall": {"name": "delete_account", "args": ARGS}}]},
}  # fmt: skip


@pytest.mark.parametrize("shape", WITH_A_CALL)
def test_the_call_in_each_documented_shape_is_read(shape):
    assert calls_in(WITH_A_CALL[shape]) == DELETE


def test_other_calls_are_read_by_name():
    assert calls_in({"content": "x", "tool_calls": ["a", "b"]}) == [("a", {}), ("b", {})]
    searched = responses({"type": "web_search_call", "id": "w", "action": {"query": "x"}})
    assert calls_in(searched) == [("web_search", {"query": "x"})]
    coded = gemini({"executableCode": {"language": "PYTHON", "code": "1+1"}})
    assert [name for name, _ in calls_in(coded)] == ["code_execution"]


WITH_TEXT = {
    "flat": ({"content": "hello"}, "hello"),
    "blank": ({"content": " "}, " "),
    "null with a normal end": (completion("stop"), ""),
    "parts": ({"content": [{"type": "text", "text": "hel"}, {"type": "output_text", "text": "lo"}]}, "hello"),
    "thinking": (anthropic({"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "hello"}), "hello"),
    "search": (anthropic({"type": "web_search_tool_result", "content": [{"type": "web_search_result", "name": "x", "input": 1}]}, {"type": "text", "text": "hello"}), "hello"),
    "refusal": (completion("stop", refusal="I cannot"), "I cannot"),
    "refusal part": (responses({"type": "message", "content": [{"type": "refusal", "refusal": "I cannot"}]}), "I cannot"),
    "spoken": (completion("stop", audio={"transcript": "hello"}), "hello"),
    "gemini thought": (gemini({"text": "hm", "thought": True}, {"text": "hello"}), "hello"),
    "legacy completion": ({"choices": [{"text": "hello", "finish_reason": "stop"}]}, "hello"),
    "partly filtered": (completion("content_filter", content="hel"), "hel"),
    "settings that speak of calls": (responses({"type": "message", "content": [{"type": "output_text", "text": "hello"}]}, parallel_tool_calls=True, max_tool_calls=3), "hello"),
    "an account of hosted tools": ({"content": "hello", "response_metadata": {"token_usage": {"server_tool_use": {"web_search_requests": 1}}}}, "hello"),
    "definitions": ({"content": "hello", "tools": [{"name": "t", "input": {}}]}, "hello"),
}  # fmt: skip


@pytest.mark.parametrize("shape", WITH_TEXT)
def test_the_text_of_each_shape_is_read(shape):
    response, text = WITH_TEXT[shape]
    reply = read_agent_reply(response)
    assert (reply.content, reply.calls, reply.blocked) == (text, [], None)


BLOCKED = {
    "content_filter": completion("content_filter"),
    "refusal": anthropic(stop_reason="refusal"),
    "safety": gemini(reason="SAFETY"),
    "other": {"promptFeedback": {"blockReason": "OTHER"}, "candidates": []},
    "prohibited_content": {"prompt_feedback": {"block_reason": "BlockedReason.PROHIBITED_CONTENT"}},
    "guardrail_intervened": {"output": {"message": {"content": []}}, "stopReason": "guardrail_intervened"},
}  # fmt: skip


@pytest.mark.parametrize("reason", BLOCKED)
def test_a_withheld_answer_says_why(reason):
    assert read_agent_reply(BLOCKED[reason]).blocked == reason


ERRORS = [
    ({"error": {"type": "rate_limit_error", "message": "slow down"}}, "provider", "slow down"),
    ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "provider", "Overloaded"),
    ({"error": {"code": 401, "message": "Invalid API key"}}, "operator", "Invalid API key"),
    ({"error": "something odd"}, "inconclusive", "something odd"),
    ({"object": "error", "message": "Rate limit exceeded", "code": 429}, "provider", "Rate limit"),
    ({"__type": "ThrottlingException", "message": "Too fast"}, "provider", "Too fast"),
    ({"detail": "Unauthorized", "status": 401}, "operator", "Unauthorized"),
    ({"content": "", "error": "HTTP 503"}, "inconclusive", "HTTP 503"),
    (responses(status="failed", error={"code": "server_error", "message": "broke"}), "provider", "broke"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "wanted", "text"), ERRORS)
def test_an_error_body_is_no_answer(body, wanted, text):
    with pytest.raises(ReplyError, match=text) as caught:
        read_agent_reply(body)
    assert caught.value.failure_class == wanted


def test_an_error_beside_an_answer_is_kept():
    reply = read_agent_reply({"content": "half an answer", "error": {"message": "cut off"}})
    assert (reply.content, reply.error) == ("half an answer", "cut off")


UNREADABLE = [
    {},
    {"foo": 1},
    {"choices": []},
    {"choices": [{"finish_reason": "stop"}]},
    {"content": "x", "tool_calls": [{"weird": 1}]},
    {"content": "x", "tool_calls": [{"function": {"arguments": "{}"}}]},
    {"content": "x", "tool_calls": [{"type": "function", "function": {"name": " "}}]},
    {"content": "x", "tool_calls": [7]},
    {"content": "x", "toolUse": [{"name": "delete_account"}]},
    {"content": "x", "extra": {"function_call": {"name": "delete_account"}}},
    {"content": "x", "metadata": [{"steps": [{"name": "delete_account", "arguments": {}}]}]},
    {"content": [{"type": "hologram", "data": 1}]},
    {"content": [{"type": "tool_use", "input": {}}]},
    {"content": "x", "invalid_tool_calls": [{"name": "delete_account", "args": "{"}]},
    {"choices": [{"message": {"content": "x"}}, {"message": {"tool_calls": [openai_call()]}}]},
    completion(tool_calls=[openai_call("multi_tool_use.parallel", {"tool_uses": "all"})]),
    {"text": "x", "steps": [{"type": "tool-call", "toolName": "delete_account"}]},
    {"choices": [{"message": {"role": "assistant"}, "finish_reason": "stop"}]},
    {"choices": [{"message": {}, "finish_reason": "stop"}]},
    {"message": {"role": "assistant"}},
    {"candidates": [{"index": 0}]},
    {"content": "x", "usage": {"steps": [{"name": "delete_account", "args": ARGS}]}},
    {"content": "x", "calls": ["delete_account"]},
    {"content": "x", "tools_called": ["delete_account"]},
    {"content": "x", "toolsUsed": ["delete_account"]},
    {"content": "x", "called_functions": "delete_account"},
    {"content": "x", "tool_invocations": [{"name": "delete_account"}]},
    {"content": "x", "agent": {"function_calls_made": ["delete_account"]}},
    {"content": "x", "log": [{"name": "delete_account", "params": ARGS}]},
    {"content": "x", "log": [{"tool": "delete_account", "kwargs": ARGS}]},
    {"content": "x", "log": [{"function": "delete_account", "arguments": "{}"}]},
    {"content": "x", "steps": [{"action": "delete_account", "action_input": "A-1"}]},
    {"content": "x", "returnControl": {"invocationInputs": [{"apiInvocationInput": {"apiPath": "/d"}}]}},
]  # fmt: skip


@pytest.mark.parametrize("response", UNREADABLE, ids=lambda one: json.dumps(one)[:60])
def test_what_cannot_be_read_is_refused_and_named(response):
    with pytest.raises(ReplyError) as caught:
        read_agent_reply(response)
    assert caught.value.failure_class == "harness"
    assert str(caught.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "data", "meta", "items", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)
CALLS = [
    openai_call(),
    {"type": "tool_use", "id": "t", "name": "delete_account", "input": ARGS},
    {"type": "function_call", "call_id": "c", "name": "delete_account", "arguments": "{}"},
    {"functionCall": {"name": "delete_account", "args": ARGS}},
    {"toolUse": {"toolUseId": "t", "name": "delete_account", "input": ARGS}},
    {"name": "delete_account", "args": ARGS},
    {"name": "delete_account", "parameters": ARGS},
    {"toolName": "delete_account", "input": ARGS},
    {"part_kind": "tool-call", "tool_name": "delete_account", "args": ARGS},
    {"recipient_name": "functions.delete_account", "parameters": ARGS},
    {"tool_calls": [openai_call()]},
    {"function_call": {"name": "delete_account", "arguments": "{}"}},
]  # fmt: skip


def containers(value, found):
    """Every object and list inside a response."""
    if isinstance(value, dict):
        found.append(value)
        for inside in value.values():
            containers(inside, found)
    elif isinstance(value, list):
        found.append(value)
        for inside in value:
            containers(inside, found)
    return found


def never_lost(data):
    """Put a call somewhere into an object: it is in the trace, or the reply is refused."""
    base = data.draw(
        st.sampled_from(
            [{"content": "done"}, *WITH_A_CALL.values(), *(one for one, _ in WITH_TEXT.values())]
        )
    )
    response = copy.deepcopy(base)
    response["extra"] = data.draw(JSON)
    places = [one for one in containers(response, []) if not _is_kept_out(response, one)]
    place = data.draw(st.sampled_from(places))
    hidden = json.loads(
        json.dumps(data.draw(st.sampled_from(CALLS))).replace("delete_account", "hidden_tool")
    )
    if isinstance(place, list):
        place.insert(data.draw(st.integers(0, len(place))), hidden)
    else:
        place[data.draw(st.sampled_from(["a", "meta", "extra2", "output2"]))] = hidden
    try:
        reply = read_agent_reply(response)
    except (ReplyError, TypeError):
        return
    kept = json.dumps(json_with_reprs(reply.calls))
    assert "hidden_tool" in kept, (base, hidden)


def _is_kept_out(response, place) -> bool:
    """Say whether `place` is part of a request, an account or a result, where no call is an answer's."""
    kept_out = []
    for one in containers(response, []):
        if isinstance(one, dict):
            kept_out += [one[key] for key in ("tools",) if key in one]
            if "result" in str(one.get("type")):
                kept_out.append(one)
    return any(place is inner for out in kept_out for inner in containers(out, []))


@given(st.data())
@settings(max_examples=50, suppress_health_check=list(HealthCheck), deadline=None)
def test_a_call_anywhere_is_read_or_the_reply_is_refused(data):
    never_lost(data)


@pytest.mark.thorough
@given(st.data())
@settings(max_examples=500, suppress_health_check=list(HealthCheck), deadline=None)
def test_500_calls_anywhere(data):
    never_lost(data)


@pytest.mark.exhaustive
@given(st.data())
@settings(max_examples=5000, suppress_health_check=list(HealthCheck), deadline=None)
def test_5000_calls_anywhere(data):
    never_lost(data)


@given(JSON)
def test_any_object_is_read_or_refused(value):
    response = value if isinstance(value, dict) else {"content": value}
    with contextlib.suppress(ReplyError, TypeError):
        assert isinstance(read_agent_reply(response).content, str)
