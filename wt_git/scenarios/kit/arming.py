"""What a scenario's perturbations ask its mock server to do wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.api.perturbations.environment import EnvironmentPerturbation, ToolTimeoutPerScenario

if TYPE_CHECKING:
    from wt_git.api.scenario import Scenario


def failures_of(scenario: Scenario) -> list[dict[str, Any]]:
    """Return `{tool, mode, probability}`, and `delay_s` for a timeout, for each tool that shall fail.

    Each failure is for the one tool that its perturbation names; the others answer as ever.
    """
    return [
        _failure(perturbation)
        for perturbation in scenario.perturbations
        if isinstance(perturbation, EnvironmentPerturbation)
    ]


def _failure(perturbation: EnvironmentPerturbation) -> dict[str, Any]:
    failure = {
        "tool": perturbation.tool_name,
        "mode": perturbation.mode,
        "probability": perturbation.likelihood,
    }
    if isinstance(perturbation, ToolTimeoutPerScenario):
        failure["delay_s"] = float(perturbation.delay_seconds)
    return failure
