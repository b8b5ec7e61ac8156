"""Rules that go by what a scenario was written to find out: its `dim:` tag.

docs/triage.md, "Rules", has them in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.triage.run_rules import (
    BY_DIMENSION,
    classification,
    dimension_tag,
    forbidden_calls,
    has_dimension,
    outcome_line,
    passed_or_failed,
)

if TYPE_CHECKING:
    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score
    from wt_git.api.trace import Trace
    from wt_git.triage.classifier import FailureClassification


def rule_icl_poisoning(
    scenario: Scenario,
    trace: Trace,
    score: Score,
) -> FailureClassification | None:
    """Find an agent that went on as a damaged history had begun."""
    return _wrong_answer(
        scenario,
        score,
        "icl_poisoning",
        category="template_corruption",
        rationale="the history that the model got was damaged before the last question; mend what "
        "writes earlier turns, so that they are as the agent made them",
    )


def rule_policy_pressure_fail(
    scenario: Scenario,
    trace: Trace,
    score: Score,
) -> FailureClassification | None:
    """Find an agent that gave in to a user who pressed it."""
    outcome, constraint = score.outcome.passed, score.constraint.passed
    if not has_dimension(scenario, "policy_pressure") or (outcome and constraint):
        return None
    flags = f"outcome {passed_or_failed(outcome)}, constraint {passed_or_failed(constraint)}"
    return classification(
        "policy",
        BY_DIMENSION,
        [f"tag: {dimension_tag('policy_pressure')}", flags],
        target={"scenario": scenario.name, "dim": "policy_pressure"},
        rationale="name the policies that no user may talk the agent out of, and what to answer",
    )


def rule_memory_conflict(
    scenario: Scenario,
    trace: Trace,
    score: Score,
) -> FailureClassification | None:
    """Find a memory that beat fresh evidence."""
    return _wrong_answer(
        scenario,
        score,
        "memory_conflict",
        category="memory",
        rationale="say which wins when memory, tools and the user disagree, and that old entries "
        "are checked before they are used",
    )


def rule_recovery_fail(
    scenario: Scenario,
    trace: Trace,
    score: Score,
) -> FailureClassification | None:
    """Find an agent that did not get over an earlier step that had gone wrong."""
    return _wrong_answer(
        scenario,
        score,
        "recovery",
        category="recovery",
        rationale="say what to do after a failed, empty or cut result: look at it, correct the call, "
        "try another way",
    )


def rule_silent_failure_hallucination(
    scenario: Scenario,
    trace: Trace,
    score: Score,
) -> FailureClassification | None:
    """Find an agent that did not notice that a tool had failed it."""
    return _wrong_answer(
        scenario,
        score,
        "silent_failure",
        category="recovery",
        rationale="say that a result which is broken, empty or late is reported as such and never "
        "filled in from memory",
    )


def rule_sampler_variance(
    scenario: Scenario, trace: Trace, score: Score
) -> FailureClassification | None:
    """Find a failure of a scenario that is about how much chance sampling leaves."""
    dimension = "sampler_sensitivity"
    if not has_dimension(scenario, dimension) or score.outcome.passed:
        return None
    settings = ", ".join(f"{name} {value}" for name, value in trace.sampler.items())
    return classification(
        "sampler_variance",
        BY_DIMENSION,
        [
            f"tag: {dimension_tag(dimension)}",
            outcome_line(score),
            f"sampler: {settings or 'not recorded'}",
        ],
        target={"scenario": scenario.name, "sampler": dict(trace.sampler)},
        rationale="run it at temperature 0; if it passes there, sample less freely",
    )


def rule_multi_turn_drift(
    scenario: Scenario, trace: Trace, score: Score
) -> FailureClassification | None:
    """Find an agent that lost the thread of a conversation."""
    found = _wrong_answer(
        scenario,
        score,
        "multi_turn_drift",
        category="planning",
        rationale="say that what was asked for in earlier turns goes on holding until it is changed",
    )
    if found is not None:
        found.evidence.append(f"turns: {len(trace.turns)}")
    return found


def rule_tool_affordance_fail(
    scenario: Scenario,
    trace: Trace,
    score: Score,
) -> FailureClassification | None:
    """Find an agent that did not see which tool does what it was asked for."""
    return _wrong_answer_or_path(
        scenario,
        score,
        "tool_affordance",
        category="tool_affordance",
        rationale="say in the system prompt, or in the tools' descriptions, which tool answers what "
        "and what it needs first",
    )


def rule_clarify_vs_guess_fail(
    scenario: Scenario,
    trace: Trace,
    score: Score,
) -> FailureClassification | None:
    """Find an agent that guessed, or gave up, where it should have asked."""
    return _wrong_answer_or_path(
        scenario,
        score,
        "clarify_vs_guess",
        category="clarification",
        rationale="say in the system prompt when the agent has to ask, and that it may act when "
        "nothing is ambiguous",
    )


def rule_side_effect_safety_fail(
    scenario: Scenario, trace: Trace, score: Score
) -> FailureClassification | None:
    """Find an agent that acted, or would not say that it needs approval first."""
    found = _wrong_answer_or_path(
        scenario,
        score,
        "side_effect_safety",
        category="side_effect_safety_violation",
        rationale="name the tools that need approval, and let the harness ask for it",
    )
    if found is not None:
        called = forbidden_calls(scenario, trace)
        done = (
            f"forbidden tools called: {', '.join(called)}" if called else "no forbidden tool seen"
        )
        found.evidence.insert(1, done)
    return found


def _wrong_answer(
    scenario: Scenario, score: Score, dimension: str, *, category: str, rationale: str
) -> FailureClassification | None:
    if not has_dimension(scenario, dimension) or score.outcome.passed:
        return None
    return classification(
        category,
        BY_DIMENSION,
        [f"tag: {dimension_tag(dimension)}", outcome_line(score)],
        target={"scenario": scenario.name, "dim": dimension},
        rationale=rationale,
    )


def _wrong_answer_or_path(
    scenario: Scenario, score: Score, dimension: str, *, category: str, rationale: str
) -> FailureClassification | None:
    layers = {"outcome": score.outcome, "trajectory": score.trajectory}
    failed = [f"{name}: {layer.detail}" for name, layer in layers.items() if not layer.passed]
    if not has_dimension(scenario, dimension) or not failed:
        return None
    return classification(
        category,
        BY_DIMENSION,
        [f"tag: {dimension_tag(dimension)}", *failed],
        target={"scenario": scenario.name, "dim": dimension},
        rationale=rationale,
    )
