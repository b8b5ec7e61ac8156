"""Recorded universes: tools and their recorded results, in one file that replaces a live system.

docs/recorded-servers.md has the format of `*.universe.json` and the rules of matching;
`windtunnel.mcp` has the server.
"""

from wt_git.api.universe.definition import (
    MATCH_MODES,
    MISS_POLICIES,
    UNIVERSE_VERSION,
    SynthesizeHook,
    Universe,
    UniverseFormatError,
    UniverseMatching,
    UniverseRecording,
    UniverseTool,
    normalize_tool_args,
    tools_by_name,
)
from wt_git.api.universe.document import (
    freeze_universe,
    load_universe,
    save_universe,
    universe_from_dict,
    universe_to_dict,
)
from wt_git.api.universe.matching import (
    empty_result_for,
    fail_call_result,
    find_exact_recording,
    find_keyed_recording,
    find_nearest_recording,
)

__all__ = [
    "MATCH_MODES",
    "MISS_POLICIES",
    "UNIVERSE_VERSION",
    "SynthesizeHook",
    "Universe",
    "UniverseFormatError",
    "UniverseMatching",
    "UniverseRecording",
    "UniverseTool",
    "empty_result_for",
    "fail_call_result",
    "find_exact_recording",
    "find_keyed_recording",
    "find_nearest_recording",
    "freeze_universe",
    "load_universe",
    "normalize_tool_args",
    "save_universe",
    "tools_by_name",
    "universe_from_dict",
    "universe_to_dict",
]
