"""The four layers of a score: outcome, trajectory, constraint, integrity.

docs/writing-a-scenario.md states the rules of each in the order in which they apply.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from wt_git.api.answers.answer import Answer
from wt_git.api.score import (
    DETAIL_WARNING,
    BrokenCheck,
    LayerResult,
    error_message,
    merged_metrics,
    normalized_result,
)
from wt_git.api.tool_calls import (
    CallLogState,
    call_log_state,
    failed_calls_only,
    last_assistant_text,
    matches_any,
    observed_calls,
    tool_name_matches,
    tools_used,
    wanted_calls,
)
from wt_git.run_errors import BLOCKED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wt_git.api.scenario import Call, Policy, Scenario, TrajectoryCheck
    from wt_git.api.tool_calls import ObservedCalls
    from wt_git.api.trace import Trace

_ANSWER_SHOWN = 200


def evaluate_outcome(trace: Trace, scenario: Scenario) -> LayerResult:
    """Check the last assistant turn, or call the scenario's `outcome_fn` with the whole trace.

    Without an assistant turn, or without a required tool use, the layer fails first. An exception
    of `outcome_fn` is a `BrokenCheck`.
    """
    answer = last_assistant_text(trace)
    if answer is None:
        return LayerResult(passed=False, detail="no assistant turn in the trace")
    blocked = [text for text in trace.worker_warnings if text.startswith(BLOCKED)]
    if blocked:
        return LayerResult(passed=False, detail=blocked[0])
    if scenario.requires_tool_use and not tools_used(trace):
        return LayerResult(passed=False, detail=f"no_tools_used: {_why_no_tools(trace)}")
    if scenario.tool_use_must_succeed and (why := failed_calls_only(trace)) is not None:
        return LayerResult(passed=False, detail=f"no_successful_tool_use: {why}")
    if scenario.outcome_fn is not None:
        return run_scorer(scenario.outcome_fn, trace, "outcome_fn")
    return _checked_answer(answer, scenario, _texts_for_forbidden(trace, answer, scenario))


def _why_no_tools(trace: Trace) -> str:
    match call_log_state(trace):
        case CallLogState.UNAVAILABLE:
            return "a tool server's call log could not be read, so no call is evidenced"
        case CallLogState.AVAILABLE:
            return "the tool servers recorded no call"
        case CallLogState.ABSENT:
            return "the transcript holds no tool call"


def run_scorer(scorer: Callable[[Trace], object], trace: Trace, name: str) -> LayerResult:
    """Return the result of `scorer`; of an exception, or another type, a `BrokenCheck` of `name`."""
    try:
        result = scorer(trace)
        if isinstance(result, LayerResult):
            return normalized_result(result)
        problem = f"returned {type(result).__name__}, expected a LayerResult"
    except Exception as error:  # noqa: BLE001 - authored code may raise anything
        problem = error_message(error)
    return BrokenCheck(passed=False, detail=f"{name} error: {problem}")


def _result_of(parts: Sequence[LayerResult], *, passed: bool, detail: str) -> LayerResult:
    """Return the result of a layer from those of its checks; one that broke breaks the layer."""
    broke = any(isinstance(one, BrokenCheck) for one in parts)
    kind = BrokenCheck if broke else LayerResult
    return kind(passed=passed, detail=detail, metrics=merged_metrics(parts))


def _texts_for_forbidden(trace: Trace, answer: str, scenario: Scenario) -> list[str]:
    """Return the answers in which no forbidden fact may be: the last one, or all."""
    if scenario.forbidden_in == "last_turn":
        return [answer]
    return [turn.content for turn in trace.turns if turn.role == "assistant"]


def _checked_answer(text: str, scenario: Scenario, answers: Sequence[str]) -> LayerResult:
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
    for said in answers:
        read = answer if said == text else Answer(said)
        asserted = [fact for fact in scenario.forbidden_facts if read.asserts(fact)]
        if asserted:
            return _failure("forbidden facts asserted: " + ", ".join(map(repr, asserted)), said)
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
    read fails the layer; an exception of a custom check is a `BrokenCheck`.
    """
    observed = observed_calls(trace)
    suffix = f" [evidence: {observed.label}]"
    if observed.state is CallLogState.UNAVAILABLE:
        return LayerResult(
            passed=False, detail=f"evidence unavailable: a call log could not be read{suffix}"
        )
    custom = [_run_check(check, trace, observed.names) for check in scenario.trajectory_checks]
    required = _required(observed, scenario)
    problems = [
        *_forbidden(observed.names, scenario.forbidden_calls),
        *(result.detail for result in (*required, *custom) if not result.passed),
    ]
    if problems:
        detail = "; ".join(problems) + suffix
        return _result_of([*required, *custom], passed=False, detail=detail)
    details = [result.detail for result in custom if result.detail]
    detail = "; ".join(["trajectory requirements satisfied", *details]) + suffix
    return _result_of(custom, passed=True, detail=detail)


