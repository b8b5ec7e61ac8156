"""A recorded conversation is read strictly, and the first place that is wrong is named."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.conversations import call, envelope, envelopes, message, response, said, text
from kit.traces import json_values

from wt_git.api.interchange import (
    InterchangeFormatError,
    InterchangeMessage,
    InterchangeToolDefinition,
    InterchangeTrace,
    InterchangeWitnessedCall,
    TextPart,
    ToolCallPart,
    ToolCallResponsePart,
    build_envelope,
    load_interchange,
    parse_interchange,
)


def test_everything_that_a_conversation_says_is_read():
    """Each section becomes values; what the format does not know is ignored."""
    raw = envelope(
        message("user", text("one"), text("two")) | {"name": "ignored"},
        message("assistant", call("c1", "look", at=[1])),
        message("tool", response("c1", None)),
        provider="p",
        otel_genai_mapping="v1.37",
        source={"ref": "langfuse:1", "host": "h"},
        tool_definitions=[{"name": "look", "description": "d", "input_schema": {"a": 1}}],
        witnessed_calls=[{"tool_name": "look", "args": {"at": [1]}, "result": False}],
    )
    raw["later"] = "ignored"
    assert parse_interchange(raw) == InterchangeTrace(
        windtunnel_interchange=1,
        otel_genai_mapping="v1.37",
        session={"model": "m-1", "provider": "p"},
        messages=(
            InterchangeMessage("user", (TextPart("one"), TextPart("two"))),
            InterchangeMessage("assistant", (ToolCallPart("c1", "look", {"at": [1]}),)),
            InterchangeMessage("tool", (ToolCallResponsePart("c1", None),)),
        ),
        source={"ref": "langfuse:1", "host": "h"},
        tool_definitions=(InterchangeToolDefinition("look", "d", {"a": 1}, None),),
        witnessed_calls=(InterchangeWitnessedCall("look", {"at": [1]}, False),),
    )


def test_the_least_conversation():
    """Version, model and a list of messages, which may be empty; null sections are absent ones."""
    least = {"windtunnel_interchange": 1, "session": {"model": "m"}, "messages": []}
    nulls = dict.fromkeys(
        ("otel_genai_mapping", "source", "tool_definitions", "witnessed_calls"), None
    )
    trace = parse_interchange(least)
    assert trace == parse_interchange({**least, **nulls})
    assert (trace.model, trace.source_ref, trace.otel_genai_mapping) == ("m", None, "")
    assert (trace.tool_definitions, trace.witnessed_calls) == (None, None)


def test_empty_sections_are_not_absent_ones():
    """That no call was witnessed is a statement."""
    trace = parse_interchange(envelope(tool_definitions=[], witnessed_calls=[]))
    assert (trace.tool_definitions, trace.witnessed_calls) == ((), ())


def test_the_session_keeps_what_else_is_in_it():
    """Provider, sampler, times, whatever the exporter has."""
    raw = envelope()
    raw["session"] = {"model": "m", "sampler": {"t": 0}, "started_at": "then"}
    assert parse_interchange(raw).session == raw["session"]


def test_optional_members_of_a_tool_may_be_null():
    """As if they were not there."""
    tool = {"name": "t", "description": None, "input_schema": None, "result_schema": None}
    assert parse_interchange(envelope(tool_definitions=[tool])).tool_definitions == (
        InterchangeToolDefinition("t"),
    )


def test_an_origin_is_a_text_that_is_not_empty(subtests):
    """Anything else under `ref` is kept and is no reference."""
    for ref in ["", None, 3, ["x"]]:
        with subtests.test(ref=ref):
            trace = parse_interchange(envelope(source={"ref": ref}))
            assert trace.source == {"ref": ref}
            assert trace.source_ref is None


def test_the_text_of_a_message_leaves_calls_out():
    """Text parts stand on lines of their own."""
    raw = envelope(message("assistant", text("a"), call(), text("b")))
    assert parse_interchange(raw).messages[0].text_content() == "a\nb"


def test_values_are_frozen():
    """A conversation was; nobody changes it."""
    trace = parse_interchange(envelope())
    for value in (trace, trace.messages[0], *trace.messages[0].parts):
        with pytest.raises(dataclasses.FrozenInstanceError):
            value.role = "x"


def without(*path):
    """A conversation in which the member at `path` is missing."""
    return changed(*path, to=None, remove=True)


def changed(*path, to, remove=False):
    """A conversation whose member at `path` is another one."""
    raw = copy.deepcopy(
        envelope(
            said("user", "hi"),
            message("assistant", call(), text("x")),
            message("tool", response()),
            source={"ref": "r"},
            tool_definitions=[{"name": "look", "input_schema": {}, "result_schema": {}}],
            witnessed_calls=[{"tool_name": "look", "args": {}, "result": 1}],
        )
    )
    at = raw
    for step in path[:-1]:
        at = at[step]
    if remove:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return raw


CALL = ("messages", 1, "parts", 0)
ANSWER = ("messages", 2, "parts", 0)
REFUSED = [
    (without("windtunnel_interchange"), "windtunnel_interchange must be a positive integer"),
    *(
        (changed("windtunnel_interchange", to=wrong), "must be a positive integer")
        for wrong in (0, -1, True, False, "1", 1.0, None, [1])
    ),
    (changed("windtunnel_interchange", to=2), "unsupported windtunnel_interchange 2"),
    (changed("windtunnel_interchange", to=10**100), "unsupported"),
    (without("session"), "session is missing"),
    (changed("session", to="m"), "session must be an object, got 'm'"),
    (without("session", "model"), "session.model must be a non-empty string"),
    (changed("session", "model", to=""), "session.model must be a non-empty string"),
    (changed("session", "model", to=["m"]), "session.model must be a non-empty string"),
    (without("messages"), "messages is missing"),
    (changed("messages", to={}), "messages must be an array"),
    (changed("messages", 1, to="hi"), "messages[1] must be an object"),
    (changed("messages", 1, "role", to=""), "messages[1].role must be a non-empty string"),
    (without("messages", 1, "parts"), "messages[1].parts is missing"),
    (changed("messages", 1, "parts", to="text"), "messages[1].parts must be an array"),
    (changed(*CALL, to=None), "messages[1].parts[0] must be an object, got null"),
    (without(*CALL, "type"), "messages[1].parts[0].type must be one of"),
    *(
        (
            changed(*CALL, "type", to=wrong),
            "messages[1].parts[0].type must be one of ['text', 'tool_call', 'tool_call_response']",
        )
        for wrong in ("toolCall", "toolCallResponse", "TEXT", "image", "", None, 1, ["text"], {})
    ),
    (without("messages", 1, "parts", 1, "content"), "messages[1].parts[1].content is missing"),
    (changed("messages", 0, "parts", 0, "content", to=1), "content must be a string, got 1"),
    (changed(*CALL, "id", to=""), "messages[1].parts[0].id must be a non-empty string"),
    (changed(*CALL, "id", to=7), "messages[1].parts[0].id must be a non-empty string, got 7"),
    (without(*CALL, "name"), "messages[1].parts[0].name must be a non-empty string"),
    (without(*CALL, "arguments"), "messages[1].parts[0].arguments is missing"),
    (changed(*CALL, "arguments", to="{}"), "messages[1].parts[0].arguments"),
    (changed(*CALL, "arguments", to="{}"), "JSON-encoded string"),
    (changed(*CALL, "arguments", to=[]), "messages[1].parts[0].arguments must be an object"),
    (without(*ANSWER, "response"), "messages[2].parts[0].response is missing"),
    (without(*ANSWER, "id"), "messages[2].parts[0].id must be a non-empty string"),
    (changed("otel_genai_mapping", to=1), "otel_genai_mapping must be a string"),
    (changed("source", to="ref"), "source must be an object"),
    (changed("tool_definitions", to={}), "tool_definitions must be an array"),
    (changed("tool_definitions", 0, "name", to=""), "tool_definitions[0].name must be"),
    (changed("tool_definitions", 0, "description", to=1), "tool_definitions[0].description"),
    (
        changed("tool_definitions", 0, "input_schema", to=[]),
        "tool_definitions[0].input_schema must be an object",
    ),
    (changed("tool_definitions", 0, "result_schema", to="{}"), "[0].result_schema must be"),
    (changed("witnessed_calls", to="x"), "witnessed_calls must be an array"),
    (changed("witnessed_calls", 0, "tool_name", to=None), "witnessed_calls[0].tool_name must be"),
    (changed("witnessed_calls", 0, "args", to="{}"), "witnessed_calls[0].args must be an object"),
    (without("witnessed_calls", 0, "args"), "witnessed_calls[0].args is missing"),
    (without("witnessed_calls", 0, "result"), "witnessed_calls[0].result is missing"),
    ([], "the document must be an object, got an array"),
    (None, "the document must be an object, got null"),
]


def test_what_is_wrong_is_named_by_its_place(subtests):
    """Members by name, entries of arrays by number."""
    for raw, told in REFUSED:
        with subtests.test(raw=raw, told=told):
            with pytest.raises(InterchangeFormatError) as refused:
                parse_interchange(raw)
            assert told in str(refused.value)
            assert isinstance(refused.value, ValueError)


def test_values_that_cannot_be_written_again_are_refused():
    """An exporter in Python may hand over what JSON does not have."""
    raw = envelope(message("assistant", call("c", "t", at=float("nan"))))
    with pytest.raises(InterchangeFormatError, match=r"parts\[0\]\.arguments\.at must be a JSON"):
        parse_interchange(raw)


def test_what_was_read_does_not_change_with_its_source():
    """Nothing is shared."""
    raw = envelope(message("assistant", call("c", "t", at=[1])), source={"a": [1]})
    trace = parse_interchange(raw)
    raw["messages"][0]["parts"][0]["arguments"]["at"].append(2)
    raw["source"]["a"].append(2)
    assert trace.messages[0].parts[0].arguments == {"at": [1]}
    assert trace.source == {"a": [1]}


@given(envelopes())
def test_every_conversation_that_follows_the_format_is_read(raw):
    """Whatever its texts are; through a file as well."""
    trace = parse_interchange(raw)
    assert trace == parse_interchange(json.loads(json.dumps(raw)))
    assert [len(one.parts) for one in trace.messages] == [len(m["parts"]) for m in raw["messages"]]


@given(json_values())
def test_any_json_is_a_conversation_or_refused(raw):
    """No other error, however odd the document is."""
    is_one_or_refused(raw)


@given(envelopes(), json_values(), st.data())
def test_a_conversation_with_a_changed_member_is_one_or_refused(raw, value, data):
    """The same close to the format, where more of it is looked at."""
    at = raw
    for _ in range(data.draw(st.integers(0, 5))):
        keys = [*at] if isinstance(at, dict) else [*range(len(at))]
        inner = [key for key in keys if isinstance(at[key], (dict, list)) and at[key]]
        if not inner:
            break
        at = at[data.draw(st.sampled_from(inner))]
    keys = [*at] if isinstance(at, dict) else [*range(len(at))]
    if keys:
        at[data.draw(st.sampled_from(keys))] = value
    is_one_or_refused(raw)


def is_one_or_refused(raw):
    with contextlib.suppress(InterchangeFormatError):
        assert isinstance(parse_interchange(raw), InterchangeTrace)


def test_a_file_that_is_no_json_is_refused_with_its_name(subtests):
    """One error for everything that a file can hold."""
    for data in [
        b"",
        b"{",
        b"not json",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"windtunnel_interchange": ' + b"9" * 5000 + b"}",
        b'{"windtunnel_interchange": NaN}',
        b'{"windtunnel_interchange": 1} trailing',
    ]:
        with subtests.test(data=data):
            Path("x.wtin.json").write_bytes(data)
            with pytest.raises(InterchangeFormatError, match=r"\Ax\.wtin\.json: invalid JSON: "):
                load_interchange("x.wtin.json")


def test_a_file_that_is_another_document_is_refused_with_its_name():
    """File first, then the place in it."""
    Path("x.wtin.json").write_text('{"windtunnel_trace": 1}')
    with pytest.raises(InterchangeFormatError, match=r"\Ax\.wtin\.json: windtunnel_interchange "):
        load_interchange("x.wtin.json")


def test_a_file_is_read_with_and_without_a_byte_order_mark():
    """UTF-8 in both cases."""
    document = envelope(said("user", "Größe?"))
    for mark in ("", "\ufeff"):
        Path("x.json").write_text(mark + json.dumps(document, ensure_ascii=False), "utf-8")
        assert load_interchange(Path("x.json")) == parse_interchange(document)


def test_a_missing_file_is_an_os_error():
    """That is not a matter of format."""
    with pytest.raises(FileNotFoundError):
        load_interchange("nothing.json")


def test_an_envelope_has_the_sections_that_were_given():
    """In a fixed order; an empty section is one that was given."""
    assert build_envelope(model="m", messages=[]) == {
        "windtunnel_interchange": 1,
        "otel_genai_mapping": "",
        "session": {"model": "m"},
        "messages": [],
    }
    full = build_envelope(
        model="m",
        messages=[],
        provider="",
        otel_genai_mapping="v",
        source={},
        tool_definitions=[],
        witnessed_calls=[],
    )
    assert full["session"] == {"model": "m", "provider": ""}
    assert [*full][-3:] == ["source", "tool_definitions", "witnessed_calls"]


def test_building_checks_nothing():
    """Reading does."""
    assert build_envelope(model=3, messages="x")["messages"] == "x"
