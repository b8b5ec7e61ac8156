"""Recorded universes: their parts, and their JSON document and file (docs/recorded-servers.md, "The file")."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from wt_git.api.document_reader import DocumentReader, load_document, shown
from wt_git.api.json_values import json_value
from wt_git.files import json_document, write_whole
from wt_git.text import quoted_list

if TYPE_CHECKING:
    import os

    from wt_git.spi.mcp_server import MCPCall


def normalize_tool_args(args: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a call's flat parameters, as a copy.

    Unwrapped are `{"function": {"arguments": X}}`, `{"name": …, "args": {…}}`, and `{"arguments": X}`
    beside `name` or `type`, where X is an object or the JSON text of one; any other X has no
    parameters. Other objects are parameters themselves.
    """
    if args is None:
        return {}
    function = args.get("function")
    if isinstance(function, Mapping) and "arguments" in function:
        return _decoded(function["arguments"])
    if "name" in args and isinstance(args.get("args"), Mapping):
        return _copied(args["args"])
    if "arguments" in args and ("name" in args or "type" in args):
        return _decoded(args["arguments"])
    return _copied(args)


def wrapped_where_needed(args: object) -> object:
    """Return an object that `normalize_tool_args` turns into `args`.

    That is `args` itself, unless the parameters look like a wrapper.
    """
    if not isinstance(args, Mapping) or normalize_tool_args(args) == args:
        return args
    return {"function": {"arguments": args}}


def canonical_args(args: Mapping[Any, Any]) -> dict[str, str]:
    """Return each argument's canonical JSON by its name.

    Two values are equal when these texts are, so 1 is neither 1.0 nor true.
    """
    return {
        name if isinstance(name, str) else canonical_json(name): canonical_json(value)
        for name, value in args.items()
    }


def canonical_json(value: object) -> str:
    """Return any `value` as compact JSON with sorted keys."""
    try:
        return _dumped(value)
    except (TypeError, ValueError, RecursionError):  # from Python code: not a JSON value
        return _dumped(json_value(value))


def _dumped(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _decoded(wrapped: object) -> dict[str, Any]:
    if isinstance(wrapped, str):
        try:
            wrapped = json.loads(wrapped)
        except (ValueError, RecursionError):
            return {}
    return _copied(wrapped) if isinstance(wrapped, Mapping) else {}


def _copied(args: Mapping[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(dict(args))


UNIVERSE_VERSION = 1
STATELESS = "stateless"
SEQUENCE = "sequence"
MATCH_MODES = (STATELESS, SEQUENCE)
FAIL_CALL = "fail_call"
EMPTY = "empty"
NEAREST = "nearest"
SYNTHESIZE = "synthesize"
MISS_POLICIES = (FAIL_CALL, EMPTY, NEAREST, SYNTHESIZE)


class UniverseFormatError(ValueError):
    """A document is no universe that this version can serve; the message names the place."""


@dataclass(frozen=True)
class UniverseTool:
    """A tool that the agent is offered.

    `result_schema` is the declared schema of its results, if any; the policy `empty` reads it. In
    the mode `stateless` the same call always gets the same recording, in `sequence` each recording
    is used once.
    """

    name: str
    input_schema: dict[str, Any]
    description: str = ""
    result_schema: dict[str, Any] | None = None
    mode: str = STATELESS


@dataclass(frozen=True)
class UniverseRecording:
    """One call and its result, any JSON value. `args` are flat parameters."""

    tool_name: str
    args: dict[str, Any]
    result: Any

    @cached_property
    def canonical_args(self) -> dict[str, str]:
        """The arguments by name, each as the text by which it is compared."""
        return canonical_args(self.args)


@dataclass(frozen=True)
class UniverseMatching:
    """The rules by which a recording is found, and the policies for calls without one.

    `on_miss` is the policy for every tool, `per_tool_on_miss` that for single ones. `arg_keys` lists
    for a tool the only arguments that must agree. `modes` wins over the tools' own modes.
    """

    on_miss: str = FAIL_CALL
    arg_keys: dict[str, list[str]] = field(default_factory=dict)
    per_tool_on_miss: dict[str, str] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)

    def policy_for(self, tool: str) -> str:
        """Return the policy for a miss of `tool`, defined or not."""
        return self.per_tool_on_miss.get(tool, self.on_miss)

    def mode_for(self, tool: str, tool_map: Mapping[str, UniverseTool]) -> str:
        """Return the mode of `tool`; that of an undefined one is stateless."""
        defined = tool_map.get(tool)
        return self.modes.get(tool, defined.mode if defined else STATELESS)


@dataclass(frozen=True)
class Universe:
    """Tools, recordings in the order in which they are tried, and the rules of matching."""

    windtunnel_universe: int
    tools: tuple[UniverseTool, ...]
    recordings: tuple[UniverseRecording, ...]
    matching: UniverseMatching = field(default_factory=UniverseMatching)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tools", tuple(self.tools))
        object.__setattr__(self, "recordings", tuple(self.recordings))

    @property
    def tool_map(self) -> dict[str, UniverseTool]:
        """The tools by name; raises `UniverseFormatError` when two share one."""
        return tools_by_name(self.tools)

    def recording_indices_for(self, tool: str) -> list[int]:
        """Return the places in `recordings` of those of `tool`, in order."""
        return [place for place, one in enumerate(self.recordings) if one.tool_name == tool]


SynthesizeHook: TypeAlias = Callable[[str, dict[str, Any], Universe], Any]
"""Called with a tool's name, the flat arguments and the universe; returns the answer to a miss."""


def tools_by_name(tools: Iterable[UniverseTool]) -> dict[str, UniverseTool]:
    """Return the tools by name; raises `UniverseFormatError` when two share one."""
    places: dict[str, int] = {}
    found: dict[str, UniverseTool] = {}
    for place, tool in enumerate(tools):
        if tool.name in found:
            raise UniverseFormatError(
                f"tools[{place}].name is that of tools[{places[tool.name]}]: duplicate tool"
                f" definitions of {tool.name!r}"
            )
        places[tool.name] = place
        found[tool.name] = tool
    return found


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
