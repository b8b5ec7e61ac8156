"""What the tool servers saw; docs/architecture.md, "Evidence".

Their logs are the primary evidence: a call an agent hides is seen here, one it invents is not.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from wt_git.api.trace import compute_hash
from wt_git.runner.foreign_values import frozen, safe_text, whole_or_repr

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.spi.mcp_server import MCPCall, MCPHandle

HASH_WITHOUT_TOOLS = compute_hash("[]")


@dataclass(slots=True)
class Witnessed:
    """The calls of all servers in order of time, and the markers that say how far to trust them."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def drain(handles: Sequence[MCPHandle]) -> Witnessed:
    """Read every call log; one that cannot be read is named, and the others' calls are kept."""
    if not handles:
        return Witnessed()
    calls: list[dict[str, Any]] = []
    unreadable: list[str] = []
    for handle in handles:
        try:
            calls += [_as_record(call) for call in handle.call_log()]
        except Exception as error:  # noqa: BLE001 - whatever a server's handle raises
            failure = f"{type(error).__name__}: {safe_text(error)}"
            unreadable.append(f"{_label(handle)}: {failure}")
    calls.sort(key=_timestamp)
    warnings = [divergence for call in calls if (divergence := _divergence(call))]
    warnings.append(
        f"mcp_evidence: unavailable ({'; '.join(unreadable)})"
        if unreadable
        else "mcp_evidence: available"
    )
    return Witnessed(calls, warnings)


def _as_record(call: MCPCall) -> dict[str, Any]:
    record = {
        "tool_name": call.tool_name,
        "args": frozen(call.args),
        "result": whole_or_repr(call.result),
        "timestamp_ms": frozen(call.timestamp_ms),
    }
    if call.extra:
        record["extra"] = frozen(call.extra)
    return record


def _timestamp(record: dict[str, Any]) -> float:
    moment = record["timestamp_ms"]
    usable = isinstance(moment, (int, float)) and math.isfinite(moment)
    return float(moment) if usable else 0.0


def _divergence(record: dict[str, Any]) -> str | None:
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
    """Return the hash of all tools the servers offer, in order; None where one cannot say."""
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
