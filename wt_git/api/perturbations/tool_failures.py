"""Perturbations that make a tool server fail while the agent works.

The pack's factory arms the failure at its mock server. Whether that happened is read from the
server's log: docs/writing-a-scenario.md, "Misbehaving tools".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git.api.perturbations.messages import Marked
from wt_git.api.scenario import ToolFailure
from wt_git.api.tool_calls import tool_name_matches

if TYPE_CHECKING:
    from collections.abc import Iterable


class _MockedFailure(Marked, ToolFailure):
    def proven_marker(self, armed: Iterable[object], calls: Iterable[object]) -> str | None:
        """Return the marker when the failure was really in force, else None.

        It must have been armed for the tool with the declared probability. An agent that never calls
        the tool gets its verdict all the same. Where every call should have failed, one that did not
        breaks the condition.
        """
        if not any(self._is_armed_by(report) for report in armed):
            return None
        if self.likelihood >= 1.0 and any(self._is_escaped_by(call) for call in calls):
            return None
        return self.marker

    def _is_armed_by(self, report: object) -> bool:
        if not isinstance(report, dict) or report.get("mode") != self.mode:
            return False
        if report.get("probability", self.likelihood) != self.likelihood:
            return False
        tool = report.get("tool")
        return tool is None or tool_name_matches(self.tool_name, str(tool))

    def _is_escaped_by(self, call: object) -> bool:
        """Say whether `call` reached the tool and did not get the failure."""
        if not isinstance(call, dict):
            return False
        if not tool_name_matches(self.tool_name, str(call.get("tool_name") or "")):
            return False
        extra = call.get("extra")
        return not isinstance(extra, dict) or extra.get("injected") != self.mode


@dataclass
class ToolReturnsMalformedJson(_MockedFailure):
    """The tool answers a share of its calls with text that is no JSON."""

    probability: float = 1.0

    mode = "malformed_json"
    marker_template = "tool_returns_malformed_json tool={tool_name} probability={probability}"

    @property
    def likelihood(self) -> float:
        """The share of calls that fail."""
        return self.probability


@dataclass
class ToolTimeoutPerScenario(_MockedFailure):
    """The tool keeps its caller waiting for `delay_seconds`."""

    delay_seconds: int

    mode = "timeout"
    marker_template = "tool_timeout_per_scenario tool={tool_name} delay_seconds={delay_seconds}"

    def declaration(self) -> dict[str, Any]:
        """Return `{tool, mode, probability, delay_s}`."""
        return {**super().declaration(), "delay_s": float(self.delay_seconds)}


@dataclass
class ToolReturnsEmptyUnexpected(_MockedFailure):
    """The tool finds nothing although its data has a match.

    `when_scenario_expects_data` documents the scenario's intent; it changes nothing.
    """

    when_scenario_expects_data: bool = True

    mode = "empty_unexpected"
    marker_template = "tool_returns_empty_unexpected tool={tool_name}"


@dataclass
class ToolReturnsSchemaError(_MockedFailure):
    """The tool refuses its arguments and lists the valid values."""

    mode = "schema_error"
    marker_template = "tool_returns_schema_error tool={tool_name}"
