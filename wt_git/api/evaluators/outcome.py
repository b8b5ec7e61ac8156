"""The outcome layer: the final answer is right.

docs/writing-a-scenario.md, "Outcome", states the rules in the order in which they apply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.api.evaluators.answer_text import find_number, has_any_forbidden, states_fact
from wt_git.api.evaluators.tool_calls import (
    CallLogState,
    call_log_state,
    last_assistant_text,
    tools_used,
)
from wt_git.api.score import LayerResult, error_message, normalized_result

if TYPE_CHECKING:
    from collections.abc import Callable

    from wt_git.api.scenario import Scenario
    from wt_git.api.trace import Trace

_ANSWER_SHOWN = 200


def evaluate_outcome(trace: Trace, scenario: Scenario) -> LayerResult:
    """Check the last assistant turn, or call the scenario's `outcome_fn` with the whole trace.

    Without an assistant turn, or without a required tool use, the layer fails first. An exception
    of `outcome_fn` is a failure.
    """
    answer = last_assistant_text(trace)
    if answer is None:
        return LayerResult(passed=False, detail="no assistant turn in the trace")
    if scenario.requires_tool_use and not tools_used(trace):
        return LayerResult(passed=False, detail=f"no_tools_used: {_why_no_tools(trace)}")
    if scenario.outcome_fn is not None:
        return run_scorer(scenario.outcome_fn, trace, "outcome_fn")
    return _checked_answer(answer, scenario)


def _why_no_tools(trace: Trace) -> str:
    match call_log_state(trace):
        case CallLogState.UNAVAILABLE:
            return "a tool server's call log could not be read, so no call is evidenced"
        case CallLogState.AVAILABLE:
            return "the tool servers recorded no call"
        case CallLogState.ABSENT:
            return "the transcript holds no tool call"


def run_scorer(scorer: Callable[[Trace], object], trace: Trace, name: str) -> LayerResult:
    """Return the result of `scorer`; an exception, or another type, is a failure of `name`."""
    try:
        result = scorer(trace)
        if isinstance(result, LayerResult):
            return normalized_result(result)
        problem = f"returned {type(result).__name__}, expected a LayerResult"
    except Exception as error:  # noqa: BLE001 - authored code may raise anything
        problem = error_message(error)
    return LayerResult(passed=False, detail=f"{name} error: {problem}")


def _checked_answer(answer: str, scenario: Scenario) -> LayerResult:
    lowered = answer.lower()
    missing = [group for group in scenario.target_facts if not states_fact(lowered, group)]
    if missing:
        return _failure("missing facts, any of each: " + _listed(missing), answer)
    findings = [find_number(answer, fact) for fact in scenario.target_numbers]
    unstated = [finding.detail for finding in findings if not finding.stated]
    if unstated:
        return _failure("missing numbers: " + "; ".join(unstated), answer)
    asserted = [fact for fact in scenario.forbidden_facts if has_any_forbidden(answer, [fact])]
    if asserted:
        return _failure("forbidden facts asserted: " + ", ".join(map(repr, asserted)), answer)
    return LayerResult(
        passed=True, detail="; ".join(["outcome satisfied", *(found.detail for found in findings)])
    )


def _listed(groups: list[list[str]]) -> str:
    return " and ".join(repr(list(group)) for group in groups)


def _failure(problem: str, answer: str) -> LayerResult:
    shown = answer[:_ANSWER_SHOWN]
    return LayerResult(passed=False, detail=f"{problem} (the answer: {shown!r})")
