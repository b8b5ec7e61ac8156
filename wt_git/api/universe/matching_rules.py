"""The `matching` part of a universe's document. docs/recorded-servers.md, "The file"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wt_git.api.document_reader import shown
from wt_git.api.universe.definition import (
    FAIL_CALL,
    MATCH_MODES,
    MISS_POLICIES,
    UniverseFormatError,
    UniverseMatching,
)
from wt_git.naming import named

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wt_git.api.document_reader import DocumentReader


def read_matching(given: DocumentReader, defined: Mapping[str, object]) -> UniverseMatching:
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
    """Return the rules as they stand in a document; `modes` only where there are any."""
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
    """Raise `UniverseFormatError` when `where` names tools that are not in `defined`."""
    unknown = [name for name in dict.fromkeys(names) if name not in defined]
    if unknown:
        raise UniverseFormatError(
            f"{where} names undefined tools: {named(unknown)};"
            f" defined are {named(list(defined)) or 'none'}"
        )


def _by_tool(
    given: DocumentReader, name: str, defined: Mapping[str, object]
) -> tuple[list[str], DocumentReader]:
    """Return the tools that the object under `name` has members for, and its reader."""
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
    """Return per tool the parameters that decide, and the modes that stand beside them."""
    keys: dict[str, list[str]] = {}
    modes: dict[str, str] = {}
    tools, entries = _by_tool(given, "arg_keys", defined)
    for tool in tools:
        if not isinstance(entries.anything(tool), Mapping):
            keys[tool] = _key_list(entries, tool)
            continue
        entry = entries.child(tool)
        keys[tool] = _key_list(entry, "keys" if "keys" in entry else "arg_keys")
        said = entry.without_falsy()
        if "mode" in said:
            modes[tool] = one_of(MATCH_MODES, said, "mode")
    return keys, modes


def _key_list(given: DocumentReader, name: str) -> list[str]:
    """Return a list of parameter names; an empty one would match whatever was asked."""
    if not given.anything(name) and given.array(name) == []:
        raise UniverseFormatError(f"{given.path(name)} must list at least one parameter")
    return given.texts(name)
