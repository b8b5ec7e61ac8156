"""Which calls of a conversation can be played back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from kit.conversations import call, envelope, message, parts, response

from wt_git.api.importer.plan import recorded_calls
from wt_git.api.interchange import InterchangeWitnessedCall, parse_interchange


def evidence(*messages, **sections):
    """The evidence of a conversation."""
    return recorded_calls(parse_interchange(envelope(*messages, **sections)))


def test_what_was_witnessed_is_taken_as_it_is():
    """The messages are the agent's account and do not count beside it."""
    found = evidence(witnessed_calls=[{"tool_name": "t", "args": {"a": 1}, "result": None}])
    assert found.source == "witnessed_calls"
    assert found.calls == (InterchangeWitnessedCall("t", {"a": 1}, None),)
    assert (found.unanswered, found.unclaimed) == ((), ())


def test_that_nothing_was_witnessed_is_evidence_too():
    """An empty section is not a missing one."""
    found = evidence(witnessed_calls=[])
    assert (found.source, found.calls) == ("witnessed_calls", ())


def test_calls_are_paired_with_responses_by_id_first_come_first_served():
    """Also where a response stands before its call, and where one id is used again."""
    found = evidence(
        message("tool", response("b", "b1")),
        message("assistant", call("a", "t1", n=1), call("b", "t2", n=2), call("a", "t3", n=3)),
        message("tool", response("a", "a1"), response("a", "a2")),
    )
    assert found.source == "reconstructed"
    assert [(one.tool_name, one.args, one.result) for one in found.calls] == [
        ("t1", {"n": 1}, "a1"),
        ("t2", {"n": 2}, "b1"),
        ("t3", {"n": 3}, "a2"),
    ]
    assert found.tools == ("t1", "t2", "t3")


def test_what_finds_no_partner_is_left_out_and_named():
    """Calls by their place among all calls, responses by their id."""
    found = evidence(
        message("assistant", call("a", "t1"), call("b", "t2"), call("b", "t3")),
        message("tool", response("a"), response("x"), response("b"), response("x")),
    )
    assert [one.tool_name for one in found.calls] == ["t1", "t2"]
    assert found.unanswered == ((3, "b", "t3"),)
    assert found.unclaimed == ("x", "x")


@given(st.lists(parts(ids=st.sampled_from(["a", "b", "c"])), max_size=12))
def test_the_nth_call_with_an_id_gets_the_nth_response_with_it(some):
    """Whatever stands in between, and nothing is lost or used twice."""
    found = evidence(message("assistant", *some), message("user"))
    calls = [(n, one) for n, one in enumerate(_of(some, "tool_call"), start=1)]
    responses = _of(some, "tool_call_response")
    expected, open_calls, left = {}, [], 0
    for name in "abc":
        made = [(n, one) for n, one in calls if one["id"] == name]
        given_back = [one for one in responses if one["id"] == name]
        paired = zip(made, given_back, strict=False)
        expected |= {n: (one["name"], answer["response"]) for (n, one), answer in paired}
        open_calls += [n for n, _ in made[len(given_back) :]]
        left += max(len(given_back) - len(made), 0)
    got = [(one.tool_name, one.result) for one in found.calls]
    assert got == [expected[n] for n in sorted(expected)]
    assert [one.number for one in found.unanswered] == sorted(open_calls)
    assert len(found.unclaimed) == left


def _of(some, kind):
    return [part for part in some if part["type"] == kind]
