"""The trajectory layer: the agent called the right tools in the right order.

docs/writing-a-scenario.md, "Trajectory", states the rules, and `tool_calls` which calls count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.evaluators.tool_calls import CallLogState, observed_calls
from wt_git.api.evaluators.tool_names import alternatives, matches_any
from wt_git.api.score import LayerResult, error_message, merged_metrics, normalized_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.api.scenario import Scenario, TrajectoryCheck
    from wt_git.api.trace import Trace


def evaluate_trajectory(trace: Trace, scenario: Scenario) -> LayerResult:
    """Check the tools that were called: forbidden ones, required ones, their order, custom checks.

    The detail has every problem and ends with the kind of evidence. A call log that could not be
    read fails the layer, and so does an exception of a custom check.
    """
    observed = observed_calls(trace)
    suffix = f" [evidence: {observed.label}]"
    if observed.state is CallLogState.UNAVAILABLE:
        return LayerResult(
            passed=False, detail=f"evidence unavailable: a call log could not be read{suffix}"
        )
    custom = [_run_check(check, trace, observed.names) for check in scenario.trajectory_checks]
    metrics = merged_metrics(custom)
    problems = [
        *_forbidden(observed.names, scenario.forbidden_calls),
        *_required(observed.names, scenario),
        *(result.detail for result in custom if not result.passed),
    ]
    if problems:
        return LayerResult(passed=False, detail="; ".join(problems) + suffix, metrics=metrics)
    details = [result.detail for result in custom if result.detail]
    detail = "; ".join(["trajectory requirements satisfied", *details]) + suffix
    return LayerResult(passed=True, detail=detail, metrics=metrics)


def _forbidden(names: Sequence[str], forbidden: Sequence[str]) -> list[str]:
    called = dict.fromkeys(name for name in names if matches_any(forbidden, name))
    return [f"forbidden tools called: {', '.join(called)}"] if called else []


def _required(names: Sequence[str], scenario: Scenario) -> list[str]:
    entries = [alternatives(entry) for entry in scenario.must_call]
    missing = [entry for entry in entries if not any(matches_any(entry, name) for name in names)]
    if missing:
        return [f"required tools not called: {', '.join(map(_entry_text, missing))}"]
    if scenario.order_matters and not _in_order(names, entries):
        wanted = ", ".join(map(_entry_text, entries))
        return [f"order violated: expected {wanted}; observed {', '.join(names)}"]
    return []


def _in_order(names: Sequence[str], entries: Sequence[tuple[str, ...]]) -> bool:
    """Say whether a subsequence of `names` meets `entries`, one call for each entry."""
    reached = 0
    for name in names:
        if reached < len(entries) and matches_any(entries[reached], name):
            reached += 1
    return reached == len(entries)


def _entry_text(entry: tuple[str, ...]) -> str:
    return entry[0] if len(entry) == 1 else f"any of ({', '.join(entry)})"


def _run_check(check: TrajectoryCheck, trace: Trace, names: Sequence[str]) -> LayerResult:
    """Return the result of one custom check; a failure has a detail."""
    name = type(check).__name__
    try:
        answer: object = check.check_trace(trace, list(names))
        match answer:
            case LayerResult():
                result = normalized_result(answer)
            case [passed, detail] if isinstance(answer, tuple | list):
                result = LayerResult(bool(passed), "" if detail is None else str(detail))
            case _:
                kind = type(answer).__name__
                problem = f"returned {kind}, expected a (passed, detail) pair or a LayerResult"
                return LayerResult(passed=False, detail=f"{name}(error: {problem})")
    except Exception as error:  # noqa: BLE001 - authored code may raise anything
        return LayerResult(passed=False, detail=f"{name}(error: {error_message(error)})")
    if result.passed or result.detail:
        return result
    return LayerResult(passed=False, detail=name, metrics=result.metrics)
