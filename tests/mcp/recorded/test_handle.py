"""What a recorded universe answers in process, and what is logged of it."""

from __future__ import annotations

import copy
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.mcp_client import meanwhile, until
from kit.universes import few_args, orders, universes

from wt_git.api.universe import freeze_universe
from wt_git.mcp import RecordedMCPHandle
from wt_git.mcp.call_log import CallLog
from wt_git.mcp.failures import ArmedFailure
from wt_git.spi import (
    FailureInjectableMCPHandle,
    MCPHandle,
    ToolDefinitionIntrospectableMCPHandle,
    ToolIntrospectableMCPHandle,
)

URL = "http://127.0.0.1:1/mcp"
FAILED = {"error": "no_recorded_result", "tool": "find_order", "args": {"order": "A3"}}


def handle_on(universe=None, **options):
    return RecordedMCPHandle(universe or orders(), url=URL, **options)


def logged(handle):
    return [(call.tool_name, call.args, call.result, call.extra) for call in handle.call_log()]


def test_a_handle_is_what_the_bench_expects_of_one():
    """With every optional part, and the universe it replays."""
    universe = orders()
    handle = handle_on(universe)
    for protocol in (
        MCPHandle,
        ToolIntrospectableMCPHandle,
        ToolDefinitionIntrospectableMCPHandle,
        FailureInjectableMCPHandle,
    ):
        assert isinstance(handle, protocol)
    assert handle.url == URL
    assert handle.universe is universe
    assert handle.served_tools() == ["find_order", "poll"]
    assert handle.call_log() == []


def test_definitions_are_what_an_agent_may_know():
    """How recordings are replayed is not part of it, and the copies are the caller's."""
    handle = handle_on()
    definitions = handle.served_tool_definitions()
    assert definitions == [
        {
            "name": "find_order",
            "description": "Finds an order by its number.",
            "input_schema": {"type": "object", "properties": {"order": {"type": "string"}}},
            "result_schema": {"type": "object"},
        },
        {"name": "poll", "description": "", "input_schema": {"type": "object"}},
    ]
    definitions[0]["input_schema"].clear()
    definitions[0]["result_schema"].clear()
    assert handle.served_tool_definitions()[0]["input_schema"] != {}
    assert handle.served_tool_definitions()[0]["result_schema"] != {}


def test_a_recorded_call_is_answered_every_time():
    """And logged with nothing beside it."""
    handle = handle_on()
    for _ in range(3):
        assert handle.call_tool("find_order", {"order": "A1"}) == {"status": "shipped"}
    assert logged(handle) == [("find_order", {"order": "A1"}, {"status": "shipped"}, {})] * 3
    times = [call.timestamp_ms for call in handle.call_log()]
    assert times == sorted(times)
    handle.reset_call_log()
    assert handle.call_log() == []


def test_arguments_are_logged_as_they_came():
    """The wrapper of a wire is taken off for matching only."""
    handle = handle_on()
    wrapped = {"function": {"name": "find_order", "arguments": '{"order": "A2"}'}}
    assert handle.call_tool("find_order", wrapped) == {"status": "lost"}
    assert handle.call_log()[0].args == wrapped
    assert handle.call_tool("poll") == "queued"
    assert handle.call_tool("poll", None) == "done"
    assert [call.args for call in handle.call_log()[1:]] == [{}, {}]


@pytest.mark.parametrize(
    ("policy", "answer", "matched"),
    [
        ("fail_call", FAILED, None),
        ("empty", {}, None),
        ("nearest", {"status": "shipped"}, 0),
        ("synthesize", FAILED | {"error": "no_synthesizer"}, None),
    ],
)
def test_a_miss_is_answered_by_policy_and_says_so(policy, answer, matched):
    """In the log, where the bench looks for it."""
    handle = handle_on(orders(on_miss=policy))
    assert handle.call_tool("find_order", {"order": "A3"}) == answer
    divergence = {"divergence": {"policy": policy, "matched": matched}}
    assert logged(handle) == [("find_order", {"order": "A3"}, answer, divergence)]


@pytest.mark.parametrize(
    ("policy", "answer"),
    [
        ("fail_call", {"error": "no_recorded_result", "tool": "find_odor", "args": {}}),
        ("empty", ""),
        ("nearest", {"error": "no_recorded_result", "tool": "find_odor", "args": {}}),
        ("synthesize", {"error": "no_synthesizer", "tool": "find_odor", "args": {}}),
    ],
)
def test_an_unknown_tool_is_a_miss_too(policy, answer):
    """There is nothing that it could be near to."""
    handle = handle_on(orders(on_miss=policy))
    assert handle.call_tool("find_odor") == answer
    divergence = {"divergence": {"policy": policy, "matched": None}}
    assert logged(handle) == [("find_odor", {}, answer, divergence)]


def test_a_policy_may_be_for_one_tool():
    """The others keep theirs."""
    handle = handle_on(orders(on_miss="empty", per_tool_on_miss={"poll": "fail_call"}))
    assert handle.call_tool("find_order") == {}
    assert handle.call_tool("poll", {"x": 1})["error"] == "no_recorded_result"


