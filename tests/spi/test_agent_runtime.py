"""The types that describe an agent, and the shapes a response may have."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wt_git.spi.agent_runtime import (
    AgentConfig,
    MCPSpec,
    ModelSpec,
    SamplingConfig,
    content_text,
    response_message,
)


def test_a_configuration_names_an_agent_and_nothing_else_by_default():
    """Every optional field means the runtime's own default; lists are fresh per instance."""
    config = AgentConfig()
    assert (config.agent_id, config.variant_id) == ("agent", "default")
    assert config.system_prompt is config.persona_doc is config.model is config.sampling is None
    assert config.skills == config.mcp_servers == []
    assert AgentConfig().skills is not config.skills


def test_the_fields_keep_their_positions():
    """Drivers in the field construct these by position."""
    assert [f.name for f in dataclasses.fields(AgentConfig)] == [
        "agent_id",
        "variant_id",
        "system_prompt",
        "persona_doc",
        "skills",
        "mcp_servers",
        "model",
        "sampling",
    ]
    assert ModelSpec("m") == ModelSpec(name="m", quant="unknown")
    assert MCPSpec("a", "http://h/mcp") == MCPSpec(name="a", url="http://h/mcp")


def test_a_configuration_can_be_cloned_with_changes():
    """A sampling matrix clones one configuration per cell."""
    changed = dataclasses.replace(AgentConfig("a"), sampling=SamplingConfig(temperature=0.0))
    assert changed.agent_id == "a"
    assert changed.sampling == SamplingConfig(temperature=0.0)


def test_a_sampling_knob_that_makes_no_sense_is_refused_by_name(subtests):
    """Out of range, not a number, or of another type: one error that names the field."""
    for field, value in [
        *(("temperature", value) for value in (-0.1, 2.1, float("nan"), True, "0.5", [])),
        *(("top_p", value) for value in (0.0, 1.1, float("nan"), float("inf"), True, "1")),
        *(("tool_choice", value) for value in ("", "  ", 1, True)),
        *(("max_tokens", value) for value in (0, -1, 1.5, True, "10")),
    ]:
        with (
            subtests.test(field=field, value=value),
            pytest.raises(ValueError, match=field),
        ):
            SamplingConfig(**{field: value})


@given(
    temperature=st.none() | st.floats(0.0, 2.0) | st.integers(0, 2),
    top_p=st.none() | st.floats(0.0, 1.0, exclude_min=True),
    tool_choice=st.none() | st.sampled_from(["auto", "none", "required", "look_up"]),
    max_tokens=st.none() | st.integers(1, 10**9),
)
def test_every_sampling_in_range_is_kept_as_given(temperature, top_p, tool_choice, max_tokens):
    """What is accepted is recorded unchanged."""
    sampling = SamplingConfig(temperature, top_p, tool_choice, max_tokens)
    assert dataclasses.astuple(sampling) == (temperature, top_p, tool_choice, max_tokens)


def test_the_message_is_found_in_every_accepted_shape(subtests):
    """A first choice wins over a wrapped message, that over the response itself."""
    for response, message in [
        ({"choices": [{"message": {"content": "a"}}], "message": {"content": "b"}}, "a"),
        ({"choices": [{"message": None}], "message": {"content": "b"}}, None),
        ({"message": {"content": "b"}, "content": "c"}, "b"),
        ({"choices": [], "message": {"content": "b"}}, "b"),
        ({"content": "c", "message": "no object"}, "c"),
        ({"choices": [], "content": "c"}, None),
        ({"choices": None, "content": "c"}, None),
        ({}, None),
    ]:
        with subtests.test(response=response, message=message):
            assert response_message(response).get("content") == message


def test_a_response_that_is_no_object_is_refused_by_its_type(subtests):
    """The error says what came and what would have been accepted."""
    for response in [None, "text", ["a"], 3, b"x"]:
        with subtests.test(response=response):
            with pytest.raises(TypeError, match=type(response).__name__) as refusal:
                response_message(response)
            assert "choices" in str(refusal.value)


def test_choices_of_another_shape_are_refused(subtests):
    """Neither an attribute error nor an empty answer hides a broken response."""
    for choices in [{"0": 1}, "text", [None], ["text"], [{"message": "text"}]]:
        with subtests.test(choices=choices), pytest.raises(TypeError, match="choices"):
            response_message({"choices": choices})


def test_content_becomes_text(subtests):
    """Lists of parts are joined; what holds no text, or only thinking, is left out."""
    for content, text in [
        (None, ""),
        ("", ""),
        ([], ""),
        ("plain", "plain"),
        (["one ", "two"], "one two"),
        ([{"type": "text", "text": "5 "}, {"type": "output_text", "text": "open"}], "5 open"),
        ([{"type": "thinking", "text": "hm"}, {"type": "image_url"}, {"text": "x"}], "x"),
        ([{"type": "text", "content": "y"}, 7, None], "y"),
        ({"type": "text", "text": "lone part"}, "lone part"),
        (12, "12"),
    ]:
        with subtests.test(content=content, text=text):
            assert content_text(content) == text


@given(st.recursive(st.none() | st.text() | st.integers(), st.lists))
def test_any_content_becomes_some_text(content):
    """No content a model emits breaks a run by its shape."""
    assert isinstance(content_text(content), str)
