"""Letting a model judge."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_trace, assistant, traces, user

from wt_git.api.scorers import llm_judge
from wt_git.api.trace import Turn

TRACE = a_trace(user(), assistant("75 orders."))


def reply(text):
    return [Turn("assistant", text, [], [], 0.0)]


def judge(answer, trace=TRACE):
    return llm_judge("Is it 75?", lambda _: answer)(trace)


@pytest.mark.parametrize("text", ["PASS", " PASS\n"])
def test_pass_passes(text):
    """Space around the word does not count, and the detail is fixed."""
    result = judge(reply(text))
    assert (result.passed, result.detail) == (True, "llm_judge: PASS")


def test_fail_fails():
    """The detail is fixed."""
    result = judge(reply("FAIL"))
    assert (result.passed, result.detail) == (False, "llm_judge: FAIL")


def test_any_other_reply_fails_and_is_quoted_whole(subtests):
    """A judge that does not follow the format has not judged."""
    for text in ["pass", "PASS.", "PASS FAIL", "", "The answer is PASS", " yes\n"]:
        with subtests.test(text=text):
            result = judge(reply(text))
            assert not result.passed
            assert "parse failure" in result.detail
            assert repr(text) in result.detail


def test_a_judge_that_returns_no_verdict_fails(subtests):
    """Only the last assistant turn speaks; anything else that comes back is no crash."""
    for answer in [
        None,
        [],
        "PASS",
        5,
        [None],
        ["PASS"],
        [user("PASS")],
        [assistant("PASS"), assistant("maybe")],
        [assistant(None)],
        [assistant(["PASS"])],
        {"role": "assistant", "content": "PASS"},
    ]:
        with subtests.test(answer=answer):
            result = judge(answer)
            assert not result.passed
            assert "parse failure" in result.detail


def test_the_last_assistant_turn_decides():
    """Earlier turns and turns of other roles are not the verdict."""
    assert judge([assistant("FAIL"), assistant("PASS"), user("FAIL")]).passed


def test_a_judge_that_raises_fails():
    """A broken client is a failure with its message."""

    def broken(turns):
        raise ConnectionError("no model")

    result = llm_judge("r", broken)(TRACE)
    assert not result.passed
    assert "generate error: no model" in result.detail


def test_without_an_answer_the_judge_is_not_asked():
    """There is nothing to judge."""

    def broken(turns):
        raise AssertionError("asked")

    result = llm_judge("r", broken)(a_trace(user()))
    assert not result.passed
    assert "no assistant turn" in result.detail


def asked(trace, rubric="Is it 75?"):
    seen = []
    llm_judge(rubric, lambda turns: seen.extend(turns) or reply("PASS"))(trace)
    (question,) = seen
    assert question.role == "user"
    return question.content


def test_the_judge_sees_rubric_answer_and_evidence_in_order():
    """One user turn: the instruction, the rubric, the answer, and the evidence as JSON."""
    trace = a_trace(
        user(),
        Turn("tool", "told", [], [{"content": "listed"}], 0.0),
        assistant("Es sind 75 St\N{LATIN SMALL LETTER U WITH DIAERESIS}ck {x}."),
        mcp_calls=[
            {"tool_name": "order_query", "args": {}, "result": {"n": 75}, "timestamp_ms": 1},
            {"tool_name": "lost", "args": {}, "timestamp_ms": 2},
        ],
        observations={
            "db": {
                "rows": {
                    1,
                }
            }
        },
        worker_warnings=["mcp_evidence: available"],
    )
    content = asked(trace, "{rubric} braces")
    parts = [
        "PASS or FAIL",
        "{rubric} braces",
        "Es sind 75 St\N{LATIN SMALL LETTER U WITH DIAERESIS}ck {x}.",
    ]
    places = [content.index(part) for part in parts]
    assert places == sorted(places)
    evidence = json.loads(content[content.rindex('{"observations"') :])
    assert list(evidence) == sorted(evidence)
    assert evidence == {
        "server_witnessed_tool_results": [{"tool_name": "order_query", "result": {"n": 75}}],
        "transcript_tool_results": [{"content": "listed"}, "told"],
        "observations": {"db": {"rows": "{1}"}},
        "worker_warnings": ["mcp_evidence: available"],
    }


@given(trace=traces(), text=st.text())
def test_any_trace_and_any_reply_get_a_result(trace, text):
    """Only the exact word passes."""
    result = llm_judge("r", lambda _: reply(text))(trace)
    answered = any(turn.role == "assistant" for turn in trace.turns)
    assert result.passed == (answered and text.strip() == "PASS")