def test_a_sequence_gives_each_recording_once():
    """In their order, then misses, until the log is cleared."""
    handle = handle_on(orders(on_miss="nearest"))
    for _ in range(2):
        assert [handle.call_tool("poll") for _ in range(2)] == ["queued", "done"]
        assert handle.call_tool("poll")["error"] == "no_recorded_result"
        assert handle.call_log()[-1].extra == {"divergence": {"policy": "nearest", "matched": None}}
        handle.reset_call_log()


def test_keyed_and_nearest_answers_use_recordings_up_too():
    """Whatever answered is gone."""
    calls = [{"tool_name": "poll", "args": {"job": 1, "n": n}, "result": n} for n in range(4)]
    tool = {"name": "poll", "input_schema": {}, "mode": "sequence"}
    universe = freeze_universe(
        calls, [tool], matching={"on_miss": "nearest", "arg_keys": {"poll": ["job"]}}
    )
    handle = handle_on(universe)
    assert handle.call_tool("poll", {"job": 1, "n": 2}) == 2  # exactly
    assert handle.call_tool("poll", {"job": 1, "n": 9}) == 0  # by its key
    assert handle.call_tool("poll", {"n": 3}) == 3  # the nearest
    assert handle.call_tool("poll", {}) == 1  # what is left
    assert [call.extra.get("divergence") for call in handle.call_log()] == [
        None,
        None,
        {"policy": "nearest", "matched": 3},
        {"policy": "nearest", "matched": 1},
    ]


@given(
    universe=universes(args=few_args(), names=st.sampled_from("xy")),
    calls=st.lists(st.tuples(st.sampled_from("xyz"), few_args()), max_size=8),
)
def test_a_sequence_never_gives_a_recording_twice(universe, calls):
    """And a stateless tool answers the same call alike however often it is asked."""
    handle = handle_on(universe)
    used, seen = [], {}
    for name, args in calls:
        before = handle.call_log()
        result = handle.call_tool(name, args)
        call = handle.call_log()[len(before)]
        assert (call.tool_name, call.args, call.result) == (name, args, result)
        if universe.matching.mode_for(name, universe.tool_map) != "sequence":
            outcome = (repr(result), repr(call.extra))
            assert seen.setdefault((name, repr(sorted(args.items(), key=repr))), outcome) == outcome
        elif call.extra.get("divergence", {"matched": True})["matched"] is not None:
            used.append(name)
            assert used.count(name) <= len(universe.recording_indices_for(name))


def test_answers_and_log_are_copies():
    """Neither the caller nor the arguments' owner can change what was recorded or witnessed."""
    handle = handle_on()
    universe = copy.deepcopy(handle.universe)
    args = {"order": "A1", "page": {"n": [1]}}
    answer = handle.call_tool("find_order", {"order": "A1"})
    answer.clear()
    miss = handle.call_tool("find_order", args)
    miss["args"]["page"]["n"].append(2)
    args["page"]["n"].append(3)
    assert handle.universe == universe
    first, second = handle.call_log()
    assert first.result == {"status": "shipped"}
    assert second.args == {"order": "A1", "page": {"n": [1]}}
    assert second.result["args"] == {"order": "A1", "page": {"n": [1]}}


def synthesizing():
    return orders(on_miss="synthesize")


def test_a_hook_answers_what_is_missing():
    """It gets the tool, flat arguments of its own, and the universe."""
    asked = []

    def synthesize(tool, args, universe):
        asked.append((tool, dict(args), universe))
        args.clear()
        return made

    made = {"status": "made up"}
    handle = handle_on(synthesizing(), synthesize=synthesize)
    wrapped = {"name": "find_order", "args": {"order": "A3"}}
    answer = handle.call_tool("find_order", wrapped)
    assert answer == {"status": "made up"}
    assert asked == [("find_order", {"order": "A3"}, handle.universe)]
    made["status"] = answer["status"] = "changed"
    divergence = {"divergence": {"policy": "synthesize", "matched": None}}
    assert logged(handle) == [("find_order", wrapped, {"status": "made up"}, divergence)]
    assert handle.call_tool("find_order", {"order": "A1"}) == {"status": "shipped"}
    assert len(asked) == 1


@pytest.mark.parametrize("failure", [LookupError("no idea"), KeyboardInterrupt()])
def test_a_hook_that_raises_loses_no_call(failure):
    """The caller gets the exception, the log what is known."""

    def synthesize(tool, args, universe):
        raise failure

    handle = handle_on(synthesizing(), synthesize=synthesize)
    with pytest.raises(type(failure)):
        handle.call_tool("find_order", {"order": "A3"})
    (call,) = handle.call_log()
    assert call.result == str(failure)
    assert call.extra == {
        "divergence": {"policy": "synthesize", "matched": None},
        "error": f"{type(failure).__name__}: {failure}".removesuffix(": "),
    }


