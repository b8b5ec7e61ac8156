"""Ready-made `outcome_fn` scorers, and the policy of recorded tool servers.

A scorer takes a trace and returns a `LayerResult`; it never raises into the evaluator.
docs/writing-a-scenario.md, "Scorers".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.scenario import Policy
from wt_git.api.scorers.combine import all_of, any_of
from wt_git.api.scorers.model_grader import llm_judge
from wt_git.api.scorers.observation import observation
from wt_git.api.scorers.substantiation import substantiated_by_tools

if TYPE_CHECKING:
    from wt_git.api.trace import Trace

__all__ = [
    "all_of",
    "any_of",
    "llm_judge",
    "no_divergence",
    "observation",
    "substantiated_by_tools",
]


def no_divergence() -> Policy:
    """Return a policy that every call was answered from the recording of its tool universe."""
    return Policy(name="no_divergence", predicate=_is_without_divergence)


def _is_without_divergence(trace: Trace) -> bool:
    if any("universe_divergence:" in warning for warning in trace.worker_warnings):
        return False
    extras = (call.get("extra") for call in trace.mcp_calls)
    return not any(isinstance(extra, dict) and "divergence" in extra for extra in extras)
