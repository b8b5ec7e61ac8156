"""The integrity layer: every declared perturbation was applied.

docs/writing-a-scenario.md, "Integrity".
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from wt_git.api.score import LayerResult

if TYPE_CHECKING:
    from wt_git.api.scenario import Scenario
    from wt_git.api.trace import Trace


def evaluate_integrity(trace: Trace, scenario: Scenario) -> LayerResult:
    """Check that every declared perturbation left its marker among the trace's warnings.

    Markers are compared whole and counted: two equal perturbations must have left two. A failure
    makes the result INVALID: it is no failure of the agent.
    """
    if not scenario.perturbations:
        return LayerResult(passed=True, detail="no perturbations declared")
    declared = Counter(perturbation.marker for perturbation in scenario.perturbations)
    missing = declared - Counter(trace.worker_warnings)
    if missing:
        listed = "; ".join(
            marker if declared[marker] == 1 else f"{marker} ({lacking} of {declared[marker]})"
            for marker, lacking in missing.items()
        )
        return LayerResult(passed=False, detail=f"perturbations not applied: {listed}")
    return LayerResult(passed=True, detail=f"perturbations applied: {declared.total()}")


evaluate_robustness = evaluate_integrity
"""The name that integrity had in version 1 of the score format."""
