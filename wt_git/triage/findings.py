"""What rules are made of: findings, and the questions that several of them ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.triage.classifier import DEFAULT_FIX_VECTORS, FailureClassification, FixSuggestion

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score

CERTAIN = 1.0
"""Of a rule whose evidence admits no other reading."""

BY_DIMENSION = 0.9
"""Of a rule that rests on what the scenario was written to find out."""


def finding(
    category: str,
    confidence: float,
    evidence: Iterable[str],
    *,
    target: dict[str, Any],
    rationale: str,
) -> FailureClassification:
    """Return the answer of a rule, with the fix vector that its category has by default."""
    fix = FixSuggestion(DEFAULT_FIX_VECTORS[category], target, rationale)
    return FailureClassification(category, confidence, list(evidence), fix)


def is_of(scenario: Scenario, dimension: str) -> bool:
    """Say whether the scenario was written for `dimension`."""
    return tag_of(dimension) in scenario.tags


def tag_of(dimension: str) -> str:
    """Return the tag that scenarios of `dimension` carry."""
    return f"dim:{dimension}"


def outcome_line(score: Score) -> str:
    """Return the outcome as a line of evidence."""
    return f"outcome: {score.outcome.detail}"


def flag(passed: bool) -> str:  # noqa: FBT001 - the flag is what it is about
    """Return how a line of evidence says whether a layer passed."""
    return "passed" if passed else "failed"
