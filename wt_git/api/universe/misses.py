"""What a call that was never recorded is answered with. docs/recorded-servers.md, "Misses"."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wt_git.api.universe.definition import UniverseTool


def fail_call_result(tool_name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of the policy `fail_call`: nothing was recorded for these arguments."""
    return _refusal("no_recorded_result", tool_name, args)


def no_synthesizer_result(tool_name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of the policy `synthesize` where nobody was named who could."""
    return _refusal("no_synthesizer", tool_name, args)


def empty_result_for(tool: UniverseTool | None) -> Any:
    """Return the empty value of the type in the tool's `result_schema`: a list, an object or `""`.

    Of several types the first of array, object, string counts. Unknown tools and other types
    have the empty string.
    """
    declared = tool.result_schema.get("type") if tool and tool.result_schema else None
    types = declared if isinstance(declared, (list, tuple)) else [declared]
    if "array" in types:
        return []
    return {} if "object" in types else ""


def _refusal(error: str, tool_name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    return {"error": error, "tool": tool_name, "args": copy.deepcopy(dict(args))}
