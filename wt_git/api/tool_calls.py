"""The tool calls and results of a run that rules may rely on, and the matching of tools' names.

docs/writing-a-scenario.md, "Evidence" and "Matching": the call logs of the tool servers come first,
and the transcript counts only without them. Every rule about tool calls, policies included, must use
this module: a call that only the server saw counts, and a call that only the agent reports does not.
"""

from __future__ import annotations

import json
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wt_git.api.scenario import Call, MustCall
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


def alternatives(entry: MustCall) -> tuple[str, ...]:
    """Return the names of the tools of one `must_call` entry, any of which satisfies it."""
    return tuple(one if isinstance(one, str) else one.name for one in wanted_calls(entry))


def wanted_calls(entry: MustCall) -> tuple[str | Call, ...]:
    """Return the alternatives of one `must_call` entry."""
    return tuple(entry) if isinstance(entry, list | tuple) else (cast("str | Call", entry),)


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
    """The names of the tools that were called, in order of time, and their source.

    `arguments` has those of each call, an empty object where they are not known.
    """

    names: tuple[str, ...]
    label: str
    state: CallLogState
    arguments: tuple[dict[str, Any], ...] = ()


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
    read = {SERVER_WITNESSED: _server_calls, TRANSCRIPT: _transcript_calls}.get(label)
    calls = tuple(read(trace)) if read else ()
    return ObservedCalls(
        tuple(name for name, _ in calls),
        label,
        call_log_state(trace),
        tuple(arguments for _, arguments in calls),
    )


def server_names(trace: Trace) -> Iterator[str]:
    """Yield the tools that the servers saw called, in order of arrival."""
    return (name for name, _ in _server_calls(trace))


def transcript_names(trace: Trace) -> Iterator[str]:
    """Yield the tools that the agent reports to have called, in order of turns."""
    return (name for name, _ in _transcript_calls(trace))


def _server_calls(trace: Trace) -> Iterator[tuple[str, dict[str, Any]]]:
    for call in sorted(trace.mcp_calls, key=_arrival):
        if call.get("tool_name"):
            arguments = call.get("args")
            yield str(call["tool_name"]), arguments if isinstance(arguments, dict) else {}


def _transcript_calls(trace: Trace) -> Iterator[tuple[str, dict[str, Any]]]:
    for turn in trace.turns:
        # The calls of an agent are stored in any shape.
        claimed: object = turn.tool_calls
        for call in claimed if isinstance(claimed, list | tuple) else ():
            if isinstance(call, dict):
                function = call.get("function")
                inner = function if isinstance(function, dict) else call
                if inner.get("name"):
                    yield str(inner["name"]), _claimed_arguments(inner)


def _claimed_arguments(call: dict[str, Any]) -> dict[str, Any]:
    keys = ("arguments", "args", "input", "parameters")
    given = next((call[key] for key in keys if key in call), None)
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return {}
    return given if isinstance(given, dict) else {}


def has_failed(call: dict[str, Any]) -> bool:
    """Say whether a server's record of a call says that it failed."""
    extra = call.get("extra")
    noted = extra if isinstance(extra, dict) else {}
    return bool(noted.get("error") or noted.get("injected")) or is_error_result(call.get("result"))


def is_error_result(result: object) -> bool:
    """Say whether a tool's result says of itself that it is an error."""
    return isinstance(result, dict) and bool(
        result.get("isError") or result.get("is_error") or result.get("status") == "error"
    )


def failed_calls_only(trace: Trace) -> str | None:
    """Return why no tool call can have succeeded; None if one may have.

    A result that is not known does not make a call a failed one.
    """
    if not tools_used(trace):
        return "no tool was called"
    if evidence_label(trace) == SERVER_WITNESSED:
        failed = all(map(has_failed, trace.mcp_calls))
    else:
        calls = sum(1 for _ in transcript_names(trace))
        results = list(transcript_results(trace))
        failed = len(results) >= calls and all(map(is_error_result, results))
    return "every tool call failed" if failed else None


def tool_results(trace: Trace) -> ToolResults:
    """Return the tool results that count; none at all when a call log could not be read."""
    label = evidence_label(trace)
    items: Iterable[Any] = ()
    if label == SERVER_WITNESSED:
        items = (call["result"] for call in witnessed_results(trace))
    elif label == TRANSCRIPT:
        items = transcript_results(trace)
    return ToolResults(tuple(items), label)


def found_by_tools(trace: Trace) -> ToolResults:
    """Return what tools found out: the results that are no errors, without echoes of their arguments.

    An echo is a member of a structured result that repeats an argument, name and value.
    """
    label = evidence_label(trace)
    if label == SERVER_WITNESSED:
        found = [
            _without_echo(call["result"], call.get("args"))
            for call in witnessed_results(trace)
            if not has_failed(call)
        ]
        return ToolResults(tuple(found), label)
    results = tool_results(trace)
    return ToolResults(tuple(one for one in results.items if not is_error_result(one)), label)


def _without_echo(result: Any, args: object) -> Any:
    """Return `result` without the members that repeat an argument; a JSON text is read first."""
    if not isinstance(args, dict) or not args:
        return result
    if isinstance(result, str) and result.lstrip().startswith(("{", "[")):
        try:
            return _without_echo(json.loads(result), args)
        except (ValueError, RecursionError):
            return result
    if isinstance(result, dict):
        kept = {key: one for key, one in result.items() if not (key in args and args[key] == one)}
        return {key: _without_echo(one, args) for key, one in kept.items()}
    return [_without_echo(one, args) for one in result] if isinstance(result, list) else result


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
