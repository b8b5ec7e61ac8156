from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from wt_git.mcp.call_log import CallLog


class SetClock:
    """A clock that shows the next of the times it was given, over and over the last."""

    def __init__(self, *seconds: float) -> None:
        self._seconds = list(seconds)

    def now(self) -> datetime:
        moment = self._seconds.pop(0) if len(self._seconds) > 1 else self._seconds[0]
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=moment)

    def monotonic(self) -> float:
        return 0.0


def test_a_call_stands_in_the_log_before_it_ends():
    """A call that never ends was still made: it is logged on arrival, and marked as unfinished."""
    log = CallLog()
    opened = log.begin("slow", {"a": 1})
    (call,) = log.get_calls()
    assert (call.tool_name, call.args, call.result) == ("slow", {"a": 1}, None)
    assert call.extra == {"unfinished": True}
    log.finish(opened, "done")
    (call,) = log.get_calls()
    assert (call.result, call.extra) == ("done", {})


def test_the_time_of_a_call_is_that_of_its_arrival():
    """Of two calls, the one that came first is first, even when it ends last."""
    log = CallLog(SetClock(1, 2, 99))
    first, second = log.begin("first", {}), log.begin("second", {})
    log.finish(second, 2)
    log.finish(first, 1)
    calls = log.get_calls()
    assert [call.tool_name for call in calls] == ["first", "second"]
    assert calls[1].timestamp_ms - calls[0].timestamp_ms == 1000.0


@given(st.lists(st.floats(-1e6, 1e6), min_size=1))
def test_times_never_run_backwards(seconds):
    """A clock set back does not change the order that readers sort by."""
    log = CallLog(SetClock(*seconds))
    for _ in seconds:
        log.record("tool", {}, None)
    times = [call.timestamp_ms for call in log.get_calls()]
    assert times == sorted(times)


def test_a_failed_call_says_why():
    """The error stands beside what the caller got back."""
    log = CallLog()
    log.finish(log.begin("tool", {}), "Error executing tool", error="ValueError: no")
    (call,) = log.get_calls()
    assert call.result == "Error executing tool"
    assert call.extra == {"error": "ValueError: no"}


def test_what_was_logged_does_not_change_with_the_tools_own_tables():
    """Arguments and results are copied when they are logged."""
    log, args, table = CallLog(), {"ids": [1]}, {"rows": [1]}
    opened = log.begin("tool", args)
    log.finish(opened, table)
    args["ids"].append(2)
    table["rows"].append(2)
    (call,) = log.get_calls()
    assert (call.args, call.result) == ({"ids": [1]}, {"rows": [1]})


def test_what_cannot_be_copied_is_logged_all_the_same():
    """A result that resists copying is kept as it is rather than lost."""
    log, lock = CallLog(), threading.Lock()
    log.record("tool", {"lock": lock}, lock)
    (call,) = log.get_calls()
    assert call.result is lock
    assert call.args["lock"] is lock


def test_the_log_that_is_handed_out_is_a_copy():
    """Emptying or editing what was read leaves the log as it was."""
    log = CallLog()
    log.record("tool", {"a": 1}, None)
    calls = log.get_calls()
    calls[0].args.clear()
    calls[0].extra["forged"] = True
    calls.clear()
    (call,) = log.get_calls()
    assert (call.args, call.extra) == ({"a": 1}, {})


def test_a_call_of_an_earlier_run_does_not_reach_the_next():
    """What was still running at the reset ends unseen."""
    log = CallLog()
    late = log.begin("late", {})
    log.reset()
    log.finish(late, "too late")
    assert log.get_calls() == []


def test_resetting_the_log_leaves_failures_armed():
    """A failure mode holds until it is changed."""
    log = CallLog()
    log.set_failure_mode("malformed_json")
    log.reset()
    assert log.get_failure_mode() == "malformed_json"


def test_calls_from_many_threads_are_all_logged():
    """No call is lost or doubled when tools are called at once."""
    log = CallLog()

    def work(number: int) -> None:
        for turn in range(50):
            log.finish(log.begin("tool", {"n": number, "t": turn}), turn)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seen = {(call.args["n"], call.args["t"]) for call in log.get_calls()}
    assert len(log.get_calls()) == 400
    assert len(seen) == 400


def test_more_may_be_known_of_a_call_than_its_result():
    """It stands beside the result, and what is done to it afterwards does not reach the log."""
    log = CallLog()
    known = {"divergence": {"matched": None}}
    log.finish(log.begin("tool", {}), 1, extra=known)
    log.finish(log.begin("tool", {}), 2, error="broken", extra=known)
    known["divergence"]["matched"] = 7
    assert [call.extra for call in log.get_calls()] == [
        {"divergence": {"matched": None}},
        {"divergence": {"matched": None}, "error": "broken"},
    ]


def test_the_log_knows_whose_run_is_over():
    """A call that is still being answered when the log is reset belongs to no run any more."""
    log = CallLog()
    early = log.begin("tool", {})
    assert log.holds(early)
    log.reset()
    late = log.begin("tool", {})
    assert not log.holds(early)
    assert log.holds(late)
