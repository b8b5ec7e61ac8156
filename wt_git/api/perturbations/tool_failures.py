"""Perturbations that make a tool server fail while the agent works, and every perturbation's marker.

The pack's factory arms the failure at its mock server. Whether that happened is read from the
server's log: docs/writing-a-scenario.md, "Misbehaving tools".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from wt_git.api.evaluators.tool_calls import tool_name_matches
from wt_git.api.scenario import Perturbation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wt_git.api.trace import Trace

MARKER_PREFIX = "perturbation_applied: "


def with_marker(trace: Trace, marker: str) -> Trace:
    """Return a copy of `trace` whose last warning is `marker`; its lists may be changed."""
    return replace(trace, turns=list(trace.turns), worker_warnings=[*trace.worker_warnings, marker])


class Marked:
    """The marker of a perturbation, built from its class's template and its own fields."""

    marker_template: ClassVar[str]

    @property
    def marker(self) -> str:
        """The warning that proves the condition."""
        return MARKER_PREFIX + self.marker_template.format_map(vars(self))

    def apply(self, trace: Trace) -> Trace:
        """Return `trace` with the marker and nothing else changed."""
        return with_marker(trace, self.marker)


@dataclass
class ToolFailure(Marked, Perturbation):
    """A failure of the tool named `tool_name`, which a mock server shows to the agent.

    `mode` is the mock server's name for the failure.
    """

    tool_name: str

    mode: ClassVar[str]

    @property
    def likelihood(self) -> float:
        """The share of calls that fail."""
        return 1.0


@dataclass
class ToolReturnsMalformedJson(ToolFailure):
    """The tool answers a share of its calls with text that is no JSON."""

    probability: float = 1.0

    mode = "malformed_json"
    marker_template = "tool_returns_malformed_json tool={tool_name} probability={probability}"

    @property
    def likelihood(self) -> float:
        """The share of calls that fail."""
        return self.probability


@dataclass
class ToolTimeoutPerScenario(ToolFailure):
    """The tool keeps its caller waiting for `delay_seconds`."""

    delay_seconds: int

    mode = "timeout"
    marker_template = "tool_timeout_per_scenario tool={tool_name} delay_seconds={delay_seconds}"


@dataclass
class ToolReturnsEmptyUnexpected(ToolFailure):
    """The tool finds nothing although its data has a match.

    `when_scenario_expects_data` documents the scenario's intent; it changes nothing.
    """

    when_scenario_expects_data: bool = True

    mode = "empty_unexpected"
    marker_template = "tool_returns_empty_unexpected tool={tool_name}"


@dataclass
class ToolReturnsSchemaError(ToolFailure):
    """The tool refuses its arguments and lists the valid values."""

    mode = "schema_error"
    marker_template = "tool_returns_schema_error tool={tool_name}"


def declared_failures(perturbations: Sequence[Perturbation]) -> list[dict[str, Any]]:
    """Return `{tool, mode, probability}`, and `delay_s` for a timeout, for each declared failure."""
    return [_failure(one) for one in perturbations if isinstance(one, ToolFailure)]


def _failure(perturbation: ToolFailure) -> dict[str, Any]:
    failure = {
        "tool": perturbation.tool_name,
        "mode": perturbation.mode,
        "probability": perturbation.likelihood,
    }
    if isinstance(perturbation, ToolTimeoutPerScenario):
        failure["delay_s"] = float(perturbation.delay_seconds)
    return failure


def tool_failure_marker(
    perturbation: ToolFailure, armed: Iterable[object], calls: Iterable[object]
) -> str | None:
    """Return the marker of `perturbation` when its failure was really in force, else None.

    `armed` is the report of the mock servers, `{tool, mode, probability}` each, where a tool of None
    means every tool; `calls` are a trace's server-witnessed calls. The failure must have been armed
    for the tool with the declared probability. An agent that never calls the tool is still judged.
    Where every call should have failed, one that did not breaks the condition.
    """
    if not any(_arms(perturbation, report) for report in armed):
        return None
    if perturbation.likelihood >= 1.0 and any(_escaped(perturbation, call) for call in calls):
        return None
    return perturbation.marker


def _arms(perturbation: ToolFailure, report: object) -> bool:
    if not isinstance(report, dict) or report.get("mode") != perturbation.mode:
        return False
    if report.get("probability", perturbation.likelihood) != perturbation.likelihood:
        return False
    tool = report.get("tool")
    return tool is None or tool_name_matches(perturbation.tool_name, str(tool))


def _escaped(perturbation: ToolFailure, call: object) -> bool:
    """Say whether `call` reached the tool and did not get the failure."""
    if not isinstance(call, dict):
        return False
    if not tool_name_matches(perturbation.tool_name, str(call.get("tool_name") or "")):
        return False
    extra = call.get("extra")
    return not isinstance(extra, dict) or extra.get("injected") != perturbation.mode
