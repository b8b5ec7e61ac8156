"""The constraint layer: the run kept every policy. docs/writing-a-scenario.md, "Constraint"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.score import LayerResult, MetricValue, error_message, normalized_result

if TYPE_CHECKING:
    from wt_git.api.scenario import Policy, Scenario
    from wt_git.api.trace import Trace


def evaluate_constraint(trace: Trace, scenario: Scenario) -> LayerResult:
    """Ask every policy about the whole trace; the layer passes when all are satisfied.

    The detail lists every violation. The metrics of a predicate's `LayerResult` are taken over,
    passed or not. An exception of a predicate is a violation.
    """
    metrics: dict[str, MetricValue] = {}
    found = [_violation(policy, trace, metrics) for policy in scenario.policies]
    violations = [violation for violation in found if violation is not None]
    if violations:
        detail = f"constraint violations: {'; '.join(violations)}"
        return LayerResult(passed=False, detail=detail, metrics=metrics)
    kept = ", ".join(policy.name for policy in scenario.policies)
    detail = f"policies satisfied: {kept}" if kept else "no policies declared"
    return LayerResult(passed=True, detail=detail, metrics=metrics)


def _violation(policy: Policy, trace: Trace, metrics: dict[str, MetricValue]) -> str | None:
    """Return the violation of `policy`, None when it was satisfied."""
    try:
        answer: object = policy.predicate(trace)
        if not isinstance(answer, LayerResult):
            return None if answer else policy.name
        result = normalized_result(answer)
    except Exception as error:  # noqa: BLE001 - authored code may raise anything
        return f"{policy.name}(error: {error_message(error)})"
    metrics.update(result.metrics)
    if result.passed:
        return None
    return f"{policy.name}: {result.detail}" if result.detail else policy.name
