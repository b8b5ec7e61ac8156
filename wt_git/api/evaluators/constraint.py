"""The constraint layer: the run kept every policy. docs/writing-a-scenario.md, "Constraint"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.score import LayerResult, error_message, merged_metrics, normalized_result

if TYPE_CHECKING:
    from wt_git.api.scenario import Policy, Scenario
    from wt_git.api.trace import Trace


def evaluate_constraint(trace: Trace, scenario: Scenario) -> LayerResult:
    """Ask every policy about the whole trace; the layer passes when all are satisfied.

    The detail lists every violation. The metrics of a predicate's `LayerResult` are taken over,
    passed or not. An exception of a predicate is a violation.
    """
    results = [_check(policy, trace) for policy in scenario.policies]
    metrics = merged_metrics(results)
    violations = [result.detail for result in results if not result.passed]
    if violations:
        detail = f"constraint violations: {'; '.join(violations)}"
        return LayerResult(passed=False, detail=detail, metrics=metrics)
    kept = ", ".join(policy.name for policy in scenario.policies)
    detail = f"policies satisfied: {kept}" if kept else "no policies declared"
    return LayerResult(passed=True, detail=detail, metrics=metrics)


def _check(policy: Policy, trace: Trace) -> LayerResult:
    """Return the result of one policy; its detail names the policy."""
    try:
        answer: object = policy.predicate(trace)
        if not isinstance(answer, LayerResult):
            return LayerResult(bool(answer), policy.name)
        result = normalized_result(answer)
    except Exception as error:  # noqa: BLE001 - authored code may raise anything
        return LayerResult(passed=False, detail=f"{policy.name}(error: {error_message(error)})")
    detail = f"{policy.name}: {result.detail}" if result.detail else policy.name
    return LayerResult(result.passed, detail, result.metrics)
