"""The tool calls and results of a run that rules may rely on, and the matching of tools' names.

docs/writing-a-scenario.md, "Evidence" and "Matching": the call logs of the tool servers come first,
and the transcript counts only without them. Every rule about tool calls, policies included, must use
this module: a call that only the server saw counts, and a call that only the agent reports does not.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from wt_git.api.trace import Trace


def tool_name_matches(canonical: str, full: str) -> bool:
    """Say whether `full`, a name as a platform shows it, means the tool named `canonical`.

    Platforms put a prefix before a tool's name, joined with one of `_.:/-`: `client_lookup` is also
    `mcp__acme__client_lookup`, `ops.client_lookup` and `ops/client_lookup`. Case counts. Since `client_lookup` also
    ends in `_lookup`, always write the whole bare name.
    """
    if full == canonical:
        return True
    return bool(canonical) and full.endswith(tuple(joint + canonical for joint in "_.:/-"))


def alternatives(entry: str | Sequence[str]) -> tuple[str, ...]:
    """Return the tools of one `must_call` entry, any of which satisfies it."""
    return (entry,) if isinstance(entry, str) else tuple(entry)


def matches_any(canonicals: Iterable[str], full: str) -> bool:
    """Say whether `full` means one of the tools in `canonicals`."""
    return any(tool_name_matches(canonical, full) for canonical in canonicals)


MCP_EVIDENCE_AVAILABLE = "mcp_evidence: available"
"""The warning of a run whose call logs were all read."""

MCP_EVIDENCE_UNAVAILABLE = "mcp_evidence: unavailable"
"""The beginning of the warning of a run with a call log that could not be read."""

SERVER_WITNESSED = "server-witnessed"
TRANSCRIPT = "transcript"
UNAVAILABLE = "unavailable"


class CallLogState(Enum):
    """Whether the call logs of the tool servers were read; absent when the run recorded neither."""

    UNAVAILABLE = "unavailable"
    AVAILABLE = "available"
    ABSENT = "absent"


class ObservedCalls(NamedTuple):
    """The names of the tools that were called, in order of time, and their source."""

    names: tuple[str, ...]
    label: str
    state: CallLogState


class ToolResults(NamedTuple):
    """Tool results, and their source."""

    items: tuple[Any, ...]
    label: str


def call_log_state(trace: Trace) -> CallLogState:
    """Return whether the call logs of `trace` were read."""
    warnings = trace.worker_warnings
    if any(warning.startswith(MCP_EVIDENCE_UNAVAILABLE) for warning in warnings):
        return CallLogState.UNAVAILABLE
    if MCP_EVIDENCE_AVAILABLE in warnings:
        return CallLogState.AVAILABLE
    return CallLogState.ABSENT


def evidence_label(trace: Trace) -> str:
    """Return the source that counts: `server-witnessed`, `transcript`, or `unavailable` for none."""
    match call_log_state(trace):
        case CallLogState.UNAVAILABLE:
            return UNAVAILABLE
        case CallLogState.AVAILABLE:
            return SERVER_WITNESSED
        case CallLogState.ABSENT:
            return SERVER_WITNESSED if trace.mcp_calls else TRANSCRIPT


def tools_used(trace: Trace) -> bool:
    """Say whether there is evidence of at least one tool call."""
    label = evidence_label(trace)
    if label == SERVER_WITNESSED:
        return bool(trace.mcp_calls)
    return label == TRANSCRIPT and any(turn.tool_calls for turn in trace.turns)


def observed_calls(trace: Trace) -> ObservedCalls:
    """Return the calls that count; none at all when a call log could not be read."""
    label = evidence_label(trace)
    read = {SERVER_WITNESSED: server_names, TRANSCRIPT: transcript_names}.get(label)
    return ObservedCalls(tuple(read(trace)) if read else (), label, call_log_state(trace))


def server_names(trace: Trace) -> Iterator[str]:
    """Yield the tools that the servers saw called, in order of arrival."""
    for call in sorted(trace.mcp_calls, key=_arrival):
        if call.get("tool_name"):
            yield str(call["tool_name"])


def transcript_names(trace: Trace) -> Iterator[str]:
    """Yield the tools that the agent reports to have called, in order of turns."""
    for turn in trace.turns:
        # The calls of an agent are stored in any shape.
        claimed: object = turn.tool_calls
        for call in claimed if isinstance(claimed, list | tuple) else ():
            name = _claimed_name(call)
            if name:
                yield str(name)


def _claimed_name(call: object) -> object:
    if not isinstance(call, dict):
        return None
    function = call.get("function")
    return function.get("name") if isinstance(function, dict) else call.get("name")


def tool_results(trace: Trace) -> ToolResults:
    """Return the tool results that count; none at all when a call log could not be read."""
    label = evidence_label(trace)
    items: Iterable[Any] = ()
    if label == SERVER_WITNESSED:
        items = (call["result"] for call in witnessed_results(trace))
    elif label == TRANSCRIPT:
        items = transcript_results(trace)
    return ToolResults(tuple(items), label)


def witnessed_results(trace: Trace) -> list[dict[str, Any]]:
    """Return the servers' records with a result, even an empty one."""
    return [call for call in trace.mcp_calls if "result" in call]


def transcript_results(trace: Trace) -> Iterator[Any]:
    """Yield the tool results that the transcript holds, in order of turns."""
    for turn in trace.turns:
        yield from turn.tool_results
        if turn.role == "tool" and turn.content:
            yield turn.content


def last_assistant_text(trace: Trace) -> str | None:
    """Return the content of the last assistant turn, None when there is no such turn."""
    for turn in reversed(trace.turns):
        if turn.role == "assistant":
            return turn.content
    return None


def _arrival(call: dict[str, Any]) -> float:
    moment = call.get("timestamp_ms")
    return moment if isinstance(moment, int | float) and moment == moment else 0.0  # noqa: PLR0124
