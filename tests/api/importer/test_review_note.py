"""The review note says what an import rests on and what is left to do, and hides nothing in it."""

from __future__ import annotations

import itertools
import json
import shlex
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from kit.conversations import (
    HOSTILE,
    call,
    envelope,
    envelopes,
    hostile_texts,
    message,
    response,
    said,
)
from markdown_it import MarkdownIt

from wt_git.api.importer.plan import plan_import
from wt_git.api.importer.writing import review_note, run_command
from wt_git.api.interchange import parse_interchange

SCENARIO = Path("orders/scenario.py")
OURS = {
    *("bullet_list", "list_item", "paragraph", "heading"),
    *("inline", "text", "code_inline", "code_block", "softbreak"),
}


def note(raw, **options):
    """The note for a document."""
    plan = plan_import(parse_interchange(raw), Path("orders"), **options)
    return review_note(plan, SCENARIO)


def test_it_says_what_was_imported():
    """In these words, which other tools look for."""
    said_so = note(envelope(otel_genai_mapping="v1.37", source={"ref": "r:1"}))
    for line in (
        "- Interchange version: `1`",
        "- Semantic conventions (`otel_genai_mapping`): `v1.37`",
        "- Model: `m-1`",
        "- User turns: `1`",
        "- Fixture evidence source: `reconstructed`",
        "- Recordings: `1`",
        "- Observed tools: `order_query`",
        "- `requires_tool_use`: `True`",
        "- Origin tag: `origin:r:1`",
        "    How many open orders does Lowell Spinners have?",
    ):
        assert line in said_so.split("\n")


def test_it_says_what_there_was_none_of():
    """Nothing is left out because it is empty."""
    said_so = note(envelope(said("assistant", "hi"), witnessed_calls=[]))
    assert "Fixture evidence source: `witnessed_calls`" in said_so
    assert "Origin tag: `(none)`" in said_so
    assert "Observed tools: `(none)`" in said_so
    assert "User turns: `0`" in said_so
    assert "no message of the user had text" in said_so
    assert "Replace stubbed" not in said_so


def test_it_ends_with_what_the_assistant_said_last():
    """That is what a reviewer compares with."""
    assert note(envelope()).endswith("They have 75 open orders.\n")
    assert note(envelope(said("user", "hi"))).endswith("(nothing)\n")


def test_it_has_the_whole_source():
    """As JSON; what the importer does not know may matter to a person."""
    source = {"ref": "r", "tags": ["é", "```"], "deep": {"a": None}}
    tokens = MarkdownIt("commonmark").parse(note(envelope(source=source)))
    blocks = [token.content for token in tokens if token.type == "code_block"]
    assert json.loads(blocks[1]) == source


def test_it_names_what_is_left_to_do():
    """By name and place."""
    said_so = note(
        envelope(
            message("user"),
            message("assistant", call("a", "t1"), call("b", "t2")),
            message("tool", response("a"), response("x")),
            said("assistant", "done"),
            tool_definitions=[{"name": "offered"}],
        )
    )
    tasks = [line for line in said_so.split("\n") if line.startswith("- [ ] ")]
    assert len(tasks) == 6
    assert "Write the `prompt`" in tasks[0]
    assert "`TODO_REPLACE_WITH_REVIEWED_OUTCOME_FACT`" in tasks[1]
    assert "`SUGGESTED_TARGET_FACTS`" in tasks[2]
    assert "Replace stubbed `input_schema` values" in tasks[3]
    assert "`offered`, `t1`" in tasks[3]
    assert "Call 2, `b` of tool `t2`," in tasks[4]
    assert "add a tool and a recording" in tasks[4]
    assert "`x`" in tasks[5]


def tasks_of(*parts, **sections):
    raw = envelope(message("assistant", *parts), **sections)
    return [line for line in note(raw).split("\n") if line.startswith("- [ ] ")]


def test_an_import_without_any_tool_says_what_it_lacks():
    """Its scenario wants a tool to be used, and there is none to use."""
    _, _, lacking, unanswered = tasks_of(call("a", "t1"))
    assert "offered no tool" in lacking
    assert "`requires_tool_use`" in lacking
    assert "add a tool and a recording" in unanswered
    _, _, stubbed, unanswered = tasks_of(call("a", "t1"), tool_definitions=[{"name": "t1"}])
    assert "Replace stubbed" in stubbed
    assert "add a recording if" in unanswered


def test_a_tool_that_answered_differently_each_time_is_named():
    """Polling: a stateless fixture would give the first answer for ever."""
    polls = [
        {"tool_name": name, "args": {"id": 1}, "result": result}
        for name, result in [("poll", "queued"), ("same", 1), ("poll", "done"), ("same", 1)]
    ]
    found = [line for line in tasks_of(witnessed_calls=polls) if "sequence" in line]
    assert len(found) == 1
    assert "`poll`" in found[0]
    assert "`same`" not in found[0]


def test_it_says_that_turns_were_skipped():
    """A scenario cannot send what has no text."""
    raw = envelope(said("user", "a"), message("user"), said("user", " "))
    assert "User turns: `1` (skipped, without text: `2`)" in note(raw)


def test_the_command_names_the_pack():
    """It can be pasted: from wherever the import was made, whatever the folder is called."""
    assert run_command(SCENARIO) == (
        'wt run --pack-source=orders/scenario.py:PACK --question "…" --expect pass'
    )
    odd = Path("it's my $folder/-x/scenario.py")
    assert f"--pack-source={odd}:PACK" in shlex.split(run_command(odd))


@given(envelopes(), st.none() | hostile_texts().filter(str.strip))
def test_foreign_text_is_code_and_nothing_else(raw, name):
    """No link, image, HTML, heading or check mark that is not ours."""
    only_ours(note(raw, scenario_name=name))


def test_a_text_that_tries_to_break_out_stays_code(subtests):
    """In every place where the note quotes the conversation."""
    for at in HOSTILE:
        with subtests.test(at=at):
            only_ours(
                note(
                    envelope(
                        said("user", at),
                        message("assistant", call(at, at)),
                        message("tool", response(f"{at}!", at)),
                        said("assistant", at),
                        otel_genai_mapping=at,
                        source={"ref": at, at: at},
                        tool_definitions=[{"name": at}],
                    ),
                    scenario_name=at if at.strip() else None,
                )
            )


def only_ours(text):
    """Fail unless the note has the structure that we gave it."""
    tokens = MarkdownIt("commonmark").parse(text)
    flat = [inner for token in tokens for inner in (token, *(token.children or ()))]
    kinds = [token.type.removesuffix("_open").removesuffix("_close") for token in flat]
    assert {*kinds} <= OURS
    assert sum(token.type == "heading_open" for token in flat) == 4
    assert kinds.count("code_block") == 4
    items = [
        token.children[0].content
        for before, token in itertools.pairwise(tokens)
        if token.type == "inline" and before.type == "paragraph_open" and token.level > 2
    ]
    assert sum(item.startswith("[ ] ") for item in items) == text.count("\n- [ ] ")
    assert not any(item.startswith("[x]") for item in items)
    assert all(line.isprintable() or line == "" for line in _without_text(text).split("\n"))


def _without_text(text):
    """The note without characters that are neither control characters nor ours to escape."""
    return "".join(character for character in text if character < "\xa0")
