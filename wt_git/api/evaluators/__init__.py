"""The rules of the four layers. docs/writing-a-scenario.md states them for scenario authors."""

from wt_git.api.answers.answer import NEGATION_CUES as NEGATION_CUES
from wt_git.api.answers.answer import has_any_forbidden as has_any_forbidden
from wt_git.api.evaluators.layers import evaluate_constraint as evaluate_constraint
from wt_git.api.evaluators.layers import evaluate_integrity as evaluate_integrity
from wt_git.api.evaluators.layers import evaluate_outcome as evaluate_outcome
from wt_git.api.evaluators.layers import evaluate_robustness as evaluate_robustness
from wt_git.api.evaluators.layers import evaluate_trajectory as evaluate_trajectory
from wt_git.api.tool_calls import observed_calls as observed_calls
from wt_git.api.tool_calls import tool_name_matches as tool_name_matches