def test_a_hook_holds_nobody_up():
    """While it thinks, others are answered, the log is read, and it may make calls itself."""
    thinking, go_on = threading.Event(), threading.Event()

    def synthesize(tool, args, universe):
        thinking.set()
        assert go_on.wait(30)
        return handle.call_tool("find_order", {"order": "A2"})

    handle = handle_on(synthesizing(), synthesize=synthesize)
    with meanwhile(lambda: handle.call_tool("find_order", {"order": "A3"})) as outcome:
        assert thinking.wait(30)
        assert handle.call_tool("find_order", {"order": "A1"}) == {"status": "shipped"}
        assert [call.extra for call in handle.call_log()] == [{"unfinished": True}, {}]
        go_on.set()
    assert outcome == [{"status": "lost"}]
    assert [call.args["order"] for call in handle.call_log()] == ["A3", "A1", "A2"]


def test_threads_share_a_sequence_without_loss_or_repetition():
    """Each recording is given to exactly one of them, and every call is in the log."""
    calls = [{"tool_name": "poll", "args": {}, "result": n} for n in range(200)]
    universe = freeze_universe(calls, [{"name": "poll", "input_schema": {}, "mode": "sequence"}])
    handle = handle_on(universe)
    start = threading.Barrier(8)

    def take(_):
        start.wait(30)
        return [handle.call_tool("poll") for _ in range(25)]

    with ThreadPoolExecutor(8) as pool:
        taken = [answer for answers in pool.map(take, range(8)) for answer in answers]
    assert sorted(taken) == list(range(200))
    assert sorted(call.result for call in handle.call_log()) == list(range(200))
    assert handle.call_tool("poll")["error"] == "no_recorded_result"


@pytest.mark.parametrize(
    ("mode", "answer"),
    [
        ("malformed_json", "INVALID_JSON{{{"),
        ("empty_unexpected", {"result": "[]", "structuredContent": {"columns": [], "rows": []}}),
    ],
)
def test_a_failure_stands_in_for_every_answer(mode, answer):
    """It is no divergence and uses nothing up, and it ends when it is told to."""
    handle = handle_on()
    handle.configure_failure_mode(mode)
    for name in ("poll", "find_order", "nobody"):
        assert handle.call_tool(name, {"x": 1}) == answer
    assert [call.extra for call in handle.call_log()] == [{}, {}, {}]
    assert [call.result for call in handle.call_log()] == [answer] * 3
    assert handle.armed_failures()[0] == {"tool": "find_order", "mode": mode, "probability": 1.0}
    handle.reset_call_log()
    assert handle.call_tool("poll") == answer
    handle.configure_failure_mode(None)
    assert handle.call_tool("poll") == "queued"


def test_a_denied_call_says_so():
    """With the status of a refusal, in an answer that is the caller's."""
    handle = handle_on()
    handle.configure_failure_mode("auth_scope_denied")
    denied = handle.call_tool("poll")
    assert denied["code"] == 403
    assert "permission" in denied["error"]
    denied.clear()
    assert handle.call_tool("poll")["code"] == 403
    assert handle.call_log()[0].result["code"] == 403


def test_an_unknown_mode_is_refused():
    """And what was armed stays."""
    handle = handle_on()
    with pytest.raises(ValueError, match="lazy"):
        handle.configure_failure_mode("lazy")
    assert handle.armed_failures() == []


def test_a_failure_for_one_tool_can_be_proven():
    """The others answer as ever, and only the calls that failed are marked."""
    log = CallLog()
    log.failures.arm(ArmedFailure("poll", "malformed_json"))
    handle = handle_on(log=log)
    assert handle.call_tool("poll") == "INVALID_JSON{{{"
    assert handle.call_tool("find_order", {"order": "A1"}) == {"status": "shipped"}
    assert [call.extra for call in handle.call_log()] == [{"injected": "malformed_json"}, {}]


def test_a_timeout_keeps_its_caller_waiting_and_nobody_else():
    """Afterwards the recording answers."""
    log = CallLog()
    log.failures.arm(ArmedFailure("poll", "timeout", delay_s=0.4))
    handle = handle_on(log=log)
    with meanwhile(lambda: handle.call_tool("poll")) as outcome:
        until(handle.call_log)
        assert handle.call_tool("find_order", {"order": "A1"}) == {"status": "shipped"}
        assert handle.call_log()[0].extra["unfinished"]
    assert outcome == ["queued"]
    assert [call.extra for call in handle.call_log()] == [{"injected": "timeout"}, {}]


def test_a_call_that_outlived_its_run_uses_nothing_up():
    """The next run finds every recording, and nothing in the log but its own calls."""
    log = CallLog()
    log.failures.arm(ArmedFailure("poll", "timeout", delay_s=0.3))
    handle = handle_on(log=log)
    with meanwhile(lambda: handle.call_tool("poll")) as late:
        until(handle.call_log)
        handle.reset_call_log()
    assert late == ["queued"]
    assert handle.call_log() == []
    log.set_failure_mode(None)
    assert [handle.call_tool("poll") for _ in range(2)] == ["queued", "done"]
