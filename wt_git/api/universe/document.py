"""Universes as JSON documents and files, and made from witnessed calls.

docs/recorded-servers.md, "The file". Reading is strict, because a universe decides the agent's
input. Unknown members are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wt_git.api.document_reader import DocumentReader, load_document, shown
from wt_git.api.universe.definition import (
    FAIL_CALL,
    MATCH_MODES,
    MISS_POLICIES,
    STATELESS,
    UNIVERSE_VERSION,
    Universe,
    UniverseFormatError,
    UniverseMatching,
    UniverseRecording,
    UniverseTool,
    normalize_tool_args,
    tools_by_name,
    wrapped_where_needed,
)
from wt_git.files import json_document, write_whole
from wt_git.text import quoted_list

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from wt_git.spi.mcp_server import MCPCall


def _matching(given: DocumentReader, defined: Mapping[str, object]) -> UniverseMatching:
    """Return the rules in a document's `matching`, for the tools in `defined`.

    Raises `UniverseFormatError` naming the place, for example `matching.arg_keys.find_order`.
    """
    arg_keys, modes_beside_keys = _arg_keys(given, defined)
    return UniverseMatching(
        on_miss=one_of(MISS_POLICIES, given, "on_miss", FAIL_CALL),
        arg_keys=arg_keys,
        per_tool_on_miss=_choices(given, "per_tool_on_miss", MISS_POLICIES, defined),
        modes=modes_beside_keys | _choices(given, "modes", MATCH_MODES, defined),
    )


def matching_to_dict(matching: UniverseMatching) -> dict[str, Any]:
    """Return the rules as JSON; `modes` only where there are any."""
    document: dict[str, Any] = {
        "on_miss": matching.on_miss,
        "arg_keys": {tool: _array(keys) for tool, keys in matching.arg_keys.items()},
        "per_tool_on_miss": dict(matching.per_tool_on_miss),
    }
    return {**document, "modes": dict(matching.modes)} if matching.modes else document


def _array(keys: object) -> object:
    return list(keys) if isinstance(keys, tuple) else keys


def one_of(
    allowed: tuple[str, ...], given: DocumentReader, name: str, default: str | None = None
) -> str:
    """Return the member `name`; raises `UniverseFormatError` unless it is a word of `allowed`."""
    value = given.anything(name) if default is None or name in given else default
    if isinstance(value, str) and value in allowed:
        return value
    raise UniverseFormatError(
        f"{given.path(name)} must be one of {', '.join(allowed)}, got {shown(value)}"
    )


def refuse_undefined(names: Iterable[str], defined: Mapping[str, object], where: str) -> None:
    """Raise `UniverseFormatError` when the member `where` names tools outside `defined`."""
    unknown = [name for name in dict.fromkeys(names) if name not in defined]
    if unknown:
        raise UniverseFormatError(
            f"{where} names undefined tools: {quoted_list(unknown)};"
            f" defined are {quoted_list(list(defined)) or 'none'}"
        )


def _by_tool(
    given: DocumentReader, name: str, defined: Mapping[str, object]
) -> tuple[list[str], DocumentReader]:
    """Return the tools that are keys of the object under `name`, and its reader."""
    tools = [str(tool) for tool in given.mapping(name, {})]
    refuse_undefined(tools, defined, given.path(name))
    return tools, given.child(name, {})


def _choices(
    given: DocumentReader, name: str, allowed: tuple[str, ...], defined: Mapping[str, object]
) -> dict[str, str]:
    tools, entries = _by_tool(given, name, defined)
    return {tool: one_of(allowed, entries, tool) for tool in tools}


def _arg_keys(
    given: DocumentReader, defined: Mapping[str, object]
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return for each tool its deciding parameters, and the modes given beside them."""
    keys: dict[str, list[str]] = {}
    modes: dict[str, str] = {}
    tools, entries = _by_tool(given, "arg_keys", defined)
    for tool in tools:
        if not isinstance(entries.anything(tool), Mapping):
            keys[tool] = _key_list(entries, tool)
            continue
        entry = entries.child(tool)
        keys[tool] = _key_list(entry, "keys" if "keys" in entry else "arg_keys")
        filled = entry.without_falsy()
        if "mode" in filled:
            modes[tool] = one_of(MATCH_MODES, filled, "mode")
    return keys, modes


