"""The four layers of a score: outcome, trajectory, constraint, integrity.

docs/writing-a-scenario.md states the rules of each in the order in which they apply.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from wt_git.api.answers.answer import Answer
from wt_git.api.score import (
    DETAIL_WARNING,
    LayerResult,
    error_message,
    merged_metrics,
    normalized_result,
)
from wt_git.api.tool_calls import (
    CallLogState,
    alternatives,
    call_log_state,
    last_assistant_text,
    matches_any,
    observed_calls,
    tools_used,
)
from wt_git.run_errors import BLOCKED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wt_git.api.scenario import Policy, Scenario, TrajectoryCheck
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
    blocked = [text for text in trace.worker_warnings if text.startswith(BLOCKED)]
    if blocked:
        return LayerResult(passed=False, detail=blocked[0])
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


def _checked_answer(text: str, scenario: Scenario) -> LayerResult:
    answer = Answer(text)
    must_assert = scenario.facts_must_be_asserted
    facts = [
        (group, answer.find_fact(group, substring=scenario.fact_substring))
        for group in scenario.target_facts
    ]
    missing = [group for group, found in facts if not found.stated]
    if missing:
        return _failure("missing facts, any of each: " + _listed(missing), text)
    denied = [group for group, found in facts if not found.asserted]
    if denied and must_assert:
        return _failure("missing facts, denied or doubted: " + _listed(denied), text)
    numbers = [answer.find_number(fact) for fact in scenario.target_numbers]
    lacking = [one for one in numbers if not (one.asserted if must_assert else one.stated)]
    if lacking:
        return _failure("missing numbers: " + "; ".join(one.detail for one in lacking), text)
    asserted = [fact for fact in scenario.forbidden_facts if answer.asserts(fact)]
    if asserted:
        return _failure("forbidden facts asserted: " + ", ".join(map(repr, asserted)), text)
    details = ["outcome satisfied", *(one.detail for one in numbers)]
    doubtful = [found for _, found in facts if not found.asserted]
    doubtful += [found for found in numbers if not found.asserted]
    if doubtful:
        what = "; ".join(one.detail for one in doubtful)
        details.append(f"{DETAIL_WARNING}{what}; with facts_must_be_asserted this fails")
    return LayerResult(passed=True, detail="; ".join(details))


def _listed(groups: list[list[str]]) -> str:
    return " and ".join(repr(list(group)) for group in groups)


def _failure(problem: str, answer: str) -> LayerResult:
    shown = answer[:_ANSWER_SHOWN]
    return LayerResult(passed=False, detail=f"{problem} (the answer: {shown!r})")


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
