"""From a finished trace to its score; docs/architecture.md, "Scoring"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.evaluators.layers import (
    evaluate_constraint,
    evaluate_integrity,
    evaluate_outcome,
    evaluate_trajectory,
)
from wt_git.api.replay import scoring_view, with_prefix
from wt_git.api.scenario import PreSendPerturbation, ToolFailure
from wt_git.api.score import BrokenCheck, LayerResult, Score
from wt_git.api.trace import with_warning
from wt_git.run_errors import RUNNER_ERROR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.api.scenario import Perturbation, Scenario
    from wt_git.api.trace import Trace


def failed_score(scenario: Scenario, detail: str) -> Score:
    """Return the score of a run that broke: every layer failed, so that its verdict is INVALID."""
    outcome, trajectory, constraint, integrity = (
        LayerResult(passed=False, detail=detail) for _ in range(4)
    )
    return Score(outcome, trajectory, constraint, integrity, scenario.failure_cost)


def score_trace(
    trace: Trace, scenario: Scenario, *, armed: Sequence[object] = ()
) -> tuple[Trace, Score]:
    """Return a live run's trace with its perturbations applied, and its score.

    Turns frozen in front of the run are neither perturbed nor scored; they lead the returned trace
    again. `armed` are the failures that the tool servers report: a declared tool failure gets its
    marker only where they confirm it.
    """
    view = scoring_view(trace)
    for perturbation in scenario.perturbations:
        view = _apply_perturbation(view, perturbation, armed)
    return with_prefix(view, trace), _evaluate_layers(view, scenario)


def _apply_perturbation(view: Trace, perturbation: Perturbation, armed: Sequence[object]) -> Trace:
    """Return the trace after one perturbation; one that acted on the live run adds only a marker."""
    if isinstance(perturbation, PreSendPerturbation):
        marker: str | None = perturbation.marker
    elif isinstance(perturbation, ToolFailure):
        marker = perturbation.proven_marker(armed, view.mcp_calls)
    else:
        return perturbation.apply(view)
    return view if marker is None else with_warning(view, marker)


def score_saved(trace: Trace, scenario: Scenario) -> Score:
    """Return the score of a saved trace; its perturbations are in it already, none is applied again.

    A trace with a runner error stays failed, even if its evidence would pass.
    """
    for warning in trace.worker_warnings:
        if warning.startswith(RUNNER_ERROR):
            return failed_score(scenario, warning)
    return _evaluate_layers(scoring_view(trace), scenario)


def _evaluate_layers(view: Trace, scenario: Scenario) -> Score:
    """Return the score; a check that broke says nothing about the agent, so nothing is valid then."""
    score = Score(
        outcome=evaluate_outcome(view, scenario),
        trajectory=evaluate_trajectory(view, scenario),
        constraint=evaluate_constraint(view, scenario),
        integrity=evaluate_integrity(view, scenario),
        failure_cost=scenario.failure_cost,
    )
    layers = (score.outcome, score.trajectory, score.constraint)
    broken = [layer.detail for layer in layers if isinstance(layer, BrokenCheck)]
    if broken:
        detail = f"a check of the scenario broke: {'; '.join(broken)}"
        score.integrity = LayerResult(passed=False, detail=detail)
    return score
