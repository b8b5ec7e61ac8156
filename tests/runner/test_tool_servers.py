"""Reading tool servers: whose calls count, and when nothing can be said."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.agents import DefiningToolServer, NamingToolServer, RecordingToolServer

from wt_git.runner.evidence import read_call_logs, tool_schema_hash
from wt_git.spi import MCPCall


def test_without_servers_there_is_no_evidence_and_no_marker():
    """Absent is another answer than empty."""
    witnessed = read_call_logs([])
    assert (witnessed.calls, witnessed.warnings) == ([], [])


def test_an_empty_log_is_evidence_that_nothing_was_called():
    """All readable, even if empty."""
    witnessed = read_call_logs([RecordingToolServer()])
    assert (witnessed.calls, witnessed.warnings) == ([], ["mcp_evidence: available"])


def test_logs_are_merged_by_time_and_ties_keep_the_order_of_the_servers():
    """A stable sort over all servers."""
    a = RecordingToolServer("a", [MCPCall("a1", {}, None, 3.0), MCPCall("a2", {}, None, 5.0)])
    b = RecordingToolServer("b", [MCPCall("b1", {}, None, 1.0), MCPCall("b2", {}, None, 3.0)])
    assert [call["tool_name"] for call in read_call_logs([a, b]).calls] == ["b1", "a1", "b2", "a2"]


@given(st.lists(st.none() | st.floats() | st.integers(-5, 5) | st.text(max_size=1), max_size=8))
def test_any_timestamp_sorts_and_an_unusable_one_counts_as_nought(stamps):
    """A broken clock of a server loses no call."""
    server = RecordingToolServer(calls=[MCPCall(str(i), {}, None, t) for i, t in enumerate(stamps)])
    calls = read_call_logs([server]).calls
    assert sorted(call["tool_name"] for call in calls) == sorted(map(str, range(len(stamps))))
    json.dumps(calls, allow_nan=False)


def test_values_that_are_not_json_become_their_repr():
    """A result as a whole, extra leaf by leaf; extra only when there is some."""
    call = MCPCall("t", {"raw": {"x": 1}}, {"set": {1}}, 1.0, {"when": {2}, "n": [1, {3}]})
    plain = MCPCall("t", {}, ("a", 1), 2.0)
    first, second = read_call_logs([RecordingToolServer(calls=[call, plain])]).calls
    assert first["args"] == {"raw": {"x": 1}}
    assert first["result"] == "{'set': {1}}"
    assert first["extra"] == {"when": "{2}", "n": [1, "{3}"]}
    assert second == {"tool_name": "t", "args": {}, "result": ["a", 1], "timestamp_ms": 2.0}


def test_a_divergence_is_said_once_per_call():
    """Only a policy in words counts."""
    calls = [
        MCPCall("late", {}, None, 2.0, {"divergence": {"policy": "nearest"}}),
        MCPCall("early", {}, None, 1.0, {"divergence": {"policy": "synthesize"}}),
        MCPCall("odd", {}, None, 3.0, {"divergence": {"policy": 3}}),
        MCPCall("odd", {}, None, 3.0, {"divergence": "yes"}),
    ]
    assert read_call_logs([RecordingToolServer(calls=calls)]).warnings == [
        "universe_divergence: tool=early policy=synthesize",
        "universe_divergence: tool=late policy=nearest",
        "mcp_evidence: available",
    ]


def test_an_unreadable_log_is_named_and_the_others_are_kept():
    """By URL, by class where there is none; one marker for all of them."""

    class Nameless:
        def call_log(self):
            return None

        def reset_call_log(self):
            """Nothing to clear."""

    good = RecordingToolServer("good", [MCPCall("t", {}, None, 1.0)])
    down = RecordingToolServer("down", fails={"call_log": OSError("refused")})
    witnessed = read_call_logs([down, good, Nameless()])
    assert [call["tool_name"] for call in witnessed.calls] == ["t"]
    (marker,) = witnessed.warnings
    assert marker.startswith(f"mcp_evidence: unavailable ({down.url}: OSError: refused; Nameless: ")
    assert marker.endswith(")")


def digest(tools):
    text = json.dumps(tools, sort_keys=True, ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_the_schema_hash_covers_definitions_or_names_in_order():
    """Definitions are preferred; names stand as objects; servers follow one another."""
    defining, naming = DefiningToolServer(), NamingToolServer()
    defining.definitions = [{"name": "größe", "b": 1, "a": 2}]
    naming.tools = ["x", "y"]
    expected = [{"a": 2, "b": 1, "name": "größe"}, {"name": "x"}, {"name": "y"}]
    assert tool_schema_hash([defining, naming]) == digest(expected)
    assert tool_schema_hash([naming, defining]) != tool_schema_hash([defining, naming])


def test_no_servers_hash_as_no_tools():
    """An agent without mounted tools has the hash of an empty list."""
    assert tool_schema_hash([]) == digest([])


@pytest.mark.parametrize(
    "server",
    [
        RecordingToolServer(),
        NamingToolServer(fails={"served_tools": OSError("down")}),
        type("Odd", (NamingToolServer,), {"tools": [object()]})(),
    ],
)
def test_a_server_that_cannot_say_makes_the_schema_unknown(server):
    """Half a schema would match the wrong runs."""
    assert tool_schema_hash([NamingToolServer(), server]) is None
