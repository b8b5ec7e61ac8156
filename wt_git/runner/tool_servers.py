"""Tool servers during a batch: the failures armed in them, the calls they logged, the tools they offer.

docs/architecture.md, "Evidence". The logs are the primary evidence: they show a call that an agent
hides, and they do not show one that it invents. docs/writing-a-scenario.md, "Misbehaving tools",
explains armed failures; a pack's factory usually arms its own server.
"""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.api.scenario import declared_failures
from wt_git.api.trace import compute_hash
from wt_git.errors import exception_text
from wt_git.runner.safe_values import json_or_repr, json_with_reprs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.api.scenario import Perturbation
    from wt_git.spi.mcp_server import MCPCall, MCPHandle, MCPServer


HASH_WITHOUT_TOOLS = compute_hash("[]")


def arm_servers(servers: Sequence[MCPServer], perturbations: Sequence[Perturbation]) -> None:
    """Arm the failures that the scenario declares, in each server that has `arm_failure`.

    The server knows whether its factory armed it already. One that starts a process passes the
    failure to that process; the environment of this process is never changed.
    """
    for server in servers:
        arm = getattr(server, "arm_failure", None)
        if callable(arm):
            for failure in declared_failures(perturbations):
                arm(**failure)


def armed_failures(handles: Sequence[MCPHandle]) -> list[Any]:
    """Return the armed failures that the running servers report.

    Most servers report none. One that does not answer counts as unarmed: nothing proves otherwise.
    """
    armed: list[Any] = []
    for handle in handles:
        report = getattr(handle, "armed_failures", None)
        if callable(report):
            with suppress(Exception):  # a server's own exception
                armed += report()
    return armed


class ServerCalls(NamedTuple):
    """The calls of all servers in order of time, and warnings about what may be missing."""

    calls: list[dict[str, Any]]
    warnings: list[str]


def read_call_logs(handles: Sequence[MCPHandle]) -> ServerCalls:
    """Read every call log; an unreadable one is named in a warning, the other calls are kept."""
    if not handles:
        return ServerCalls([], [])
    calls: list[dict[str, Any]] = []
    unreadable: list[str] = []
    for handle in handles:
        try:
            calls += [_as_record(call) for call in handle.call_log()]
        except Exception as error:  # noqa: BLE001 - a server's own exception
            unreadable.append(f"{_label(handle)}: {exception_text(error)}")
    calls.sort(key=_timestamp)
    warnings = [divergence for call in calls if (divergence := _divergence_warning(call))]
    warnings.append(
        f"mcp_evidence: unavailable ({'; '.join(unreadable)})"
        if unreadable
        else "mcp_evidence: available"
    )
    return ServerCalls(calls, warnings)


def _as_record(call: MCPCall) -> dict[str, Any]:
    record = {
        "tool_name": call.tool_name,
        "args": json_with_reprs(call.args),
        "result": json_or_repr(call.result),
        "timestamp_ms": json_with_reprs(call.timestamp_ms),
    }
    if call.extra:
        record["extra"] = json_with_reprs(call.extra)
    return record


def _timestamp(record: dict[str, Any]) -> float:
    moment = record["timestamp_ms"]
    usable = isinstance(moment, (int, float)) and math.isfinite(moment)
    return float(moment) if usable else 0.0


def _divergence_warning(record: dict[str, Any]) -> str | None:
    extra = record.get("extra")
    divergence = extra.get("divergence") if isinstance(extra, dict) else None
    policy = divergence.get("policy") if isinstance(divergence, dict) else None
    if not isinstance(policy, str):
        return None
    return f"universe_divergence: tool={record['tool_name']} policy={policy}"


def _label(handle: MCPHandle) -> str:
    try:
        return str(handle.url)
    except Exception:  # noqa: BLE001 - the label of a broken handle
        return type(handle).__name__


def tool_schema_hash(handles: Sequence[MCPHandle]) -> str | None:
    """Return the hash of all tools that the servers offer, in order; None where it is unknown."""
    if not handles:
        return HASH_WITHOUT_TOOLS
    try:
        tools = [tool for handle in handles for tool in _offered(handle)]
        text = json.dumps(tools, sort_keys=True, ensure_ascii=False, allow_nan=False)
        return compute_hash(text)
    except Exception:  # noqa: BLE001 - an unknown schema is recorded as unknown
        return None


def _offered(handle: MCPHandle) -> list[Any]:
    definitions = getattr(handle, "served_tool_definitions", None)
    if callable(definitions):
        return list(definitions())
    names = getattr(handle, "served_tools", None)
    if not callable(names):
        raise TypeError(f"{_label(handle)} cannot say which tools it serves")
    return [{"name": name} for name in names()]
