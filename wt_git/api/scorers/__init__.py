"""Ready-made `outcome_fn` scorers and one ready-made policy, all of the standard library.

A scorer takes a trace and answers with a `LayerResult`; it never raises into the evaluator.
docs/writing-a-scenario.md, "Scorers".
"""

from wt_git.api.scorers.combine import all_of, any_of
from wt_git.api.scorers.divergence import no_divergence
from wt_git.api.scorers.model_grader import llm_judge
from wt_git.api.scorers.observation import observation
from wt_git.api.scorers.substantiation import substantiated_by_tools

__all__ = [
    "all_of",
    "any_of",
    "llm_judge",
    "no_divergence",
    "observation",
    "substantiated_by_tools",
]
