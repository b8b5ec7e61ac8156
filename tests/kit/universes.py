"""Recorded universes for tests: a small one to hold in the hand, and any that could be saved."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from kit.traces import json_objects, json_values, texts

from wt_git.api.universe import (
    MATCH_MODES,
    MISS_POLICIES,
    Universe,
    UniverseMatching,
    UniverseRecording,
    UniverseTool,
    universe_from_dict,
)

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

ORDERS: dict[str, Any] = {
    "windtunnel_universe": 1,
    "tools": [
        {
            "name": "find_order",
            "description": "Finds an order by its number.",
            "input_schema": {"type": "object", "properties": {"order": {"type": "string"}}},
            "result_schema": {"type": "object"},
        },
        {"name": "poll", "input_schema": {"type": "object"}, "mode": "sequence"},
    ],
    "recordings": [
        {"tool_name": "find_order", "args": {"order": "A1"}, "result": {"status": "shipped"}},
        {"tool_name": "find_order", "args": {"order": "A2"}, "result": {"status": "lost"}},
        {"tool_name": "poll", "args": {}, "result": "queued"},
        {"tool_name": "poll", "args": {}, "result": "done"},
    ],
    "matching": {"on_miss": "fail_call"},
}


def orders(**matching: Any) -> Universe:
    """Two tools with two recordings each; `matching` replaces the rules."""
    return universe_from_dict({**orders_document(), "matching": matching})


def orders_document() -> dict[str, Any]:
    """The document of the same universe, for a test to change."""
    return copy.deepcopy(ORDERS)


def few_names() -> SearchStrategy[str]:
    """Names of which two drawn ones are often the same."""
    return st.sampled_from(["a", "b", "c", "args", "name", "arguments", "function", "type"])


def few_args() -> SearchStrategy[dict[str, Any]]:
    """Arguments of which two drawn ones are often the same, or nearly."""
    values = st.sampled_from([0, 1, 1.0, True, None, "1", "", [1], [1.0], {"a": 1}, {"a": True}])
    return st.dictionaries(few_names(), values, max_size=3)


@st.composite
def universes(
    draw: DrawFn,
    args: SearchStrategy[dict[str, Any]] | None = None,
    names: SearchStrategy[str] | None = None,
) -> Universe:
    """Any universe."""
    named = texts().filter(bool) if names is None else names
    recorded = json_objects() if args is None else args
    schemas = st.sampled_from([{"type": "object"}, {"type": ["array", "null"]}, {"x": [{}, "é"]}])
    tool_names = draw(st.lists(named, max_size=3, unique=True))
    tools = [
        UniverseTool(
            name,
            draw(schemas),
            draw(texts()),
            draw(st.none() | schemas),
            draw(st.sampled_from(MATCH_MODES)),
        )
        for name in tool_names
    ]
    if not tools:
        return Universe(1, (), (), UniverseMatching(draw(st.sampled_from(MISS_POLICIES))))
    tool = st.sampled_from(tool_names)
    recordings = draw(
        st.lists(st.builds(UniverseRecording, tool, recorded, json_values()), max_size=5)
    )
    keys = st.lists(few_names() | texts(), min_size=1, max_size=2)
    matching = UniverseMatching(
        draw(st.sampled_from(MISS_POLICIES)),
        draw(st.dictionaries(tool, keys, max_size=3)),
        draw(st.dictionaries(tool, st.sampled_from(MISS_POLICIES), max_size=3)),
        draw(st.dictionaries(tool, st.sampled_from(MATCH_MODES), max_size=3)),
    )
    return Universe(1, tuple(tools), tuple(recordings), matching)
