"""Which account of a run a rule may trust."""

from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_trace, assistant, traces, user

from wt_git.api.tool_calls import (
    MCP_EVIDENCE_AVAILABLE,
    MCP_EVIDENCE_UNAVAILABLE,
    CallLogState,
    call_log_state,
    last_assistant_text,
    observed_calls,
    tool_results,
    tools_used,
)
from wt_git.api.trace import Turn

LOST = f"{MCP_EVIDENCE_UNAVAILABLE} (http://tools/mcp: TimeoutError: too late)"
WITNESSED = [{"tool_name": "order_query", "args": {}, "result": {"n": 75}, "timestamp_ms": 1.0}]
CLAIM = {"id": "1", "type": "function", "function": {"name": "client_lookup", "arguments": "{}"}}


def claims(*calls):
    return [user(), assistant("75", *calls)]


def test_the_warnings_say_what_is_known(subtests):
    """An unreadable log wins over a readable one; only the exact marker says available."""
    for warnings, state in [
        ([], CallLogState.ABSENT),
        (["mcp_evidence: available"], CallLogState.AVAILABLE),
        (["mcp_evidence: available now"], CallLogState.ABSENT),
        (["x mcp_evidence: unavailable"], CallLogState.ABSENT),
        ([LOST], CallLogState.UNAVAILABLE),
        (["mcp_evidence: available", LOST], CallLogState.UNAVAILABLE),
    ]:
        with subtests.test(warnings=warnings, state=state):
            assert call_log_state(a_trace(worker_warnings=warnings)) is state


def test_the_servers_account_wins_and_a_lost_one_is_not_replaced(subtests):
    """The transcript counts only where no server account exists; an unreadable one is no excuse."""
    for warnings, calls, names, label, used in [
        ([LOST], WITNESSED, (), "unavailable", False),
        ([LOST], [], (), "unavailable", False),
        ([MCP_EVIDENCE_AVAILABLE], WITNESSED, ("order_query",), "server-witnessed", True),
        ([MCP_EVIDENCE_AVAILABLE], [], (), "server-witnessed", False),
        ([], WITNESSED, ("order_query",), "server-witnessed", True),
        ([], [], ("client_lookup",), "transcript", True),
    ]:
        with subtests.test(warnings=warnings, calls=calls, names=names):
            trace = a_trace(*claims(CLAIM), worker_warnings=warnings, mcp_calls=calls)
            observed = observed_calls(trace)
            assert (observed.names, observed.label) == (names, label)
            assert tools_used(trace) is used


def test_a_transcript_without_calls_shows_no_use():
    """Talking about tools is not using them."""
    assert not tools_used(a_trace(*claims()))


def test_claimed_calls_are_named_in_both_shapes_and_in_any_turn():
    """OpenAI's and flat calls count, from every role, in order; what has no name does not."""
    odd = Turn("user", "", [{"name": "flat", "args": {}}, "text", None, {"function": "x"}], [], 0.0)
    both = {"name": "outer", "function": {"name": "inner"}}
    trace = a_trace(odd, *claims(CLAIM, {"name": 7}, {"name": ""}, {"function": {}}, both))
    assert observed_calls(trace).names == ("flat", "client_lookup", "7", "inner")


def test_witnessed_calls_are_ordered_by_arrival():
    """List order does not matter, ties keep it, and a missing or odd time is the earliest."""
    calls = [
        {"tool_name": "third", "timestamp_ms": 20},
        {"tool_name": "second", "timestamp_ms": 10.5},
        {"tool_name": "", "timestamp_ms": 1},
        {"tool_name": "first"},
        {"tool_name": "also first", "timestamp_ms": None},
        {"tool_name": "again first", "timestamp_ms": "soon"},
        {"tool_name": "not a time", "timestamp_ms": float("nan")},
    ]
    names = observed_calls(a_trace(mcp_calls=calls)).names
    assert names == ("first", "also first", "again first", "not a time", "second", "third")


def test_results_come_from_the_account_that_counts():
    """Servers' results where there are any, even empty ones, else what the transcript holds."""
    told = Turn("tool", "told", [], [{"content": "listed"}], 0.0)
    silent = Turn("tool", "", [], [], 0.0)
    calls = [*WITNESSED, {"tool_name": "x"}, {"tool_name": "y", "result": None}]
    assert tool_results(a_trace(told, mcp_calls=calls)) == (({"n": 75}, None), "server-witnessed")
    transcript = tool_results(a_trace(told, silent))
    assert transcript == (({"content": "listed"}, "told"), "transcript")
    assert tool_results(a_trace(told, worker_warnings=[LOST])) == ((), "unavailable")
    silent_server = a_trace(told, worker_warnings=[MCP_EVIDENCE_AVAILABLE])
    assert tool_results(silent_server) == ((), "server-witnessed")


def test_the_last_assistant_turn_is_never_replaced_by_an_earlier_one():
    """An empty last answer is the answer."""
    assert last_assistant_text(a_trace(user(), assistant("75"), user(), assistant(""))) == ""
    assert last_assistant_text(a_trace(assistant("75"), user("thanks"))) == "75"
    assert last_assistant_text(a_trace(user())) is None


@given(traces(), st.sampled_from([[], [MCP_EVIDENCE_AVAILABLE], [LOST]]))
def test_any_saved_trace_can_be_asked(trace, markers):
    """Whatever shape calls have, each question gets an answer, and the answers agree."""
    trace.worker_warnings += markers
    observed = observed_calls(trace)
    assert observed.label == tool_results(trace).label
    if observed.names:
        assert tools_used(trace)
    if observed.state is CallLogState.UNAVAILABLE:
        assert not observed.names
        assert not tools_used(trace)
