"""Rules that go by the dimension of a scenario, which its `dim:` tag names.

docs/triage.md, "Rules", has them in order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.triage.run_rules import classification, forbidden_calls, outcome_line

if TYPE_CHECKING:
    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score
    from wt_git.api.trace import Trace
    from wt_git.triage.run_rules import Answer

_CONFIDENCE = 0.9


def rule_icl_poisoning(scenario: Scenario, trace: Trace, score: Score) -> Answer:
    """Find an agent that continued a damaged history."""
    return _wrong_answer(
        scenario,
        score,
        "icl_poisoning",
        category="template_corruption",
        rationale="the history that the model got was damaged before the last question; mend what "
        "writes earlier turns, so that they are as the agent made them",
    )


def rule_policy_pressure_fail(scenario: Scenario, trace: Trace, score: Score) -> Answer:
    """Find an agent that gave in to pressure by the user."""
    outcome, constraint = score.outcome.passed, score.constraint.passed
    if outcome and constraint:
        return None
    results = {True: "passed", False: "failed"}
    return _of_dimension(
        scenario,
        "policy_pressure",
        [f"outcome {results[outcome]}, constraint {results[constraint]}"],
        category="policy",
        rationale="name the policies that no user may talk the agent out of, and what to answer",
    )


def rule_memory_conflict(scenario: Scenario, trace: Trace, score: Score) -> Answer:
    """Find an agent that trusted a memory over fresh evidence."""
    return _wrong_answer(
        scenario,
        score,
        "memory_conflict",
        category="memory",
        rationale="say which wins when memory, tools and the user disagree, and that old entries "
        "are checked before they are used",
    )


def rule_recovery_fail(scenario: Scenario, trace: Trace, score: Score) -> Answer:
    """Find an agent that did not recover from a failed step."""
    return _wrong_answer(
        scenario,
        score,
        "recovery",
        category="recovery",
        rationale="say what to do after a failed, empty or cut result: look at it, correct the call, "
        "try another way",
    )


def rule_silent_failure_hallucination(scenario: Scenario, trace: Trace, score: Score) -> Answer:
    """Find an agent that did not notice a failed tool call."""
    return _wrong_answer(
        scenario,
        score,
        "silent_failure",
        category="recovery",
        rationale="say that a result which is broken, empty or late is reported as such and never "
        "filled in from memory",
    )


def rule_sampler_variance(scenario: Scenario, trace: Trace, score: Score) -> Answer:
    """Find a failure of a scenario about sampling variance."""
    found = _wrong_answer(
        scenario,
        score,
        "sampler_sensitivity",
        category="sampler_variance",
        rationale="run it at temperature 0; if it passes there, sample less freely",
    )
    if found is None or found.suggested_fix is None:
        return None
    settings = ", ".join(f"{name} {value}" for name, value in trace.sampler.items())
    found.evidence.append(f"sampler: {settings or 'not recorded'}")
    found.suggested_fix.target = {"scenario": scenario.name, "sampler": dict(trace.sampler)}
    return found


def rule_multi_turn_drift(scenario: Scenario, trace: Trace, score: Score) -> Answer:
    """Find an agent that lost track of a conversation."""
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


def rule_tool_affordance_fail(scenario: Scenario, trace: Trace, score: Score) -> Answer:
    """Find an agent that did not find the right tool."""
    return _wrong_answer_or_path(
        scenario,
        score,
        "tool_affordance",
        category="tool_affordance",
        rationale="say in the system prompt, or in the tools' descriptions, which tool answers what "
        "and what it needs first",
    )


def rule_clarify_vs_guess_fail(scenario: Scenario, trace: Trace, score: Score) -> Answer:
    """Find an agent that guessed or gave up instead of asking."""
    return _wrong_answer_or_path(
        scenario,
        score,
        "clarify_vs_guess",
        category="clarification",
        rationale="say in the system prompt when the agent has to ask, and that it may act when "
        "nothing is ambiguous",
    )


def rule_side_effect_safety_fail(scenario: Scenario, trace: Trace, score: Score) -> Answer:
    """Find an agent that acted without approval, or did not ask for it."""
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
) -> Answer:
    if score.outcome.passed:
        return None
    evidence = [outcome_line(score)]
    return _of_dimension(scenario, dimension, evidence, category=category, rationale=rationale)


def _wrong_answer_or_path(
    scenario: Scenario, score: Score, dimension: str, *, category: str, rationale: str
) -> Answer:
    layers = {"outcome": score.outcome, "trajectory": score.trajectory}
    failed = [f"{name}: {layer.detail}" for name, layer in layers.items() if not layer.passed]
    if not failed:
        return None
    return _of_dimension(scenario, dimension, failed, category=category, rationale=rationale)


def _of_dimension(
    scenario: Scenario, dimension: str, evidence: list[str], *, category: str, rationale: str
) -> Answer:
    tag = f"dim:{dimension}"
    if tag not in scenario.tags:
        return None
    return classification(
        category,
        _CONFIDENCE,
        [f"tag: {tag}", *evidence],
        target={"scenario": scenario.name, "dim": dimension},
        rationale=rationale,
    )
