"""What kind of failure a run is, and what would help: the types, and the contract of classifiers.

docs/triage.md, "Categories" and "Writing a classifier", states the rules.
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
"""What helps first, by category; for `unknown` nobody knows."""

VALID_CATEGORIES = frozenset({*DEFAULT_FIX_VECTORS, UNKNOWN})

FIX_VECTORS = frozenset({*DEFAULT_FIX_VECTORS.values(), "edit_tool_description", "other"})


@dataclass
class FixSuggestion:
    """A change that may mend the agent.

    `fix_vector` is one of `FIX_VECTORS`, `target` says what is to be changed, `rationale` why.
    `diff_text` is the change itself, where it is known: an instruction, or a unified diff.
    """

    fix_vector: str
    target: dict[str, Any]
    rationale: str
    diff_text: str | None = None


@dataclass
class FailureClassification:
    """What a failure is.

    `category` is one of `VALID_CATEGORIES`, `confidence` lies between 0 and 1. `evidence` are quotes
    and reasons that a person can check, the strongest first.
    """

    category: str
    confidence: float
    evidence: list[str]
    suggested_fix: FixSuggestion | None = None


@runtime_checkable
class FailureClassifier(Protocol):
    """Whoever can say what kind of failure a run is. Nothing is subclassed or registered."""

    def classify(self, scenario: Scenario, trace: Trace, score: Score) -> FailureClassification:
        """Classify a run that failed and whose integrity held.

        The answer depends on the arguments alone and changes none of them. It never raises: an error
        of its own is category `unknown` with confidence 0 and the error in the evidence. Every
        category but `unknown` comes with a fix.
        """
