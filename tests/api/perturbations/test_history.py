"""Perturbations that shape the history a live agent receives."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.api.perturbations import (
    BlankAssistantContent,
    FallbackRenderLeak,
    InjectPaginationTruncation,
    InjectSchemaRejectedCall,
    InjectStaleMemory,
    InjectWrongPriorToolCall,
    MalformedToolCall,
)
from wt_git.api.scenario import PreSendPerturbation, Scenario

USER = {"role": "user", "content": "How many?"}
EARLIER = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
FACTS = [[], ["ACC-LSPN-001"], ["x", "Lowell Spinners"]]

EVERY = [
    BlankAssistantContent(1),
    FallbackRenderLeak(1),
    MalformedToolCall(1),
    MalformedToolCall(1, "broken_json", "t"),
    InjectWrongPriorToolCall(1, "invoice_query", "{}"),
    InjectSchemaRejectedCall(1, "order_query", {"stage": "Incoming"}),
    InjectPaginationTruncation(1, 10),
    InjectStaleMemory("phone", "555"),
]


def scenario(must_call=("client_lookup", "order_query"), target_facts=FACTS):
    return Scenario("s", "How many?", must_call=list(must_call), target_facts=target_facts)


def invented(perturbation, **fields):
    """What the perturbation puts between the earlier messages and the scored one."""
    shaped = perturbation.shape_messages([*EARLIER, USER], scenario(**fields))
    assert shaped[:2] == EARLIER
    assert shaped[-1] == USER
    return shaped[2:-1]


def call_of(messages):
    """The call and result of a well-formed round trip."""
    asked, answered = messages
    (call,) = asked["tool_calls"]
    assert asked == {"role": "assistant", "content": "", "tool_calls": [call]}
    assert call["type"] == "function"
    assert answered == {
        "role": "tool",
        "tool_call_id": call["id"],
        "content": answered["content"],
    }
    return call["id"], call["function"], answered["content"]


def test_they_belong_to_the_pre_send_family(subtests):
    """The runner knows them by their class."""
    for perturbation in EVERY:
        with subtests.test(perturbation=perturbation):
            assert isinstance(perturbation, PreSendPerturbation)
            assert perturbation.pre_send is True


def test_the_markers_name_every_choice():
    """Slug and pairs, single spaces between."""
    assert [perturbation.marker.split(": ", 1)[1] for perturbation in EVERY] == [
        "blank_assistant_content turn_idx=1",
        "fallback_render_leak turn_idx=1",
        "malformed_tool_call turn_idx=1 mode=wrong_field_names",
        "malformed_tool_call turn_idx=1 mode=broken_json",
        "inject_wrong_prior_tool_call turn_idx=1 tool=invoice_query",
        "inject_schema_rejected_call turn_idx=1 tool=order_query",
        "inject_pagination_truncation turn_idx=1 truncate_at=10",
        "inject_stale_memory key=phone",
    ]
    assert all(perturbation.marker.startswith("perturbation_applied: ") for perturbation in EVERY)


@pytest.mark.parametrize("perturbation", EVERY, ids=repr)
@pytest.mark.parametrize("messages", [[], [USER], [*EARLIER, USER], EARLIER])
def test_the_given_messages_are_kept_and_not_touched(perturbation, messages):
    """A new list holds all given messages in order, the final user message last."""
    before = copy.deepcopy(messages)
    shaped = perturbation.shape_messages(messages, scenario())
    assert messages == before
    assert shaped is not messages
    assert [message for message in shaped if message in messages] == messages
    assert len(shaped) > len(messages)
    if messages and messages[-1]["role"] == "user":
        assert shaped[-1] == messages[-1]
    elif not isinstance(perturbation, InjectStaleMemory):
        assert shaped[: len(messages)] == messages


def test_a_blank_turn_follows_a_finished_lookup():
    """The round trip uses the first required tool; the poison is an empty assistant message."""
    *lookup, poison = invented(BlankAssistantContent(0))
    assert poison == {"role": "assistant", "content": ""}
    call_id, function, content = call_of(lookup)
    assert call_id == "call_blank_prior"
    assert function == {"name": "client_lookup", "arguments": "{}"}
    assert "lookup" in json.loads(json.loads(content)["result"])["note"]


def test_a_blank_turn_stands_alone_without_a_required_tool():
    """No tool is invented where the scenario names none."""
    assert invented(BlankAssistantContent(0), must_call=[]) == [
        {"role": "assistant", "content": ""}
    ]


def test_a_fallback_leak_is_text_that_spells_a_call():
    """The message has no call, only its JSON as text."""
    (leak,) = invented(FallbackRenderLeak(0))
    assert set(leak) == {"role", "content"}
    assert leak["role"] == "assistant"
    assert json.loads(leak["content"].removeprefix("tool: ")) == {
        "id": "call_0",
        "type": "function",
        "function": {"name": "client_lookup", "arguments": {"query": "Lowell Spinners"}},
    }


@pytest.mark.parametrize(
    ("mode", "arguments"),
    [
        ("wrong_field_names", '{"x_query": "Lowell Spinners"}'),
        ("broken_json", '{"query": "LowINVALID{{{'),
    ],
)
def test_a_malformed_call_finds_nothing(mode, arguments):
    """Wrong field names or broken JSON, answered by an empty result."""
    call_id, function, content = call_of(invented(MalformedToolCall(0, mode)))
    assert call_id == "call_bad_args"
    assert function == {"name": "client_lookup", "arguments": arguments}
    result = json.loads(content)
    assert result["matches"] == []
    assert result["note"]


def test_a_wrong_call_has_the_given_result():
    """The result is the author's text, unchanged."""
    call_id, function, content = call_of(
        invented(InjectWrongPriorToolCall(0, "other", "not {json"))
    )
    assert call_id == "call_injected_wrong"
    assert function == {"name": "other", "arguments": "{}"}
    assert content == "not {json"