def _key_list(given: DocumentReader, name: str) -> list[str]:
    """Return a list of parameter names; an empty one would match every call."""
    if not given.anything(name) and given.array(name) == []:
        raise UniverseFormatError(f"{given.path(name)} must list at least one parameter")
    return given.texts(name)


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
    return Universe(version, tuple(tools), tuple(recordings), _matching(matching, defined))


def _tool(entry: DocumentReader) -> UniverseTool:
    filled = entry.without_falsy()
    return UniverseTool(
        name=entry.filled_text("name"),
        input_schema=entry.json_object("input_schema"),
        description=filled.text("description", ""),
        result_schema=filled.optional("result_schema", filled.json_object),
        mode=one_of(MATCH_MODES, filled, "mode", STATELESS),
    )


def _recording(entry: DocumentReader, defined: Mapping[str, object]) -> UniverseRecording:
    tool_name = entry.filled_text("tool_name")
    refuse_undefined([tool_name], defined, entry.path("tool_name"))
    args = normalize_tool_args(entry.json_object("args"))
    return UniverseRecording(tool_name, args, entry.json_value("result"))


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
    """Return a tool as JSON."""
    document: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "input_schema": tool.input_schema,
    }
    if tool.result_schema is not None:
        document["result_schema"] = tool.result_schema
    return document if tool.mode == STATELESS else {**document, "mode": tool.mode}


def load_universe(path: str | os.PathLike[str]) -> Universe:
    """Return the universe in a `*.universe.json` file.

    Raises `UniverseFormatError`, which names the file and the place in it, for other content, and
    `OSError` when it cannot be read.
    """
    return load_document(path, universe_from_dict, UniverseFormatError)


def save_universe(universe: Universe, path: str | os.PathLike[str]) -> None:
    """Write a universe as two-space JSON, creating folders.

    Raises `UniverseFormatError` for one that could not be loaded again, and `OSError`; the file is
    then as it was.
    """
    document = universe_to_dict(universe)
    universe_from_dict(document)
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_whole(target, json_document(document) + "\n")


def freeze_universe(
    call_log: Iterable[MCPCall | Mapping[str, Any]],
    tools: Iterable[UniverseTool | Mapping[str, Any]],
    *,
    matching: UniverseMatching | Mapping[str, Any] | None = None,
    path: str | os.PathLike[str] | None = None,
) -> Universe:
    """Return a universe made of witnessed calls, and save it when `path` is given.

    Calls may be those of a handle's log or of a trace, tools may be definitions that a handle serves.
    Results are not changed: remove secrets before. A call without an answer is left out. Raises
    `UniverseFormatError` as loading does.
    """
    universe = universe_from_dict(
        {
            "windtunnel_universe": UNIVERSE_VERSION,
            "tools": [tool_to_dict(one) if isinstance(one, UniverseTool) else one for one in tools],
            "recordings": [_recorded(call) for call in call_log if not _is_unfinished(call)],
            "matching": matching_to_dict(matching)
            if isinstance(matching, UniverseMatching)
            else matching,
        }
    )
    if path is not None:
        save_universe(universe, path)
    return universe


def _recorded(call: MCPCall | Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a call as JSON; one without arguments has an empty object."""
    if not isinstance(call, Mapping):
        call = {"tool_name": call.tool_name, "args": call.args, "result": call.result}
    has_none = "args" in call and call["args"] is None
    return {**call, "args": {}} if has_none else call


def _is_unfinished(call: MCPCall | Mapping[str, Any]) -> bool:
    extra = call.get("extra") if isinstance(call, Mapping) else call.extra
    return isinstance(extra, Mapping) and bool(extra.get("unfinished"))
