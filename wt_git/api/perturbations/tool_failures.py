"""Perturbations that make a tool server fail while the agent works, and every perturbation's marker.

The pack's factory arms the failure at its mock server. Whether that happened is read from the
server's log: docs/writing-a-scenario.md, "Misbehaving tools".
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from wt_git.api.evaluators.tool_names import tool_name_matches
from wt_git.api.scenario import Perturbation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wt_git.api.trace import Trace

MARKER_PREFIX = "perturbation_applied: "


def marker_text(slug: str, **pairs: object) -> str:
    """Return the marker of the perturbation called `slug`, with `pairs` in the order given."""
    return MARKER_PREFIX + " ".join([slug, *(f"{key}={value}" for key, value in pairs.items())])


def with_marker(trace: Trace, marker: str) -> Trace:
    """Return a copy of `trace` with turn and warning lists of its own and `marker` as last warning."""
    return replace(trace, turns=list(trace.turns), worker_warnings=[*trace.worker_warnings, marker])


@dataclass
class ToolFailure(Perturbation):
    """A failure of the tool named `tool_name`, which a mock server shows to the agent."""

    tool_name: str

    @property
    @abstractmethod
    def mode(self) -> str:
        """The mock server's name for the failure."""

    @property
    def likelihood(self) -> float:
        """The share of calls that fail, 1.0 unless the perturbation lets its author choose."""
        return 1.0

    def apply(self, trace: Trace) -> Trace:
        """Return `trace` with the marker: what tools answered cannot be changed afterwards."""
        return with_marker(trace, self.marker)


@dataclass
class ToolReturnsMalformedJson(ToolFailure):
    """The tool answers with text that is no JSON, on a share of its calls."""

    probability: float = 1.0

    @property
    def mode(self) -> str:
        """The mock server's name for the failure."""
        return "malformed_json"

    @property
    def likelihood(self) -> float:
        """The share of calls that fail."""
        return self.probability

    @property
    def marker(self) -> str:
        """The warning that proves the condition."""
        return marker_text(
            "tool_returns_malformed_json", tool=self.tool_name, probability=self.probability
        )


@dataclass
class ToolTimeoutPerScenario(ToolFailure):
    """The tool keeps its caller waiting for `delay_seconds`."""

    delay_seconds: int

    @property
    def mode(self) -> str:
        """The mock server's name for the failure."""
        return "timeout"

    @property
    def marker(self) -> str:
        """The warning that proves the condition."""
        return marker_text(
            "tool_timeout_per_scenario", tool=self.tool_name, delay_seconds=self.delay_seconds
        )


@dataclass
class ToolReturnsEmptyUnexpected(ToolFailure):
    """The tool finds nothing although its data holds what was asked for.

    `when_scenario_expects_data` documents the scenario's intent; it changes nothing.
    """

    when_scenario_expects_data: bool = True

    @property
    def mode(self) -> str:
        """The mock server's name for the failure."""
        return "empty_unexpected"

    @property
    def marker(self) -> str:
        """The warning that proves the condition."""
        return marker_text("tool_returns_empty_unexpected", tool=self.tool_name)


@dataclass
class ToolReturnsSchemaError(ToolFailure):
    """The tool refuses its arguments and says which values are valid."""

    @property
    def mode(self) -> str:
        """The mock server's name for the failure."""
        return "schema_error"

    @property
    def marker(self) -> str:
        """The warning that proves the condition."""
        return marker_text("tool_returns_schema_error", tool=self.tool_name)


def declared_failures(perturbations: Sequence[Perturbation]) -> list[dict[str, Any]]:
    """Return `{tool, mode, probability}`, and `delay_s` for a timeout, for each tool that shall fail.

    Each failure is for the one tool that its perturbation names; the others answer as ever.
    """
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

    `armed` is what mock servers report, `{tool, mode, probability}` each, where a tool of None means
    every tool; `calls` are a trace's server-witnessed calls. The failure must have been armed for
    the target with the declared probability. An agent that never calls the target does not escape
    its verdict, but where every call should have failed, one that did not breaks the condition.
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
    """Say whether `call` reached the target and was not given the failure."""
    if not isinstance(call, dict):
        return False
    if not tool_name_matches(perturbation.tool_name, str(call.get("tool_name") or "")):
        return False
    extra = call.get("extra")
    return not isinstance(extra, dict) or extra.get("injected") != perturbation.mode
