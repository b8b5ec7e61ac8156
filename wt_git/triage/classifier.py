"""Classifications of failed runs and their fixes: the types, and the protocol of classifiers.

docs/triage.md, "Categories" and "Writing a classifier", has the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score
    from wt_git.api.trace import Trace

UNKNOWN = "unknown"

DEFAULT_FIX_VECTORS = {
    "tool_affordance": "edit_soul_md",
    "clarification": "edit_soul_md",
    "policy": "add_policy",
    "memory": "add_memory_rule",
    "template_corruption": "fix_serializer",
    "planning": "edit_soul_md",
    "recovery": "add_recovery_prompt",
    "model_capacity": "route_to_stronger_model",
    "sampler_variance": "adjust_sampler",
    "side_effect_safety_violation": "add_policy",
}
"""The fix vector to try first, by category; `unknown` has none."""

VALID_CATEGORIES = frozenset({*DEFAULT_FIX_VECTORS, UNKNOWN})

FIX_VECTORS = frozenset({*DEFAULT_FIX_VECTORS.values(), "edit_tool_description", "other"})


@dataclass
class FixSuggestion:
    """A change that may fix the agent.

    `fix_vector` is one of `FIX_VECTORS`, `target` names the thing to change, `rationale` the reason.
    `diff_text` is the change itself, if known: an instruction, or a unified diff.
    """

    fix_vector: str
    target: dict[str, Any]
    rationale: str
    diff_text: str | None = None


@dataclass
class FailureClassification:
    """The category of a failure.

    `category` is one of `VALID_CATEGORIES`, `confidence` is between 0 and 1. `evidence` are quotes and
    reasons that a person can check, the strongest first.
    """

    category: str
    confidence: float
    evidence: list[str]
    suggested_fix: FixSuggestion | None = None


@runtime_checkable
class FailureClassifier(Protocol):
    """An object that classifies failed runs. There is nothing to subclass or to register."""

    def classify(self, scenario: Scenario, trace: Trace, score: Score) -> FailureClassification:
        """Classify a failed run with intact integrity.

        The answer depends only on the arguments and changes none of them. It never raises: its own
        error becomes category `unknown` with confidence 0 and the error in the evidence. Every
        category but `unknown` has a fix.
        """
