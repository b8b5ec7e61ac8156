"""Perturbations applied to saved traces."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_trace, assistant, traces, user

from wt_git.api.perturbations import (
    BlankAssistantContent,
    CorruptPriorAssistantTurn,
    FallbackRenderLeak,
    InjectPaginationTruncation,
    InjectSchemaRejectedCall,
    InjectStaleMemory,
    InjectWrongPriorToolCall,
    MalformedToolCall,
    ToolReturnsEmptyUnexpected,
    ToolReturnsMalformed,
    ToolReturnsMalformedJson,
    ToolReturnsSchemaError,
    ToolTimeout,
    ToolTimeoutPerScenario,
)
from wt_git.api.trace import Turn

CALL = {"id": "1", "type": "function", "function": {"name": "t", "arguments": '{"q": 1}'}}
FLAT = {"id": "2", "name": "t", "args": {"q": 1}}

indexes = st.integers(min_value=-4, max_value=4)
perturbations = st.one_of(
    st.builds(BlankAssistantContent, indexes),
    st.builds(FallbackRenderLeak, indexes),
    st.builds(MalformedToolCall, indexes, st.sampled_from(["broken_json", "wrong_field_names"])),
    st.builds(InjectWrongPriorToolCall, indexes, st.just("t"), st.text()),
    st.builds(InjectSchemaRejectedCall, indexes, st.just("t"), st.just({"a": 1})),
    st.builds(InjectPaginationTruncation, indexes, st.integers()),
    st.builds(InjectStaleMemory, st.text(), st.text()),
    st.builds(CorruptPriorAssistantTurn, indexes, st.sampled_from(["empty", "literal_tool_text"])),
    st.builds(ToolTimeout, st.floats(), st.integers()),
    st.builds(ToolReturnsMalformed, st.floats()),
    st.builds(ToolReturnsMalformedJson, st.text(), st.floats()),
    st.builds(ToolTimeoutPerScenario, st.text(), st.integers()),
    st.builds(ToolReturnsEmptyUnexpected, st.text()),
    st.builds(ToolReturnsSchemaError, st.text()),
)


def applied(perturbation, *turns):
    trace = a_trace(*turns)
    before = copy.deepcopy(trace)
    new = perturbation.apply(trace)
    assert trace == before
    assert new.worker_warnings == [perturbation.marker]
    return new.turns


@given(traces(), perturbations)
def test_the_original_is_never_touched_and_the_marker_is_last(trace, perturbation):
    """Whatever the trace holds, decoded arguments and odd calls included."""
    before = copy.deepcopy(trace)
    new = perturbation.apply(trace)
    assert trace == before
    assert new.worker_warnings == [*trace.worker_warnings, perturbation.marker]
    assert new.run_id == trace.run_id
    assert new.mcp_calls == trace.mcp_calls


@given(traces(), st.integers(min_value=1, max_value=9), st.booleans())
def test_an_index_out_of_range_changes_nothing_but_the_warnings(trace, distance, negative):
    """Negative indexes do not count from the end."""
    index = -distance if negative else len(trace.turns) + distance - 1
    for perturbation in (
        BlankAssistantContent(index),
        FallbackRenderLeak(index),
        MalformedToolCall(index),
        InjectPaginationTruncation(index, 1),
        CorruptPriorAssistantTurn(index),
    ):
        new = perturbation.apply(trace)
        assert new.turns == trace.turns
        assert new.worker_warnings[-1] == perturbation.marker


def test_the_stored_hash_of_a_prompt_survives():
    """Editing a turn does not recompute what the run recorded."""
    turn = Turn("assistant", "75", [], [], 1.0, "prompt")
    turn.rendered_prompt_hash = "sha256:other"
    (new,) = applied(BlankAssistantContent(0), turn)
    assert (new.rendered_prompt, new.rendered_prompt_hash) == ("prompt", "sha256:other")


def test_blanking_keeps_the_calls():
    """Only the content goes."""
    first, second = applied(BlankAssistantContent(1), user(), assistant("75", CALL))
    assert first == user()
    assert (second.content, second.tool_calls) == ("", [CALL])


def test_a_leak_writes_the_turn_as_a_fallback_template_would(subtests):
    """Calls become text and are gone as calls."""
    for turn, content in [
        (assistant("75", CALL), f"tool: {json.dumps(CALL)}"),
        (assistant("", CALL, FLAT), f"tool: {json.dumps([CALL, FLAT])}"),
        (assistant("75"), "assistant: 75"),
        (user(""), "user: (empty)"),
    ]:
        with subtests.test(turn=turn, content=content):
            (new,) = applied(FallbackRenderLeak(0), turn)
            assert (new.content, new.tool_calls) == (content, [])


def test_a_calls_arguments_become_corrupted_text(subtests):
    """Text and decoded arguments alike; everything else of the call stays."""
    for call, mode, expected in [
        (CALL, "wrong_field_names", '{"x_q": 1}'),
        (CALL, "broken_json", '{"q"INVALID{{{'),
        ({"function": {"arguments": {"q": 1}}}, "wrong_field_names", '{"x_q": 1}'),
        ({"function": {"arguments": {"q": 1}}}, "broken_json", '{"q"INVALID{{{'),
        ({"function": {"arguments": None}}, "wrong_field_names", 'null, "x_corrupted": true}'),
    ]:
        with subtests.test(call=call, mode=mode, expected=expected):
            (new,) = applied(MalformedToolCall(0, mode), assistant("75", call))
            (corrupted,) = new.tool_calls
            assert corrupted["function"]["arguments"] == expected
            assert {**corrupted, "function": None} == {**call, "function": None}


def test_flat_arguments_become_corrupted_text():
    """The other shape of a call is corrupted too, and calls without arguments are left alone."""
    odd = {"id": "3", "name": "t"}
    (new,) = applied(MalformedToolCall(0), assistant("75", FLAT, odd, "text"))
    assert new.tool_calls == [FLAT | {"args": '{"x_q": 1}'}, odd, "text"]


@pytest.mark.parametrize(("index", "place"), [(0, 0), (1, 1), (2, 2), (9, 2), (-1, 0)])
@pytest.mark.parametrize(
    "made",
    [
        lambda at: InjectWrongPriorToolCall(at, "t", "fake"),
        lambda at: InjectSchemaRejectedCall(at, "t", {"a": 1}),
    ],
)
def test_an_exchange_is_inserted_before_a_turn_or_at_the_nearer_end(made, index, place):
    """An assistant turn with the call, and a tool turn with its answer."""
    perturbation = made(index)
    turns = applied(perturbation, user(), assistant())
    asked, answered = turns[place : place + 2]
    assert (asked.role, asked.content, answered.role) == ("assistant", "", "tool")
    assert asked.tool_calls[0]["function"]["name"] == "t"
    assert answered.content
    assert [*turns[:place], *turns[place + 2 :]] == [user(), assistant()]


def test_a_page_is_cut():
    """The turn's content says that there is more."""
    (new,) = applied(InjectPaginationTruncation(0, 3), assistant('{"orders": []}'))
    assert json.loads(new.content)["pagination"] == {"hasMore": True, "returned": 3}


