"""Evidence of a run: the calls that tool servers logged, the observations of a state probe, the surface."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.api.scenario import declared_failures
from wt_git.api.tool_calls import alternatives, tool_name_matches
from wt_git.api.trace import compute_hash
from wt_git.errors import exception_text
from wt_git.runner.safe_values import json_or_repr, json_with_reprs
from wt_git.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from wt_git.api.scenario import Perturbation, Scenario
    from wt_git.spi.mcp_server import MCPCall, MCPHandle, MCPServer
    from wt_git.spi.state_probe import StateProbe


def capture_observations(probe: StateProbe) -> tuple[dict[str, Any], str | None]:
    """Return the probe's snapshot as JSON data, and a warning when there is none. Never raises.

    Parts that are not JSON become their repr. An exception, a snapshot that is no object and one
    that contains itself give empty observations.
    """
    try:
        snapshot = probe.capture()
    except Exception as error:  # noqa: BLE001 - the probe's failure becomes a warning
        return {}, f"probe_error: capture failed: {exception_text(error)}"
    if not isinstance(snapshot, dict):
        return {}, f"probe_error: capture returned {type(snapshot).__name__}, not an object"
    copy = json_with_reprs(snapshot)
    if not isinstance(copy, dict):
        return {}, "probe_error: the snapshot cannot be written as JSON: it contains itself"
    return copy, None


def bind_workspace(probe: StateProbe, workspace: Path) -> None:
    """Pass the agent's workspace to a probe that has a method for it; its exceptions pass through."""
    for name in ("bind_workspace", "set_workspace_dir"):
        bind = getattr(probe, name, None)
        if callable(bind):
            bind(workspace)
            return


def capture_surface(describe: Callable[[], Any]) -> tuple[dict[str, Any], str | None]:
    """Return the handle's surface block, and a warning when it is invalid. Never raises.

    An exception, a block without a string `status` and one that is not JSON give an `invalid` block
    without the offered content. An invalid surface fails no run.
    """
    try:
        offered = describe()
    except Exception as error:  # noqa: BLE001 - the driver's own failure becomes evidence
        return _invalid_surface(f"describe_surface raised {exception_text(error)}")
    if not isinstance(offered, Mapping):
        return _invalid_surface(
            f"describe_surface returned {type(offered).__name__}, not an object"
        )
    if not isinstance(offered.get("status"), str):
        return _invalid_surface("the surface block has no string 'status'")
    try:
        block = _strict_copy(offered)
    except (TypeError, ValueError, RecursionError) as error:
        return _invalid_surface(f"the surface block is not JSON: {error}")
    if block["status"] == "invalid":
        return block, f"surface_invalid: {block.get('detail') or 'unspecified'}"
    return block, None


def _strict_copy(offered: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of the block as JSON data; raises where it is not JSON."""
    if all(type(value) is str for value in offered.values()):
        return dict(offered)  # most runs have no surface, and that block need not be parsed
    copied: dict[str, Any] = json.loads(json.dumps(dict(offered), allow_nan=False))
    return copied


def _invalid_surface(detail: str) -> tuple[dict[str, Any], str]:
    return {"status": "invalid", "detail": detail}, f"surface_invalid: {detail}"


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


def unknown_tools(scenario: Scenario, handles: Sequence[MCPHandle]) -> list[str]:
    """Return a warning for each tool that `scenario` names and none of the servers offers.

    Without servers, or with one that cannot list its tools, nothing is known and nothing is said.
    """
    named = {
        "must_call": [name for entry in scenario.must_call for name in alternatives(entry)],
        "forbidden_calls": scenario.forbidden_calls,
    }
    if not any(named.values()):
        return []
    try:
        offered = [str(one["name"]) for handle in handles for one in _offered(handle)]
    except Exception:  # noqa: BLE001 - a server's own exception
        return []
    if not offered:
        return []
    return [
        f"scenario '{one_line(scenario.name)}': {field} names '{one_line(name)}', which no mounted "
        f"tool server offers{did_you_mean(name, offered)}"
        for field, names in named.items()
        for name in dict.fromkeys(names)
        if not any(tool_name_matches(name, full) for full in offered)
    ]


def _offered(handle: MCPHandle) -> list[Any]:
    definitions = getattr(handle, "served_tool_definitions", None)
    if callable(definitions):
        return list(definitions())
    names = getattr(handle, "served_tools", None)
    if not callable(names):
        raise TypeError(f"{_label(handle)} cannot say which tools it serves")
    return [{"name": name} for name in names()]
