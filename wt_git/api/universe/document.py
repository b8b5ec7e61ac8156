"""A universe as a JSON document, read strictly: what is in it decides what an agent will see.

docs/recorded-servers.md, "The file". Members that nobody knows are ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.api.document_reader import DocumentReader
from wt_git.api.json_copy import json_copy
from wt_git.api.universe.arguments import normalize_tool_args, wrapped_where_needed
from wt_git.api.universe.definition import (
    MATCH_MODES,
    STATELESS,
    UNIVERSE_VERSION,
    Universe,
    UniverseFormatError,
    UniverseRecording,
    UniverseTool,
    tools_by_name,
)
from wt_git.api.universe.matching_rules import (
    matching_to_dict,
    one_of,
    read_matching,
    refuse_undefined,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


def universe_from_dict(raw: object) -> Universe:
    """Return the universe in a parsed document, sharing nothing with it.

    Raises `UniverseFormatError` naming the place, for example `recordings[2].args`.
    """
    reader = DocumentReader(raw, "", UniverseFormatError)
    version = reader.version("windtunnel_universe", UNIVERSE_VERSION)
    tools = [_tool(entry) for entry in reader.children("tools")]
    defined = tools_by_name(tools)
    recordings = [_recording(entry, defined) for entry in reader.children("recordings")]
    matching = reader.without_falsy().child("matching", {}).without_falsy()
    return Universe(version, tuple(tools), tuple(recordings), read_matching(matching, defined))


def _tool(entry: DocumentReader) -> UniverseTool:
    said = entry.without_falsy()
    result_schema = said.optional_mapping("result_schema")
    return UniverseTool(
        name=entry.filled_text("name"),
        input_schema=_copied(entry.mapping("input_schema"), entry.path("input_schema")),
        description=said.text("description", ""),
        result_schema=_copied(result_schema, entry.path("result_schema")),
        mode=one_of(MATCH_MODES, said, "mode", STATELESS),
    )


def _recording(entry: DocumentReader, defined: Mapping[str, object]) -> UniverseRecording:
    tool_name = entry.filled_text("tool_name")
    refuse_undefined([tool_name], defined, entry.path("tool_name"))
    args = _copied(entry.mapping("args"), entry.path("args"))
    result = _copied(entry.anything("result"), entry.path("result"))
    return UniverseRecording(tool_name, normalize_tool_args(args), result)


def _copied(value: object, where: str) -> Any:
    return json_copy(value, where, UniverseFormatError)


def universe_to_dict(universe: Universe) -> dict[str, Any]:
    """Return the document that `universe_from_dict` reads back; nested values are shared."""
    return {
        "windtunnel_universe": universe.windtunnel_universe,
        "tools": [tool_to_dict(tool) for tool in universe.tools],
        "recordings": [
            {
                "tool_name": one.tool_name,
                "args": wrapped_where_needed(one.args),
                "result": one.result,
            }
            for one in universe.recordings
        ],
        "matching": matching_to_dict(universe.matching),
    }


def tool_to_dict(tool: UniverseTool) -> dict[str, Any]:
    """Return a tool as it stands in a document."""
    document: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input_schema,
    }
    if tool.result_schema is not None:
        document["result_schema"] = tool.result_schema
    return document if tool.mode == STATELESS else {**document, "mode": tool.mode}
