"""Catching fabrication."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_trace, assistant, traces, user

from wt_git.api.scenario import NumberFact
from wt_git.api.scorers import substantiated_by_tools
from wt_git.api.trace import Turn


def witnessed(answer, *results):
    calls = [
        {"tool_name": "t", "args": {}, "result": result, "timestamp_ms": at}
        for at, result in enumerate(results)
    ]
    return a_trace(user(), assistant(answer), mcp_calls=calls)


def judge(answer, *results, facts=None):
    return substantiated_by_tools(facts)(witnessed(answer, *results))


def test_without_an_answer_there_is_nothing_to_substantiate():
    """The layer fails before evidence is looked for."""
    result = substantiated_by_tools()(a_trace(user()))
    assert not result.passed
    assert "no assistant turn" in result.detail


@pytest.mark.parametrize("facts", [None, [], ["x"]])
@pytest.mark.parametrize(
    ("fields", "label"),
    [
        ({}, "transcript"),
        ({"worker_warnings": ["mcp_evidence: available"]}, "server-witnessed"),
        ({"mcp_calls": [{"tool_name": "t"}]}, "server-witnessed"),
        ({"mcp_calls": [{"tool_name": "t", "result": ""}]}, "server-witnessed"),
        (
            {
                "mcp_calls": [{"tool_name": "t", "result": "x 75"}],
                "worker_warnings": ["mcp_evidence: unavailable (x)"],
            },
            "unavailable",
        ),
    ],
)
def test_without_tool_results_nothing_is_substantiated(facts, fields, label):
    """Even an answer without claims fails, and the label says whose results were missing."""
    result = substantiated_by_tools(facts)(a_trace(assistant("hello"), **fields))
    assert not result.passed
    assert result.detail == f"no tool result evidence [evidence: {label}]"


def test_an_answer_without_claims_passes_once_there_is_evidence():
    """No integers, or an empty list of facts: any tool result is enough."""
    assert judge("none at all", {"n": 1}).passed
    assert judge("99 bottles", {"n": 1}, facts=[]).passed
    assert judge("99 bottles", {"n": 1}, facts=()).passed


def test_numbers_that_a_tool_gave_are_substantiated(subtests):
    """However they are written; parts of identifiers, ordinals and codes are no claims."""
    for answer, result in [
        ("75 orders", {"n": 75}),
        ("75 orders", "found 75."),
        ("75 and 3, again 75", [75, {"a": "3 left"}]),
        ("1,250 units", {"n": 1250}),
        ("1,250 units", "1,250"),
        ("1,250 units", [1, 250]),
        ("1250 units", "1,250"),
        ("3.5 kg", {"kg": 3.5}),
        ("3.50 kg", "3.5"),
        ("3.5 kg", [3, 5]),
        ("down by 5", {"delta": -5}),
        ("-5", {"delta": -5}),
        ("ORD-1001", {"id": "ORD-1001"}),
        ("order-1001 shipped", {"id": "ORD-1001"}),
        ("ORD-1001", {"id": 1001}),
        ("B003, 12th, 3rd and 007", {"n": 1}),
        ("on 5.11.2026", {"day": "5.11.2026"}),
        ("in 2026", {"day": "2026-05-01"}),
        ("version 1.2.3", "1.2.3"),
        ("v1.2", "v1.2"),
        ("10 days", "a 10-day wait"),
        ("0 left", {"n": 0}),
        ("75\N{CJK UNIFIED IDEOGRAPH-4EF6}", {"n": 75}),
    ]:
        with subtests.test(answer=answer, result=result):
            assert judge(answer, result).passed


def test_numbers_from_nowhere_fail(subtests):
    """Fragments of identifiers, longer numbers and fractions are no source."""
    for answer, result, missing in [
        ("76 orders", {"n": 75}, "76"),
        ("1001 units", {"id": "ORD-1001"}, "1001"),
        ("1001 units", "ACC-1001-X and B1001", "1001"),
        ("1001 units", "order 1001-A", "1001"),
        ("ORD-9999", {"id": "ORD-1001"}, "9999"),
        ("250 units", "1,250 units", "250"),
        ("5 kg", "3.5 kg", "5"),
        ("1,250 units", {"n": 250}, "1,250"),
        ("1,005 units", [1, 5], "1,005"),
        ("3.5 kg", {"kg": 3}, "3.5"),
        ("3", "v3 3rd 13 003", "3"),
    ]:
        with subtests.test(answer=answer, result=result, missing=missing):
            found = judge(answer, result)
            assert not found.passed
            assert (
                found.detail
                == f"unsubstantiated numeric facts: {missing} [evidence: server-witnessed]"
            )


def test_every_number_from_nowhere_is_named_once():
    """In the order of the answer."""
    detail = judge("8, 9, 8 and 75", {"n": 75}).detail
    assert detail.startswith("unsubstantiated numeric facts: 8, 9 [")


def test_escapes_of_json_do_not_hide_a_number():
    """A line break before a number is no letter, however deep the text is wrapped."""
    text = "Total:\n75 orders\t80 items"
    assert judge("75 and 80", {"content": [{"type": "text", "text": text}]}).passed
    assert judge("75 and 80", {"result": json.dumps({"note": text})}).passed
    assert judge("75 and 80", json.dumps({"note": text})).passed
    assert judge("-", {"t": 'a "big" one'}, facts=['a "big" one']).passed


def test_the_transcript_is_evidence_where_no_server_was_in_play():
    """The label says so."""
    told = Turn("tool", "75 rows", [], [{"content": "80"}], 0.0)
    result = substantiated_by_tools()(a_trace(told, assistant("75 and 80")))
    assert result.passed
    assert result.detail.endswith("[evidence: transcript]")


def test_authored_facts_are_looked_up_in_the_results(subtests):
    """Strings, groups and numbers, alone or listed; what the answer says is not asked."""
    for facts, passed in [
        ("lowell", True),
        ("Portland", False),
        (["Lowell", "Spinners"], True),
        (["Lowell", "Portland"], False),
        ([["Portland", "Lowell"]], True),
        ([("Portland", "Chicago")], False),
        ([[]], False),
        (NumberFact(75), True),
        (NumberFact(75, "orders"), True),
        (NumberFact(1001), False),
        (NumberFact(5), False),
        ([NumberFact(75), "Lowell", ["x", "spinners"]], True),
        ([NumberFact(75), NumberFact(76)], False),
        ((NumberFact(75), "Lowell"), True),
    ]:
        with subtests.test(facts=facts, passed=passed):
            result = judge(
                "no idea", {"client": "Lowell Spinners", "n": 75, "id": "ORD-1001"}, facts=facts
            )
            assert result.passed is passed


def test_what_is_missing_is_named_by_kind():
    """Groups and numbers have a list each."""
    detail = judge("x", {"n": 1}, facts=[["a", "b"], NumberFact(2)]).detail
    assert "unsubstantiated fact groups: ['a', 'b']" in detail
    assert "unsubstantiated numeric facts: 2 is not stated" in detail


def test_a_spec_of_another_kind_fails(subtests):
    """A typing mistake of the author is no pass and no crash."""
    for facts in [75, [75], {"a": 1}, [None], [["a", 1]], [{"a"}], b"x"]:
        with subtests.test(facts=facts):
            result = judge("x", {"n": 75, "a": 1}, facts=facts)
            assert not result.passed
            assert "invalid fact specs" in result.detail


def test_later_changes_of_the_authors_list_change_nothing():
    """Facts are read when the scorer is made."""
    facts = [["a"]]
    scorer = substantiated_by_tools(facts)
    facts[0].append("n")
    facts.append("x")
    assert not scorer(witnessed("x", {"n": 1})).passed
    assert "['a']" in scorer(witnessed("x", {"n": 1})).detail


@given(
    claimed=st.lists(st.integers(0, 9999), max_size=5),
    known=st.lists(st.integers(-9999, 9999), min_size=1, max_size=5),
    grouped=st.booleans(),
)
def test_an_answer_passes_exactly_when_all_its_numbers_are_known(claimed, known, grouped):
    """Signs and separators aside, each number must be among those that tools gave."""
    answer = " and ".join(f"{number:,}" if grouped else str(number) for number in claimed)
    sources = {str(abs(number)) for number in known}
    expected = all(
        str(number) in sources or (grouped and set(f"{number:,}".split(",")) <= sources)
        for number in claimed
    )
    assert judge(answer, *known).passed == expected


@given(traces(), st.none() | st.lists(st.text() | st.builds(NumberFact, st.integers())))
def test_any_saved_trace_gets_an_answer(trace, facts):
    """No trace and no facts make the scorer raise."""
    assert substantiated_by_tools(facts)(trace).passed in {True, False}
