"""What is suspicious in a conversation that is well-formed."""

from __future__ import annotations

import pytest
from hypothesis import given
from kit.conversations import call, envelope, envelopes, message, response, said, text

from wt_git.api.interchange import InterchangeFormatError, lint_interchange, parse_interchange


def test_a_clean_conversation_has_no_warnings():
    """Nothing is said about what is fine."""
    assert lint_interchange(envelope()) == []


@pytest.mark.parametrize("marker", ["[truncated]", "[redacted]"])
@pytest.mark.parametrize("spelling", [str.lower, str.upper, str.title])
def test_what_was_cut_is_reported_wherever_it_is(marker, spelling):
    """In arguments, answers, texts and witnessed calls, in either case and at any depth."""
    cut = f"abc {spelling(marker)}"
    warnings = lint_interchange(
        envelope(
            message("user", text(cut)),
            message("assistant", call("c1", "t", a=[{"b": cut}])),
            message("tool", response("c1", {cut: 1})),
            witnessed_calls=[{"tool_name": "t", "args": {"x": cut}, "result": [cut]}],
        )
    )
    token = f"contains '{marker}'"
    assert [warning.replace(f" {token}", "") for warning in warnings] == [
        "messages[0].parts[0] (text)",
        "messages[1].parts[0] (tool_call 'c1')",
        "messages[2].parts[0] (tool_call_response 'c1')",
        "witnessed_calls[0].args (tool 't')",
        "witnessed_calls[0].result (tool 't')",
    ]


def test_there_is_one_warning_for_each_marker():
    """However often it occurs in one part."""
    warnings = lint_interchange(
        envelope(message("assistant", call("c1", "t", a="[redacted][redacted] [truncated]")))
    )
    assert [warning.split("contains")[1] for warning in warnings] == [
        " '[truncated]'",
        " '[redacted]'",
    ]


def test_a_response_without_its_call_is_reported():
    """By its id; a call may come later, and a call without a response is no finding."""
    warnings = lint_interchange(
        envelope(
            message("tool", response("early"), response("lost")),
            message("assistant", call("early"), call("open")),
            message("tool", response("lost")),
        )
    )
    assert warnings == [
        f"messages[{at}].parts[{part}] (tool_call_response 'lost') has no matching tool_call"
        " in the message stream"
        for at, part in ((0, 1), (2, 0))
    ]


def test_findings_stand_in_the_order_of_the_messages():
    """What is wrong with one part stands together."""
    warnings = lint_interchange(
        envelope(
            message("tool", response("x", "[REDACTED]")),
            said("assistant", "[truncated]"),
        )
    )
    assert [warning.split(" ")[0] for warning in warnings] == [
        "messages[0].parts[0]",
        "messages[0].parts[0]",
        "messages[1].parts[0]",
    ]


def test_what_is_no_conversation_is_refused_first():
    """There is nothing to say about it but that."""
    with pytest.raises(InterchangeFormatError, match="session"):
        lint_interchange({"windtunnel_interchange": 1})


@given(envelopes())
def test_a_conversation_that_was_read_has_the_same_findings(raw):
    """It may be given as a document or as a value."""
    assert lint_interchange(parse_interchange(raw)) == lint_interchange(raw)


def test_a_tool_that_is_defined_twice_is_reported():
    """A fixture cannot hold both, so an import refuses it."""
    tools = [{"name": name} for name in ("a", "b", "a")]
    assert lint_interchange(envelope(tool_definitions=tools)) == [
        "tool_definitions[2] defines 'a' again; it cannot be imported so"
    ]
