"""The trajectory layer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_trace, assistant

from wt_git.api.evaluators import evaluate_trajectory, tool_name_matches
from wt_git.api.scenario import Scenario, TrajectoryCheck
from wt_git.api.score import LayerResult

AVAILABLE = "mcp_evidence: available"


def witnessed(*names):
    calls = [{"tool_name": name, "timestamp_ms": at} for at, name in enumerate(names)]
    return a_trace(assistant(), mcp_calls=calls, worker_warnings=[AVAILABLE])


def judge(trace, **fields):
    return evaluate_trajectory(trace, Scenario(name="s", prompt="p", **fields))


class MaxLookups(TrajectoryCheck):
    """The check of docs/writing-a-scenario.md."""

    def __init__(self, budget):
        self.budget = budget

    def check(self, calls):
        used = sum(1 for call in calls if tool_name_matches("client_lookup", call))
        if used > self.budget:
            return False, f"called client_lookup {used}x, budget {self.budget}"
        return True, "lookup budget respected"


class Answers(TrajectoryCheck):
    """A check that gives whatever answer it was made with, or raises it."""

    def __init__(self, answer):
        self.answer = answer

    def check(self, calls):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Greedy(TrajectoryCheck):
    """A check that empties the list it is given."""

    def check(self, calls):
        calls.clear()
        return True, ""


class SeesTrace(TrajectoryCheck):
    """A check that needs more than names."""

    def check(self, calls):
        return False, "not asked"

    def check_trace(self, trace, calls):
        return True, f"{trace.scenario_id}: {calls}"


def test_without_expectations_any_path_will_do():
    """The detail still says whose account was looked at."""
    result = judge(witnessed("anything"))
    assert result.passed
    assert result.detail == "trajectory requirements satisfied [evidence: server-witnessed]"


def test_an_unreadable_call_log_fails_the_layer_even_without_expectations(subtests):
    """The transcript is no substitute for a log that existed and was lost."""
    for fields in [{}, {"must_call": ["a"]}, {"forbidden_calls": ["a"]}]:
        with subtests.test(fields=fields):
            trace = a_trace(
                assistant("x", {"name": "a", "args": {}}),
                worker_warnings=["mcp_evidence: unavailable (x)"],
            )
            result = judge(trace, **fields)
            assert not result.passed
            assert "evidence unavailable" in result.detail
            assert result.detail.endswith(" [evidence: unavailable]")


def test_a_call_that_the_transcript_hides_is_seen_and_an_invented_one_is_not_counted():
    """Where servers witnessed, their account is the only one."""
    invented = {"name": "client_lookup", "args": {}}
    trace = a_trace(
        assistant("75", invented),
        mcp_calls=[{"tool_name": "send_mail", "timestamp_ms": 1}],
        worker_warnings=[AVAILABLE],
    )
    hidden = judge(trace, forbidden_calls=["send_mail"])
    assert "forbidden tools called: send_mail" in hidden.detail
    invention = judge(trace, must_call=["client_lookup"])
    assert "required tools not called: client_lookup" in invention.detail


def test_the_transcript_counts_where_no_server_was_in_play():
    """The label tells readers that this is the agent's own account."""
    trace = a_trace(assistant("75", {"name": "ops.client_lookup", "args": {}}))
    result = judge(trace, must_call=["client_lookup"])
    assert result.passed
    assert result.detail.endswith(" [evidence: transcript]")


def test_every_forbidden_call_is_listed_once_under_its_observed_name():
    """Decorated names are found, repetitions are not repeated."""
    trace = witnessed("ops.delete", "ops.delete", "lookup", "x_send")
    result = judge(trace, forbidden_calls=["send", "delete"])
    assert "forbidden tools called: ops.delete, x_send" in result.detail


@pytest.mark.parametrize("group", [["lookup", "search"], ("lookup", "search")])
def test_one_of_several_alternatives_is_enough(group):
    """Lists and tuples inside `must_call` name alternatives."""
    assert judge(witnessed("search"), must_call=[group, "search"]).passed
    missing = judge(witnessed("other"), must_call=[group])
    assert "required tools not called: any of (lookup, search)" in missing.detail


