"""Which recording answers a call, and the answer to a call that has none.

docs/recorded-servers.md, "Which recording answers" and "Misses". Each function that finds a
recording returns its place in `universe.recordings`. `candidates` are the places to look at, in that
order; None means all those of the tool.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.api.universe.document import NEAREST, canonical_args

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wt_git.api.universe.document import Universe, UniverseTool


class Choice(NamedTuple):
    """The answer to a call: the recording at `place`, or a miss when `policy` is not None.

    A miss under the policy `nearest` has a place too, unless there is no recording at all.
    """

    place: int | None
    policy: str | None = None


def choose_recording(
    universe: Universe,
    tool_name: str,
    args: Mapping[str, Any],
    candidates: Iterable[int] | None = None,
) -> Choice:
    """Return the answer to a call with these flat arguments: an exact recording, or a keyed one."""
    tried = list(_tried(universe, tool_name, candidates))
    for find in (find_exact_recording, find_keyed_recording):
        place = find(universe, tool_name, args, tried)
        if place is not None:
            return Choice(place)
    policy = universe.matching.policy_for(tool_name)
    near = find_nearest_recording(universe, tool_name, args, tried) if policy == NEAREST else None
    return Choice(near, policy)


def find_exact_recording(
    universe: Universe,
    tool_name: str,
    args: Mapping[str, Any],
    candidates: Iterable[int] | None = None,
) -> int | None:
    """Return the first candidate whose arguments all equal `args`, which are flat."""
    wanted = canonical_args(args)
    for place in _tried(universe, tool_name, candidates):
        if universe.recordings[place].canonical_args == wanted:
            return place
    return None


def find_keyed_recording(
    universe: Universe,
    tool_name: str,
    args: Mapping[str, Any],
    candidates: Iterable[int] | None = None,
) -> int | None:
    """Return the first candidate that agrees on every argument in the tool's `arg_keys`.

    Each must be present on both sides. A tool without `arg_keys` is never matched this way.
    """
    keys = universe.matching.arg_keys.get(tool_name)
    if not keys:
        return None
    given = canonical_args(args)
    if not all(key in given for key in keys):
        return None
    for place in _tried(universe, tool_name, candidates):
        recorded = universe.recordings[place].canonical_args
        if all(recorded.get(key) == given[key] for key in keys):
            return place
    return None


def find_nearest_recording(
    universe: Universe,
    tool_name: str,
    args: Mapping[str, Any],
    candidates: Iterable[int] | None = None,
) -> int | None:
    """Return the first of the candidates that share the most arguments, None without a candidate.

    A candidate that shares no argument counts when no other is nearer.
    """
    given = canonical_args(args).items()
    return max(
        _tried(universe, tool_name, candidates),
        key=lambda place: len(given & universe.recordings[place].canonical_args.items()),
        default=None,
    )


def _tried(universe: Universe, tool_name: str, candidates: Iterable[int] | None) -> Iterable[int]:
    return universe.recording_indices_for(tool_name) if candidates is None else candidates


def fail_call_result(tool_name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of the policy `fail_call`: there is no recording for these arguments."""
    return _refusal("no_recorded_result", tool_name, args)


def no_synthesizer_result(tool_name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer of the policy `synthesize` when there is no synthesizer."""
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
