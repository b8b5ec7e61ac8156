"""Tools in the form in which the protocol lets them be listed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import json_objects, json_values, texts
from mcp_types import Tool
from mcp_types.methods import serialize_server_result

from wt_git.mcp.recorded.sdk_server import listed_tool, sendable_schema

VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]
GOOD = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {"order": {"type": "string"}, "any": True},
    "required": ["order"],
    "additionalProperties": False,
    "x-own": [1],
}


def test_a_good_schema_is_listed_as_it_is():
    """With keywords that nobody here knows."""
    assert sendable_schema(GOOD) == GOOD


@pytest.mark.parametrize(
    ("schema", "listed"),
    [
        ({}, {"type": "object"}),
        ({"type": "array", "items": {}}, {"type": "object", "items": {}}),
        ({"type": ["object", "null"]}, {"type": "object"}),
        ({"type": "object", "properties": [1], "required": "order"}, {"type": "object"}),
        ({"properties": {"order": 1}}, {"type": "object"}),
        ({"$schema": 7, "required": [1]}, {"type": "object"}),
    ],
)
def test_a_schema_becomes_one_that_can_be_listed(schema, listed):
    """Arguments are an object whatever the recording says of them."""
    assert sendable_schema(schema) == listed


def schemas():
    """Objects with the keywords that the protocol looks at."""
    keywords = st.sampled_from(["$schema", "type", "properties", "required", "items"])
    values = (
        json_values() | st.lists(texts(), max_size=2) | st.dictionaries(texts(), json_objects())
    )
    return st.dictionaries(keywords, values, max_size=4)


@given(schema=schemas(), name=texts(), description=texts())
def test_any_tool_can_be_listed_in_any_version(schema, name, description):
    """One that could not would hide all the others."""
    given_tool = {"name": name, "description": description, "input_schema": schema}
    tool = Tool(**listed_tool(given_tool))
    sent = tool.model_dump_json(by_alias=True, exclude_none=True)
    assert sent.encode()
    result = {
        "tools": [tool.model_dump(by_alias=True, exclude_none=True)],
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
    }
    for version in VERSIONS:
        assert serialize_server_result("tools/list", version, result)
