"""Saved traces as people are shown them: whatever a file holds, it has a known shape."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.saved_runs import save_run
from kit.traces import assistant, json_values, traces, user

from wt_git.api.trace import save_trace, trace_to_dict
from wt_git.records.runs.run_files import UnreadableRunError
from wt_git.records.runs.saved_runs import load_saved_trace, saved_trace

if TYPE_CHECKING:
    from pathlib import Path

TURN_KEYS = [
    *("role", "content", "tool_calls", "tool_results", "latency_ms"),
    *("rendered_prompt", "rendered_prompt_hash"),
]


def test_a_trace_of_ours_is_shown_as_it_is(tmp_path):
    """Turns, calls and warnings are those of the file."""
    turns = [user("how many?"), assistant("75", {"name": "lookup", "args": {"id": 7}})]
    calls = [{"tool_name": "lookup", "args": {"id": 7}, "result": "75", "timestamp_ms": 1.5}]
    path = save_run(tmp_path, 1, turns=turns, mcp_calls=calls, warnings=["mcp_evidence: available"])
    found = load_saved_trace(str(path))
    written = json.loads(path.read_text())
    assert found.turns == written["turns"]
    assert (found.mcp_calls, found.warnings) == (calls, ["mcp_evidence: available"])
    assert (found.scenario, found.label, found.model) == ("lookup_order", "candidate", "some-model")
    assert (found.started_at, found.run_id) == (written["started_at"], written["run_id"])
    assert found.tool_calls == 1


@given(traces())
def test_any_trace_that_a_run_can_leave_is_shown_whole(tmp_path_factory, trace):
    """Half surrogate pairs aside, which no page can hold."""
    path = tmp_path_factory.mktemp("runs") / "x.json"
    save_trace(trace, path)
    found = load_saved_trace(str(path))
    assert len(found.turns) == len(trace.turns)
    for shown, turn in zip(found.turns, trace_to_dict(trace)["turns"], strict=True):
        assert list(shown) == TURN_KEYS
        assert shown["role"] == plain(turn["role"] or "unknown")
        assert shown["content"] == plain(turn["content"])
    json.dumps([found.turns, found.mcp_calls], allow_nan=False, ensure_ascii=False).encode()


def plain(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@given(
    st.dictionaries(
        st.sampled_from(
            [
                *("run_id", "scenario_id", "variant_id", "started_at", "finished_at"),
                *("model", "quant", "turns", "worker_warnings", "mcp_calls"),
            ]
        ),
        json_values()
        | st.lists(
            st.dictionaries(st.sampled_from(TURN_KEYS), json_values(), max_size=3), max_size=2
        ),
    )
)
def test_whatever_an_object_holds_has_a_known_shape(found):
    """A reader never has to ask what type something is."""
    trace = saved_trace(found)
    assert all(isinstance(one, str) for one in (trace.run_id, trace.label, trace.model))
    assert all(isinstance(one, str) for one in trace.warnings)
    assert all(isinstance(one, dict) for one in trace.mcp_calls)
    for turn in trace.turns:
        assert list(turn) == TURN_KEYS
        assert isinstance(turn["content"], str)
        assert isinstance(turn["tool_calls"], list)
        assert isinstance(turn["latency_ms"], int | float)


def test_what_other_tools_send_as_content_is_shown_as_text():
    """Parts of a message; a turn that is none keeps its place, so that indexes hold."""
    found = saved_trace({"turns": ["hi", {"content": [{"type": "text", "text": "a"}]}, {}, 7]})
    assert [turn["content"] for turn in found.turns] == [
        *("hi", '[{"type": "text", "text": "a"}]', "", "7"),
    ]


def test_what_json_cannot_hold_is_written_out(tmp_path):
    """NaN, which some writers emit, what is nested without end, and half a surrogate pair."""
    deep = "[" * 500 + "]" * 500
    path = tmp_path / "x.json"
    path.write_text(
        '{"turns": [{"role": "user", "content": "\\ud83d", "tool_calls": '
        f'[NaN, {deep}]}}], "mcp_calls": [{{"args": {{"\\udc00": 1e999}}}}]}}'
    )
    found = load_saved_trace(str(path))
    assert found.turns[0]["content"] == "\ufffd"
    assert found.turns[0]["tool_calls"][0] == "nan"
    assert "nested too deeply" in json.dumps(found.turns)
    assert found.mcp_calls == [{"args": {"\ufffd": "inf"}}]
    json.dumps(found.turns, allow_nan=False, ensure_ascii=False).encode()


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.write_text('{"turns": ['), "trace is not JSON"),
        (lambda path: path.write_bytes(b'{"turns": "\xff"}'), "trace is not JSON"),
        (lambda path: path.write_text("[" * 100_000), "trace is not JSON"),
        (lambda path: path.write_text("[1]"), "trace is not an object"),
        (lambda path: path.mkdir(), "trace: it is a folder"),
        (a_pipe, "trace: it is not a regular file"),
        (lambda _path: None, "trace: No such file or directory"),
    ],
)
def test_what_is_no_trace_is_refused_with_its_reason(tmp_path, make, said):
    """Torn, undecodable, another kind of document, no file, or nothing at all."""
    path = tmp_path / "x.json"
    make(path)
    with pytest.raises(UnreadableRunError, match=said):
        load_saved_trace(str(path))
