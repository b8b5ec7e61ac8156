"""Universes as files, and made out of calls that were witnessed. docs/recorded-servers.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wt_git.api.document_file import load_document
from wt_git.api.universe.definition import (
    UNIVERSE_VERSION,
    UniverseFormatError,
    UniverseMatching,
    UniverseTool,
)
from wt_git.api.universe.document import tool_to_dict, universe_from_dict, universe_to_dict
from wt_git.api.universe.matching_rules import matching_to_dict
from wt_git.files import json_document, write_whole

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from wt_git.api.universe.definition import Universe
    from wt_git.spi.mcp_server import MCPCall


def load_universe(path: str | os.PathLike[str]) -> Universe:
    """Return the universe in a `*.universe.json` file.

    Raises `UniverseFormatError`, which names the file and the place in it, for anything that is
    not one, and `OSError` when it cannot be read.
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
    """Return a universe that answers as the witnessed calls were answered; save it when `path` is given.

    Calls may be those of a handle's log or of a trace, tools may be definitions as a handle serves
    them. Results are kept as they are, so what must not be published has to be taken out before. A
    call that was never answered is left out. Raises `UniverseFormatError` as loading does.
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
    """Return a call as a file has it, where one without arguments has an empty object."""
    if not isinstance(call, Mapping):
        call = {"tool_name": call.tool_name, "args": call.args, "result": call.result}
    has_none = "args" in call and call["args"] is None
    return {**call, "args": {}} if has_none else call


def _is_unfinished(call: MCPCall | Mapping[str, Any]) -> bool:
    extra = call.get("extra") if isinstance(call, Mapping) else call.extra
    return isinstance(extra, Mapping) and bool(extra.get("unfinished"))
