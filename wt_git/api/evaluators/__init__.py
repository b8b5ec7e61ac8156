"""The rules of the four layers. docs/writing-a-scenario.md states them for scenario authors."""

from wt_git.api.evaluators.answer_text import NEGATION_CUES, has_any_forbidden
from wt_git.api.evaluators.constraint import evaluate_constraint
from wt_git.api.evaluators.integrity import evaluate_integrity, evaluate_robustness
from wt_git.api.evaluators.outcome import evaluate_outcome
from wt_git.api.evaluators.tool_names import tool_name_matches
from wt_git.api.evaluators.trajectory import evaluate_trajectory

__all__ = [
    "NEGATION_CUES",
    "evaluate_constraint",
    "evaluate_integrity",
    "evaluate_outcome",
    "evaluate_robustness",
    "evaluate_trajectory",
    "has_any_forbidden",
    "tool_name_matches",
]