def _forbidden(names: Sequence[str], forbidden: Sequence[str]) -> list[str]:
    called = dict.fromkeys(name for name in names if matches_any(forbidden, name))
    return [f"forbidden tools called: {', '.join(called)}"] if called else []


def _required(observed: ObservedCalls, scenario: Scenario) -> list[LayerResult]:
    """Return the problem with the required calls, if there is one."""
    entries = [wanted_calls(entry) for entry in scenario.must_call]
    try:
        met = [
            [_meets(entry, observed, at) for at in range(len(observed.names))] for entry in entries
        ]
    except Exception as error:  # noqa: BLE001 - authored code may raise anything
        return [BrokenCheck(passed=False, detail=f"must_call(error: {error_message(error)})")]
    missing = [entry for entry, calls in zip(entries, met, strict=True) if not any(calls)]
    if missing:
        problem = f"required tools not called: {', '.join(map(_entry_text, missing))}"
    elif scenario.order_matters and not _in_order(met):
        wanted = ", ".join(map(_entry_text, entries))
        problem = f"order violated: expected {wanted}; observed {', '.join(observed.names)}"
    else:
        return []
    return [LayerResult(passed=False, detail=problem)]


def _meets(entry: Sequence[str | Call], observed: ObservedCalls, at: int) -> bool:
    """Say whether the call at a place is one of those that `entry` asks for."""
    name = observed.names[at]
    return any(
        tool_name_matches(wanted, name)
        if isinstance(wanted, str)
        else tool_name_matches(wanted.name, name) and wanted.takes(observed.arguments[at])
        for wanted in entry
    )


def _in_order(met: Sequence[Sequence[bool]]) -> bool:
    """Say whether the entries are met in order, one call for each; `met` is by entry and call."""
    reached = 0
    for at in range(len(met[0]) if met else 0):
        if reached < len(met) and met[reached][at]:
            reached += 1
    return reached == len(met)


def _entry_text(entry: Sequence[str | Call]) -> str:
    shown = [str(one) for one in entry]
    return shown[0] if len(shown) == 1 else f"any of ({', '.join(shown)})"


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
                return BrokenCheck(passed=False, detail=f"{name}(error: {problem})")
    except Exception as error:  # noqa: BLE001 - authored code may raise anything
        return BrokenCheck(passed=False, detail=f"{name}(error: {error_message(error)})")
    if result.passed or result.detail:
        return result
    return LayerResult(passed=False, detail=name, metrics=result.metrics)


def evaluate_constraint(trace: Trace, scenario: Scenario) -> LayerResult:
    """Ask every policy about the whole trace; the layer passes when all are satisfied.

    The detail lists every violation. The metrics of a predicate's `LayerResult` are taken over,
    passed or not. An exception of a predicate is a `BrokenCheck`.
    """
    results = [_check(policy, trace) for policy in scenario.policies]
    violations = [result.detail for result in results if not result.passed]
    if violations:
        detail = f"constraint violations: {'; '.join(violations)}"
        return _result_of(results, passed=False, detail=detail)
    kept = ", ".join(policy.name for policy in scenario.policies)
    detail = f"policies satisfied: {kept}" if kept else "no policies declared"
    return _result_of(results, passed=True, detail=detail)


def _check(policy: Policy, trace: Trace) -> LayerResult:
    """Return the result of one policy; its detail names the policy."""
    try:
        answer: object = policy.predicate(trace)
        if not isinstance(answer, LayerResult):
            return LayerResult(bool(answer), policy.name)
        result = normalized_result(answer)
    except Exception as error:  # noqa: BLE001 - authored code may raise anything
        return BrokenCheck(passed=False, detail=f"{policy.name}(error: {error_message(error)})")
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
