"""Universes in files, and made of witnessed calls."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kit.universes import orders, orders_document, universes

from wt_git.api.universe import (
    Universe,
    UniverseFormatError,
    UniverseMatching,
    UniverseRecording,
    UniverseTool,
    freeze_universe,
    load_universe,
    save_universe,
)
from wt_git.spi import MCPCall

TOOL = UniverseTool("say", {"type": "object"})
same_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@same_folder
@given(universe=universes())
def test_any_universe_survives_a_file(tmp_path, universe):
    """Saved over another, and loaded."""
    path = tmp_path / "any.universe.json"
    save_universe(universe, path)
    assert load_universe(path) == universe


def test_a_universe_is_saved_for_people_to_read(tmp_path):
    """Two-space JSON in real Unicode, in folders that are made for it, by a path of either kind."""
    path = tmp_path / "some" / "folder" / "u.universe.json"
    universe = freeze_universe([MCPCall("say", {"text": "héllo"}, "wörld", 1.0)], [TOOL])
    save_universe(universe, str(path))
    text = path.read_text(encoding="utf-8")
    assert json.loads(text)["recordings"][0]["args"] == {"text": "héllo"}
    assert '\n  "tools": [\n    {\n      "name": "say"' in text
    assert '"héllo"' in text
    assert text.endswith("}\n")
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    assert load_universe(str(path)) == universe


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff\xfe{}",
        b'{"windtunnel_universe": 1, "tools": [], "recordings": NaN}',
        b"[" * 100_000,
        b'{"windtunnel_universe": ' + b"1" * 5000 + b"}",
        "{}".encode("utf-16"),
    ],
)
def test_a_file_that_is_no_json_is_refused_as_such(tmp_path, data):
    """With the name of the file."""
    path = tmp_path / "bad.universe.json"
    path.write_bytes(data)
    with pytest.raises(UniverseFormatError, match=r"bad\.universe\.json: "):
        load_universe(path)


def test_a_number_beyond_all_bounds_is_refused_by_its_place(tmp_path):
    """JSON readers turn it into infinity, which no JSON writer takes."""
    path = tmp_path / "u.json"
    text = json.dumps(orders_document()).replace('"queued"', "1e999")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UniverseFormatError, match=r"u\.json: recordings\[2\]\.result must be a"):
        load_universe(path)


def test_a_byte_order_mark_is_no_harm(tmp_path):
    """Some editors leave one."""
    path = tmp_path / "u.json"
    path.write_text(json.dumps(orders_document()), encoding="utf-8-sig")
    assert load_universe(path) == orders()


@same_folder
@given(data=st.binary() | st.text().map(str.encode))
def test_any_bytes_are_a_universe_or_refused(tmp_path, data):
    """Never another exception."""
    path = tmp_path / "any"
    path.write_bytes(data)
    with pytest.raises(UniverseFormatError):
        load_universe(path)


@same_folder
@given(data=st.data())
def test_a_damaged_file_is_a_universe_or_refused(tmp_path, data):
    """Never another exception, wherever a byte was lost or changed."""
    whole = json.dumps(orders_document()).encode()
    place = data.draw(st.integers(0, len(whole) - 1))
    damaged = whole[:place] + data.draw(st.binary(max_size=2)) + whole[place + 1 :]
    path = tmp_path / "damaged"
    path.write_bytes(damaged)
    with contextlib.suppress(UniverseFormatError):
        universe = load_universe(path)
        save_universe(universe, path)
        assert load_universe(path) == universe


def test_a_missing_file_is_missing(tmp_path):
    """That is no matter of its format."""
    with pytest.raises(FileNotFoundError):
        load_universe(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("universe", "message"),
    [
        (Universe(1, (TOOL, TOOL), ()), "duplicate tool definitions"),
        (Universe(2, (TOOL,), ()), "unsupported"),
        (Universe(1, (), (UniverseRecording("say", {}, 1),)), "undefined tools"),
        (Universe(1, (TOOL,), (UniverseRecording("say", {}, {1}),)), "recordings[0].result"),
        (Universe(1, (TOOL,), (UniverseRecording("say", [1], 1),)), "recordings[0].args"),
        (Universe(1, (TOOL,), (), UniverseMatching(arg_keys={"say": "x"})), "arg_keys.say"),
        (Universe(1, (TOOL,), (), UniverseMatching(arg_keys={"say": None})), "arg_keys.say"),
        (Universe(1, (TOOL,), (), UniverseMatching("guess")), "must be one of"),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(tmp_path, universe, message):
    """And what was there before stays."""
    path = tmp_path / "u.json"
    path.write_text("before", encoding="utf-8")
    with pytest.raises(UniverseFormatError) as refused:
        save_universe(universe, path)
    assert message in str(refused.value)
    assert path.read_text(encoding="utf-8") == "before"


def test_witnessed_calls_become_recordings(tmp_path):
    """In their order, arguments flat and results as they were, and saved where that is asked."""
    calls = [
        MCPCall("say", {"function": {"arguments": '{"text": "hi"}'}}, {"b": 1, "a": None}, 1.0),
        {"tool_name": "say", "args": {"text": "ho"}, "result": None, "timestamp_ms": 2.0},
        MCPCall("say", {"text": "never"}, None, 3.0, {"unfinished": True}),
        {"tool_name": "say", "args": {}, "result": 1, "extra": {"unfinished": True}},
    ]
    path = tmp_path / "folder" / "frozen.json"
    universe = freeze_universe(iter(calls), iter([TOOL]), path=path)
    assert universe.recordings == (
        UniverseRecording("say", {"text": "hi"}, {"b": 1, "a": None}),
        UniverseRecording("say", {"text": "ho"}, None),
    )
    assert list(universe.recordings[0].result) == ["b", "a"]
    assert universe.tools == (TOOL,)
    assert load_universe(path) == universe


@pytest.mark.parametrize(
    "call",
    [
        MCPCall("say", None, "hi", 1.0),
        {"tool_name": "say", "args": None, "result": "hi"},
    ],
)
def test_a_call_without_arguments_may_say_so_by_null(tmp_path, call):
    """Some wires do; in the file it is an empty object."""
    path = tmp_path / "frozen.json"
    assert freeze_universe([call], [TOOL], path=path).recordings[0].args == {}
    assert load_universe(path).recordings[0].args == {}


@pytest.mark.parametrize(
    "matching",
    [
        UniverseMatching("nearest", {"say": ["text"]}, modes={"say": "sequence"}),
        {"on_miss": "nearest", "arg_keys": {"say": {"keys": ["text"], "mode": "sequence"}}},
    ],
)
def test_tools_and_rules_may_be_mappings(matching):
    """As a handle serves the tools, and as a file states the rules."""
    served = {"name": "say", "description": "", "input_schema": {"type": "object"}}
    universe = freeze_universe([], [served], matching=matching)
    assert universe.tools == (TOOL,)
    assert universe.matching == UniverseMatching(
        "nearest", {"say": ["text"]}, modes={"say": "sequence"}
    )


def test_what_was_frozen_is_no_longer_the_callers(tmp_path):
    """A log goes on being changed by whoever made it."""
    result = {"status": ["open"]}
    universe = freeze_universe([MCPCall("say", {}, result, 1.0)], [TOOL])
    result["status"].append("closed")
    assert universe.recordings[0].result == {"status": ["open"]}


@pytest.mark.parametrize(
    ("calls", "tools", "place"),
    [
        ([MCPCall("say", {}, {1}, 1.0)], [TOOL], "recordings[0].result"),
        ([MCPCall("say", "hi", 1, 1.0)], [TOOL], "recordings[0].args"),
        ([{"tool_name": "say", "args": {}}], [TOOL], "recordings[0].result is missing"),
        ([MCPCall("shout", {}, 1, 1.0)], [TOOL], "recordings[0].tool_name"),
        ([], [TOOL, TOOL], "duplicate tool definitions"),
        ([], [{"name": "say"}], "tools[0].input_schema"),
    ],
)
def test_what_cannot_be_frozen_is_refused_and_not_saved(tmp_path, calls, tools, place):
    """By its place."""
    path = tmp_path / "u.json"
    with pytest.raises(UniverseFormatError) as refused:
        freeze_universe(calls, tools, path=path)
    assert place in str(refused.value)
    assert not Path(path).exists()