def test_order_is_an_in_order_subsequence(subtests):
    """Other calls may lie between; each call serves one entry, a repeated entry needs two calls."""
    for names, must_call, passed in [
        (["a", "b"], ["a", "b"], True),
        (["a", "x", "b", "y"], ["a", "b"], True),
        (["b", "a", "b"], ["a", "b"], True),
        (["b", "a"], ["a", "b"], False),
        (["a"], ["a", "a"], False),
        (["a", "a"], ["a", "a"], True),
        (["ops.b", "ops.a", "ops.c"], [["a", "b"], "c"], True),
        (["a", "b"], [["a", "b"], ["a", "b"]], True),
        (["c", "a"], [["a", "b"], "c"], False),
    ]:
        with subtests.test(names=names, must_call=must_call, passed=passed):
            result = judge(witnessed(*names), must_call=must_call, order_matters=True)
            assert result.passed is passed
            assert ("order violated" in result.detail) is not passed
            assert judge(witnessed(*names), must_call=must_call).passed


def test_a_missing_call_is_reported_before_order():
    """Only what was called can be out of order."""
    result = judge(witnessed("b"), must_call=["a", "b"], order_matters=True)
    assert "required tools not called: a" in result.detail
    assert "order violated" not in result.detail


def test_all_problems_are_reported_together_in_order():
    """Forbidden first, then required, then custom checks, with one label at the end."""
    result = judge(
        witnessed("delete", "client_lookup", "client_lookup"),
        forbidden_calls=["delete"],
        must_call=["send"],
        trajectory_checks=[MaxLookups(1), Answers((True, "unheard")), Answers(KeyError("k"))],
    )
    assert result.detail == (
        "forbidden tools called: delete; required tools not called: send;"
        " called client_lookup 2x, budget 1; Answers(error: 'k') [evidence: server-witnessed]"
    )


def test_passing_checks_have_their_say():
    """Details of passed checks follow, empty ones are left out, and a list counts as a pair."""
    result = judge(
        witnessed("ops.client_lookup"),
        trajectory_checks=[MaxLookups(2), Answers((True, "")), Answers([1, "listed"]), SeesTrace()],
    )
    assert result.passed
    assert result.detail == (
        "trajectory requirements satisfied; lookup budget respected; listed;"
        " lookup_order: ['ops.client_lookup'] [evidence: server-witnessed]"
    )


def test_a_check_that_breaks_or_says_nothing_fails_under_its_name(subtests):
    """A raise or a wrong answer is a failure of that check, never a crash."""
    for answer, said in [
        (ValueError("boom"), "Answers(error: boom)"),
        (AssertionError(), "Answers(error: AssertionError)"),
        (None, "NoneType"),
        (True, "bool"),
        ((True, "a", "b"), "tuple"),
        ("ok", "str"),
        ((False, ""), "Answers"),
        ((False, None), "Answers"),
        (LayerResult(passed=False, detail=""), "Answers"),
    ]:
        with subtests.test(answer=answer, said=said):
            result = judge(witnessed(), trajectory_checks=[Answers(answer)])
            assert not result.passed
            assert said in result.detail


@pytest.mark.parametrize("passed", [True, False])
def test_metrics_of_checks_are_merged_whether_they_pass_or_not(passed):
    """The later of two equal names wins."""
    checks = [
        Answers(LayerResult(passed=True, detail="", metrics={"a": 1, "b": 1})),
        Answers(LayerResult(passed=passed, detail="d", metrics={"b": 2})),
    ]
    result = judge(witnessed(), trajectory_checks=checks)
    assert (result.passed, result.metrics) == (passed, {"a": 1, "b": 2})


def test_checks_do_not_share_a_list():
    """What one check does to its list changes nothing for the next."""
    result = judge(witnessed("client_lookup"), trajectory_checks=[Greedy(), MaxLookups(0)])
    assert "called client_lookup 1x" in result.detail


@given(
    names=st.lists(st.sampled_from("abcd"), max_size=8),
    entries=st.lists(st.sampled_from("abc"), min_size=1, max_size=4),
)
def test_order_agrees_with_its_definition(names, entries):
    """The layer passes exactly when the entries are a subsequence of the calls."""
    left = iter(names)
    expected = all(entry in left for entry in entries)
    result = judge(witnessed(*names), must_call=list(entries), order_matters=True)
    assert result.passed == expected