def test_a_prior_turn_is_corrupted(subtests):
    """Blank, or a leaked call to an example tool."""
    for mode, content in [
        ("empty", ""),
        (
            "literal_tool_text",
            '<tool_call>{"name": "example_tool", "arguments": {}}</tool_call>',
        ),
        (
            "anything",
            '<tool_call>{"name": "example_tool", "arguments": {}}</tool_call>',
        ),
    ]:
        with subtests.test(mode=mode, content=content):
            (new,) = applied(CorruptPriorAssistantTurn(0, mode), assistant("75", CALL))
            assert (new.content, new.tool_calls) == (content, [CALL])


def test_some_only_leave_their_marker(subtests):
    """What cannot be changed afterwards is only noted; floats are written as Python writes them."""
    for perturbation, marker in [
        (InjectStaleMemory("k", "v"), "inject_stale_memory key=k"),
        (CorruptPriorAssistantTurn(2), "corrupt_prior_assistant_turn idx=2 mode=empty"),
        (ToolTimeout(0.5, 100), "tool_timeout probability=0.5 delay_ms=100"),
        (ToolReturnsMalformed(1.0), "tool_returns_malformed probability=1.0"),
        (
            ToolReturnsMalformedJson("t"),
            "tool_returns_malformed_json tool=t probability=1.0",
        ),
        (ToolTimeoutPerScenario("t", 10), "tool_timeout_per_scenario tool=t delay_seconds=10"),
        (ToolReturnsEmptyUnexpected("t"), "tool_returns_empty_unexpected tool=t"),
        (ToolReturnsSchemaError("t"), "tool_returns_schema_error tool=t"),
    ]:
        with subtests.test(perturbation=perturbation, marker=marker):
            assert perturbation.marker == f"perturbation_applied: {marker}"
            assert applied(perturbation, user(), assistant("75", CALL)) == [
                user(),
                assistant("75", CALL),
            ]
