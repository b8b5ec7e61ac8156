"""What an import makes of a conversation."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.conversations import call, envelope, envelopes, hostile_texts, message, response, said

from wt_git.api.importer import STUB_INPUT_SCHEMA
from wt_git.api.importer.plan import plan_import
from wt_git.api.interchange import parse_interchange
from wt_git.api.scenario import Scenario
from wt_git.api.universe import UniverseFormatError


def plan(raw, out="imported", **options):
    """The plan for a document."""
    return plan_import(parse_interchange(raw), Path(out), **options)


def test_a_scenario_is_named_after_its_folder_else_after_its_origin(subtests):
    """In ASCII letters, digits and underscores, and never beginning with a digit."""
    for folder, ref, name in [
        ("imported", "r", "imported"),
        ("My Agent: v2!", None, "my_agent_v2"),
        ("a/b/Größe-7", None, "gr_e_7"),
        ("__x__", None, "x"),
        ("2026-01-02", None, "imported_2026_01_02"),
        ("日本", "langfuse:Trace 9", "langfuse_trace_9"),
        ("日本", "9", "imported_9"),
        ("日本", "!", "imported_trace"),
        ("日本", None, "imported_trace"),
        ("a/./b/..", None, "a"),
        ("x/", None, "x"),
    ]:
        with subtests.test(folder=folder, ref=ref, name=name):
            source = None if ref is None else {"ref": ref}
            assert plan(envelope(source=source), folder).name == name


def test_the_working_directory_has_a_name_too(tmp_path, monkeypatch):
    """A path may end in a dot."""
    (tmp_path / "Here").mkdir()
    monkeypatch.chdir(tmp_path / "Here")
    assert plan(envelope(), ".").name == "here"


@given(hostile_texts(), hostile_texts())
def test_every_name_that_is_made_up_can_be_typed(folder, ref):
    """Whatever the folder and the origin are called."""
    folder = folder.replace("\0", "").replace("/", "") or "x"
    name = plan(envelope(source={"ref": ref}), folder).name
    assert name.isascii()
    assert name.isidentifier()
    assert name == name.lower()
    assert not name.endswith("_")


def test_a_name_that_is_given_is_taken_as_it_is():
    """It is somebody's decision."""
    assert plan(envelope(), scenario_name="Orders, twice").name == "Orders, twice"
    for blank in ("", " \n"):
        with pytest.raises(ValueError, match="scenario_name must not be blank"):
            plan(envelope(), scenario_name=blank)


def test_what_the_user_said_last_is_the_prompt():
    """Of whatever else is in the message, the text."""
    made = plan(envelope(said("user", "a"), said("assistant", "b"), said("user", "c")))
    assert made.turns == ("a", "c")
    assert made.prompt == "c"


def test_messages_without_text_are_no_turns():
    """No scenario could be made of them; they are counted."""
    made = plan(
        envelope(
            said("user", "a"), message("user"), said("user", " \n"), message("user", response())
        )
    )
    assert (made.turns, made.blank_turns) == (("a",), 3)


def test_without_a_question_there_is_a_placeholder():
    """The scenario can be made, and its author sees what is missing."""
    made = plan(envelope(said("system", "be good")))
    assert made.turns == ()
    assert "TODO" in made.prompt


def test_tools_are_the_defined_ones_and_then_those_that_were_called():
    """What nobody described takes anything, and is named."""
    made = plan(
        envelope(
            message("assistant", call("1", "b"), call("2", "z"), call("3", "open")),
            message("tool", response("1"), response("2")),
            tool_definitions=[
                {"name": "a", "description": "A", "result_schema": {"type": "array"}},
                {"name": "b", "input_schema": {"type": "object", "properties": {}}},
            ],
        )
    )
    tools = [(one.name, one.description, one.input_schema) for one in made.universe.tools]
    assert tools == [
        ("a", "A", STUB_INPUT_SCHEMA),
        ("b", "", {"type": "object", "properties": {}}),
        ("z", "", STUB_INPUT_SCHEMA),
    ]
    assert made.universe.tools[0].result_schema == {"type": "array"}
    assert made.stubbed == ("a", "z")
    assert made.recorded.tools == ("b", "z")


def test_an_unrecorded_call_fails():
    """An import never invents an answer."""
    made = plan(envelope())
    assert made.universe.matching.on_miss == "fail_call"
    assert [(one.tool_name, one.args, one.result) for one in made.universe.recordings] == [
        ("order_query", {"client": "ACC-LSPN-001"}, {"open": 75})
    ]


def test_tools_are_required_where_any_was_called(subtests):
    """By anybody's account."""
    for raw, required in [
        (envelope(), True),
        (envelope(said("user", "hi"), tool_definitions=[{"name": "t"}]), False),
        (envelope(message("assistant", call()), witnessed_calls=[]), True),
        (envelope(message("assistant", call())), True),
        (
            envelope(
                said("user", "hi"),
                witnessed_calls=[{"tool_name": "t", "args": {}, "result": 1}],
            ),
            True,
        ),
    ]:
        with subtests.test(raw=raw, required=required):
            assert plan(raw).requires_tool_use is required


def test_an_origin_is_a_tag():
    """Only where there is one."""
    assert plan(envelope(source={"ref": "langfuse:1"})).origin == "origin:langfuse:1"
    assert plan(envelope(source={"host": "x"})).origin is None


def test_two_definitions_of_one_tool_cannot_be_served():
    """By their place in the universe, which is the same as in the conversation."""
    raw = envelope(tool_definitions=[{"name": "a"}, {"name": "b"}, {"name": "a"}])
    with pytest.raises(UniverseFormatError, match=r"tools\[2\]\.name.*duplicate tool definitions"):
        plan(raw)


@given(envelopes(), st.none() | hostile_texts().filter(str.strip))
def test_every_conversation_becomes_a_scenario_that_can_be_made(raw, name):
    """With a prompt, turns that say something, and a tool for every recording."""
    made = plan(raw, scenario_name=name)
    Scenario(name=made.name, prompt=made.prompt, user_turns=list(made.turns))
    assert made.prompt.strip()
    assert all(turn.strip() for turn in made.turns)
    names = [tool.name for tool in made.universe.tools]
    assert len(names) == len({*names})
    assert {one.tool_name for one in made.universe.recordings} <= {*names}
    assert len(made.universe.recordings) == len(made.recorded.calls)
    assert {*made.stubbed} <= {*names}
