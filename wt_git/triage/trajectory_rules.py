"""Rules for failures that only the path shows. docs/triage.md, "Rules", has them in order.

They know less than the rules before them: the tools that were called, not what they were called for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.evaluators.evidence import EvidenceState, evidence_state, observed_calls
from wt_git.api.evaluators.matching import alternatives, matches_any
from wt_git.triage.findings import finding

if TYPE_CHECKING:
    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score
    from wt_git.api.trace import Trace
    from wt_git.triage.classifier import FailureClassification

_LIKELY = 0.7
_POSSIBLE = 0.5


def rule_forbidden_tool(
    scenario: Scenario, trace: Trace, score: Score
) -> FailureClassification | None:
    """Find a tool that the scenario forbids and that was called."""
    called = forbidden_calls(scenario, trace)
    if score.trajectory.passed or not called:
        return None
    return finding(
        "tool_affordance",
        _LIKELY,
        [_path_line(score)],
        target={"scenario": scenario.name, "tools": called},
        rationale="say in the system prompt, or in the tools' descriptions, what these are not for",
    )


def rule_missing_tool(
    scenario: Scenario, trace: Trace, score: Score
) -> FailureClassification | None:
    """Find a tool that the scenario requires and that nobody saw called."""
    if score.trajectory.passed or evidence_state(trace) is EvidenceState.UNAVAILABLE:
        return None
    names = observed_calls(trace).names
    entries = [alternatives(entry) for entry in scenario.must_call]
    missing = [
        " or ".join(entry)
        for entry in entries
        if not any(matches_any(entry, name) for name in names)
    ]
    if not missing:
        return None
    return finding(
        "tool_affordance",
        _LIKELY,
        [_path_line(score)],
        target={"scenario": scenario.name, "tools": missing},
        rationale="say in the system prompt, or in the tools' descriptions, when these are needed",
    )


def rule_trajectory_fail(
    scenario: Scenario, trace: Trace, score: Score
) -> FailureClassification | None:
    """Find any other failure of the path: its order, or a check that the scenario brings."""
    if score.trajectory.passed or evidence_state(trace) is EvidenceState.UNAVAILABLE:
        return None
    return finding(
        "planning",
        _POSSIBLE,
        [_path_line(score)],
        target={"scenario": scenario.name},
        rationale="say in the system prompt in which order such a task is done",
    )


def forbidden_calls(scenario: Scenario, trace: Trace) -> list[str]:
    """Return the forbidden tools that were called, by the account that counts, each once."""
    names = observed_calls(trace).names
    return list(dict.fromkeys(n for n in names if matches_any(scenario.forbidden_calls, n)))


def _path_line(score: Score) -> str:
    return f"trajectory: {score.trajectory.detail}"
