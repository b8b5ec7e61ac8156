"""The classifier that applies rules in order. docs/triage.md, "Rules", lists them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from wt_git.api.replay import scoring_view
from wt_git.api.scenario import Scenario
from wt_git.api.score import Score
from wt_git.api.trace import Trace
from wt_git.errors import exception_text
from wt_git.triage.classifier import (
    DEFAULT_FIX_VECTORS,
    UNKNOWN,
    VALID_CATEGORIES,
    FailureClassification,
    FixSuggestion,
)
from wt_git.triage.rules import (
    rule_clarify_vs_guess_fail,
    rule_forbidden_tool,
    rule_hedge_verdict,
    rule_icl_poisoning,
    rule_memory_conflict,
    rule_missing_tool,
    rule_multi_turn_drift,
    rule_no_tools_used,
    rule_policy_pressure_fail,
    rule_policy_violation,
    rule_recovery_fail,
    rule_sampler_variance,
    rule_side_effect_safety_fail,
    rule_silent_failure_hallucination,
    rule_template_corruption,
    rule_tool_affordance_fail,
    rule_trajectory_fail,
    rule_unsafe_executed,
)

__all__ = [
    "RULES",
    "RuleBasedClassifier",
    "RuleFn",
    "rule_clarify_vs_guess_fail",
    "rule_forbidden_tool",
    "rule_hedge_verdict",
    "rule_icl_poisoning",
    "rule_memory_conflict",
    "rule_missing_tool",
    "rule_multi_turn_drift",
    "rule_no_tools_used",
    "rule_policy_pressure_fail",
    "rule_policy_violation",
    "rule_recovery_fail",
    "rule_sampler_variance",
    "rule_side_effect_safety_fail",
    "rule_silent_failure_hallucination",
    "rule_template_corruption",
    "rule_tool_affordance_fail",
    "rule_trajectory_fail",
    "rule_unsafe_executed",
]

RuleFn: TypeAlias = Callable[[Scenario, Trace, Score], FailureClassification | None]
"""A rule: it returns a classification, or None for another kind of failure, and changes nothing."""

RULES: list[RuleFn] = [
    rule_template_corruption,
    rule_unsafe_executed,
    rule_hedge_verdict,
    rule_policy_violation,
    rule_no_tools_used,
    rule_icl_poisoning,
    rule_policy_pressure_fail,
    rule_memory_conflict,
    rule_recovery_fail,
    rule_silent_failure_hallucination,
    rule_sampler_variance,
    rule_multi_turn_drift,
    # After the twelve whose order is public: for failures that they leave unknown.
    rule_tool_affordance_fail,
    rule_clarify_vs_guess_fail,
    rule_side_effect_safety_fail,
    rule_forbidden_tool,
    rule_missing_tool,
    rule_trajectory_fail,
]
"""The default rules, from the most certain to the least."""

_FAILURES = (Exception, SystemExit)


class RuleBasedClassifier:
    """Applies rules one after another and returns the first classification.

    `rules` are `RULES` by default; `RuleBasedClassifier([mine, *RULES])` applies yours first. A rule
    that raises, or whose answer is invalid, is passed over and named in the evidence.
    """

    def __init__(self, rules: list[RuleFn] | None = None) -> None:
        self.rules = list(RULES if rules is None else rules)

    def classify(self, scenario: Scenario, trace: Trace, score: Score) -> FailureClassification:
        """Return the first classification by a rule, or `unknown`. Never raises.

        Replayed turns are left out, as in scoring.
        """
        try:
            view = scoring_view(trace)
        except _FAILURES as error:
            return FailureClassification(
                UNKNOWN, 0.0, [f"no trace to classify: {exception_text(error)}"]
            )
        passed_over: list[str] = []
        for rule in self.rules:
            try:
                found = _checked_answer(rule(scenario, view, score), scenario)
            except _FAILURES as error:
                passed_over.append(f"{_rule_name(rule)} was passed over: {exception_text(error)}")
                continue
            if found is not None:
                return replace(found, evidence=[*found.evidence, *passed_over])
        return FailureClassification(UNKNOWN, 0.0, passed_over)


def _checked_answer(found: object, scenario: Scenario) -> FailureClassification | None:
    """Return a valid answer of a rule. Raises `ValueError` for an invalid one."""
    if found is None:
        return None
    if not isinstance(found, FailureClassification):
        raise ValueError(f"it returned {type(found).__name__}, expected a FailureClassification")
    if found.category not in VALID_CATEGORIES:
        raise ValueError(f"it returned the category {found.category!r}, which there is not")
    if not 0 <= found.confidence <= 1:
        raise ValueError(f"it returned the confidence {found.confidence!r}, expected 0 to 1")
    fix = found.suggested_fix or _default_fix(found.category, scenario)
    return replace(found, evidence=[str(line) for line in found.evidence], suggested_fix=fix)


def _default_fix(category: str, scenario: Scenario) -> FixSuggestion | None:
    if category == UNKNOWN:
        return None
    rationale = f"the rule suggests nothing; this is what helps first with {category}"
    return FixSuggestion(DEFAULT_FIX_VECTORS[category], {"scenario": scenario.name}, rationale)


def _rule_name(rule: object) -> str:
    return getattr(rule, "__name__", type(rule).__name__)
