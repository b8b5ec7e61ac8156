"""The parts of a recorded universe, and the arguments of a call in comparable form.

docs/recorded-servers.md, "The file" and "Arguments".
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from wt_git.api.json_values import json_value


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
