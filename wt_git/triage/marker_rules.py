"""Rules that go by what the run itself recorded. docs/triage.md, "Rules", has them in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.evaluators.evidence import EvidenceState, evidence_label, evidence_state, tools_used
from wt_git.triage.findings import CERTAIN, finding, outcome_line

if TYPE_CHECKING:
    from collections.abc import Collection

    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score
    from wt_git.api.trace import Trace
    from wt_git.triage.classifier import FailureClassification

CHAT_TEMPLATE_FAILED = "apply_chat_template raised"
VERDICT_BUCKET = "verdict_bucket:"
NO_TOOLS_USED = "no_tools_used"

_MOST_QUOTED = 3


def rule_template_corruption(
    scenario: Scenario,
    trace: Trace,
    score: Score,
) -> FailureClassification | None:
    """Find input that the model's chat template could not render."""
    said = [warning for warning in trace.worker_warnings if CHAT_TEMPLATE_FAILED in warning]
    if not said:
        return None
    return finding(
        "template_corruption",
        CERTAIN,
        said[:_MOST_QUOTED],
        target={"scenario": scenario.name},
        rationale="the chat template failed, so the model never saw the conversation as it was; "
        "mend what serialises messages for it",
    )


def rule_unsafe_executed(
    scenario: Scenario,
    trace: Trace,
    score: Score,
) -> FailureClassification | None:
    """Find a run that is marked as having acted without the approval that was needed."""
    bucket = _bucket(trace, {"unsafe_executed", "unsafe_destructive"})
    if bucket is None:
        return None
    return finding(
        "side_effect_safety_violation",
        CERTAIN,
        _of_bucket(bucket, scenario),
        target={"scenario": scenario.name, "effect_class": "approval_required"},
        rationale="the agent acted where approval was needed first; make that a rule it must keep, "
        "and one that the harness enforces",
    )


def rule_hedge_verdict(
    scenario: Scenario,
    trace: Trace,
    score: Score,
) -> FailureClassification | None:
    """Find a run that is marked as a guess, or as a refusal, where a question was due."""
    bucket = _bucket(trace, {"wrongly_guessed", "refused_unnecessarily"})
    if bucket is None:
        return None
    return finding(
        "clarification",
        CERTAIN,
        _of_bucket(bucket, scenario),
        target={"scenario": scenario.name},
        rationale="say in the system prompt when the agent has to ask, and that it may act when "
        "nothing is ambiguous",
    )


def rule_policy_violation(
    scenario: Scenario,
    trace: Trace,
    score: Score,
) -> FailureClassification | None:
    """Find a violated policy."""
    if score.constraint.passed:
        return None
    return finding(
        "policy",
        CERTAIN,
        [f"constraint: {score.constraint.detail}"],
        target={"scenario": scenario.name},
        rationale="the agent broke a policy of the scenario; state the policy where it cannot be "
        "overlooked, or enforce it in the tools",
    )


def rule_no_tools_used(
    scenario: Scenario, trace: Trace, score: Score
) -> FailureClassification | None:
    """Find an answer that was given without a tool, where the scenario asks for one.

    By the account that counts, as in scoring. A call log that could not be read tells nothing.
    """
    unknown = evidence_state(trace) is EvidenceState.UNAVAILABLE
    if not scenario.requires_tool_use or unknown or tools_used(trace):
        return None
    if NO_TOOLS_USED not in score.outcome.detail:
        return None
    return finding(
        "tool_affordance",
        CERTAIN,
        [f"no tool was called [evidence: {evidence_label(trace)}]", outcome_line(score)],
        target={"scenario": scenario.name},
        rationale="say in the system prompt that such questions are answered from tools, and which",
    )


def _bucket(trace: Trace, among: Collection[str]) -> str | None:
    for warning in trace.worker_warnings:
        if warning.startswith(VERDICT_BUCKET):
            bucket = warning.removeprefix(VERDICT_BUCKET).strip()
            if bucket in among:
                return bucket
    return None


def _of_bucket(bucket: str, scenario: Scenario) -> list[str]:
    return [f"{VERDICT_BUCKET}{bucket}", f"scenario: {scenario.name}"]