def test_a_rejected_call_says_what_was_wrong():
    """The refusal names the tool and each bad argument, and how to go on."""
    bad = {"stage": "Incoming", "limit": 0}
    call_id, function, content = call_of(invented(InjectSchemaRejectedCall(0, "order_query", bad)))
    assert call_id == "call_injected_bad_arg"
    assert function["name"] == "order_query"
    assert json.loads(function["arguments"]) == bad
    refusal = json.loads(content)
    assert refusal["rejected"] is True
    assert refusal["error"].startswith("Schema validation error")
    assert "order_query" in refusal["error"]
    assert "stage='Incoming', limit=0" in refusal["error"]
    assert "retry" in refusal["error"]


def test_a_truncated_page_says_that_there_is_more():
    """One order, and the promise of others behind an offset."""
    call_id, function, content = call_of(invented(InjectPaginationTruncation(0, 1)))
    assert call_id == "call_paged"
    assert function == {"name": "client_lookup", "arguments": "{}"}
    page = json.loads(json.loads(content)["result"])
    (order,) = page["orders"]
    assert (order["orderId"], order["quantity"]) == ("ORD-1001", 12)
    assert page["summary"]["total"]["count"] == 1
    assert page["pagination"] == {"hasMore": True, "returned": 1}
    assert "offset" in page["note"]


@pytest.mark.parametrize(
    ("must_call", "tool_name", "expected"),
    [
        (["a", "b"], None, "a"),
        ([["a", "b"], "c"], None, "a"),
        ([("a", "b")], None, "a"),
        (["a"], "mine", "mine"),
        ([], None, "example_tool"),
    ],
)
@pytest.mark.parametrize(
    "made",
    [
        lambda name: MalformedToolCall(0, tool_name=name),
        lambda name: InjectPaginationTruncation(0, 1, name),
    ],
)
def test_the_invented_call_is_to_a_plausible_tool(made, must_call, tool_name, expected):
    """The author's choice, else the first required tool, of alternatives the first."""
    _, function, _ = call_of(invented(made(tool_name), must_call=must_call))
    assert function["name"] == expected


@pytest.mark.parametrize("must_call", [[["a", "b"]], [("a", "b")]])
def test_a_blank_turn_takes_the_first_alternative(must_call):
    """The name in the history is a string, not the whole group."""
    _, function, _ = call_of(invented(BlankAssistantContent(0), must_call=must_call)[:2])
    assert function["name"] == "a"


def test_the_invented_query_is_a_fact_that_reads_like_a_name(subtests):
    """The first fact with a space, else the first fact."""
    for facts, query in [
        (FACTS, "Lowell Spinners"),
        ([["75"], ["A"]], "75"),
        ([[], ["A"]], "A"),
        ([["A"], ["b c", "d e"]], "b c"),
    ]:
        with subtests.test(facts=facts, query=query):
            _, function, _ = call_of(invented(MalformedToolCall(0), target_facts=facts))
            assert json.loads(function["arguments"]) == {"x_query": query}


def test_the_invented_query_is_neutral_without_facts():
    """Some phrase stands in."""
    _, function, _ = call_of(invented(MalformedToolCall(0), target_facts=[]))
    assert " " in json.loads(function["arguments"])["x_query"]


def test_a_memory_makes_a_system_message_where_there_is_none():
    """It comes first, with the header and one line."""
    shaped = InjectStaleMemory("k", "old").shape_messages([USER], scenario())
    assert shaped == [{"role": "system", "content": "Relevant saved memory:\n- old"}, USER]


def test_a_memory_joins_the_first_system_message(subtests):
    """A blank line separates it from other text; an existing block gets a line more."""
    for content, expected in [
        ("Be kind.", "Be kind.\n\nRelevant saved memory:\n- old"),
        ("", "Relevant saved memory:\n- old"),
        (None, "Relevant saved memory:\n- old"),
        ("Relevant saved memory:\n- first", "Relevant saved memory:\n- first\n- old"),
    ]:
        with subtests.test(content=content, expected=expected):
            first = {"role": "system", "content": content, "name": "kept"}
            second = {"role": "system", "content": "second"}
            messages = [USER, first, second, USER]
            shaped = InjectStaleMemory("k", "old").shape_messages(messages, scenario())
            assert shaped == [USER, first | {"content": expected}, second, USER]
            assert first["content"] == content


def test_memories_accumulate_under_one_header():
    """In declared order."""
    messages = [USER]
    for value in ("one", "two", "three"):
        messages = InjectStaleMemory("k", value).shape_messages(messages, scenario())
    assert messages[0]["content"] == "Relevant saved memory:\n- one\n- two\n- three"


@given(
    st.lists(st.sampled_from(EVERY), max_size=5),
    st.lists(
        st.fixed_dictionaries(
            {"role": st.sampled_from(["user", "assistant", "system"]), "content": st.text()}
        ),
        max_size=4,
    ),
)
def test_folded_perturbations_leave_a_sendable_history(perturbations, earlier):
    """The scored message stays last, and the history can be sent as JSON."""
    messages = [*earlier, USER]
    for perturbation in perturbations:
        messages = perturbation.shape_messages(messages, scenario())
    assert messages[-1] == USER
    assert json.loads(json.dumps(messages)) == messages
