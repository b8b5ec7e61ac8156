"""Reading responses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.runner.run import RESERVED_WARNINGS, quoted_warning, read_reply


@pytest.mark.parametrize(
    "response",
    [
        {"content": "hi", "tool_calls": [{"name": "t"}]},
        {"message": {"content": "hi", "tool_calls": [{"name": "t"}]}},
        {"choices": [{"message": {"content": "hi", "tool_calls": [{"name": "t"}]}}]},
    ],
)
def test_all_three_shapes_read_the_same(response):
    """Flat, wrapped, chat completion."""
    reply = read_reply(response)
    assert (reply.content, reply.tool_calls) == ("hi", [{"name": "t"}])


@pytest.mark.parametrize("empty", [None, "", []])
def test_empty_content_and_calls_are_empty(empty):
    """Missing, null and empty are one thing."""
    reply = read_reply({"content": empty, "tool_calls": empty})
    assert (reply.content, reply.tool_calls, reply.tool_results) == ("", [], [])


def test_tool_calls_keep_the_shape_their_platform_gave_them():
    """A drift of that shape is a finding, so nothing is renamed or parsed."""
    calls = [
        {"id": "1", "type": "function", "function": {"name": "t", "arguments": '{"a": 1}'}},
        {"id": "2", "name": "t", "args": {"a": 1}, "extra": None},
    ]
    reply = read_reply({"tool_calls": calls})
    assert reply.tool_calls == calls
    assert reply.tool_calls is not calls


@pytest.mark.parametrize("calls", [{"name": "t"}, "t", 3])
def test_tool_calls_that_are_no_list_are_refused_by_their_type(calls):
    """A trace could not hold them."""
    with pytest.raises(TypeError, match=type(calls).__name__):
        read_reply({"tool_calls": calls})


def test_tool_calls_that_contain_themselves_are_refused():
    """They cannot be written down."""
    calls = []
    calls.append({"name": "t", "args": calls})
    with pytest.raises(TypeError, match="contains itself"):
        read_reply({"tool_calls": calls})


@pytest.mark.parametrize("key", ["worker_warnings", "tool_results"])
@pytest.mark.parametrize("value", ["text", {"a": 1}, 3, False])
def test_a_list_that_is_none_is_reported_by_its_type(key, value):
    """The run goes on; the driver's mistake is written down once."""
    (warning,) = read_reply({"content": "hi", key: value}).warnings
    assert warning.startswith(f"runtime_warning_shape: {key}")
    assert warning.endswith(f"got {type(value).__name__}")


def test_optional_values_of_another_type_are_left_out():
    """A model that is no name, a prompt that is no text."""
    reply = read_reply(
        {"content": "hi", "model": 3, "rendered_prompt": ["x"], "worker_warnings": None}
    )
    assert (reply.model, reply.rendered_prompt, reply.warnings) == (None, None, [])


def test_a_warning_that_cannot_be_read_does_not_break_the_run():
    """Even an object without a text leaves a warning."""

    class Mute:
        def __str__(self):
            raise OSError

    (warning,) = read_reply({"content": "hi", "worker_warnings": [Mute()]}).warnings
    assert "Mute" in warning


@given(prefix=st.sampled_from(RESERVED_WARNINGS), rest=st.text())
def test_nothing_a_runtime_says_begins_like_a_marker(prefix, rest):
    """The text is kept whole behind a prefix of its own."""
    quoted = quoted_warning(prefix + rest)
    assert quoted == f"runtime_warning: {prefix}{rest}"
    assert not quoted.startswith(RESERVED_WARNINGS)
    assert quoted_warning(quoted) == quoted


@given(st.text().filter(lambda text: not text.startswith(RESERVED_WARNINGS)))
def test_every_other_warning_is_kept_verbatim(text):
    """Triage reads some of them word by word."""
    assert quoted_warning(text) == text
