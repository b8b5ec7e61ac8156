"""The constraint layer."""

import pytest
from kit.traces import a_trace, assistant

from wt_git.api.evaluators import evaluate_constraint
from wt_git.api.scenario import Policy, Scenario
from wt_git.api.score import LayerResult


class Undecided:
    """An answer whose truth cannot be asked, as arrays have them."""

    def __bool__(self):
        raise ValueError("ambiguous")


def raising(trace):
    raise KeyError("github")


def judge(*predicates, trace=None):
    policies = [Policy(f"p{at}", predicate) for at, predicate in enumerate(predicates)]
    scenario = Scenario(name="s", prompt="p", policies=policies)
    return evaluate_constraint(trace or a_trace(assistant()), scenario)


def test_without_policies_the_layer_passes():
    """Nothing declared, nothing violated."""
    assert judge().passed


def test_a_truthy_answer_satisfies(subtests):
    """Any truthy value will do."""
    for answer in [True, 1, "yes", [0]]:
        with subtests.test(answer=answer):
            assert judge(lambda _, answer=answer: answer).passed


def test_a_falsy_answer_is_a_violation(subtests):
    """A predicate that forgets to return violates."""
    for answer in [False, None, 0, "", []]:
        with subtests.test(answer=answer):
            result = judge(lambda _: True, lambda _, answer=answer: answer)
            assert not result.passed
            assert result.detail == "constraint violations: p1"


def test_every_violation_is_recorded():
    """Errors and failed layer results stand beside plain violations, none hides another."""
    result = judge(
        raising,
        lambda _: LayerResult(passed=False, detail="too late"),
        lambda _: LayerResult(passed=False, detail=""),
        lambda _: LayerResult(passed=True, detail="fine"),
        lambda _: Undecided(),
        lambda _: False,
    )
    assert result.detail == (
        "constraint violations: p0(error: 'github'); p1: too late; p2; p4(error: ambiguous); p5"
    )


@pytest.mark.parametrize("passed", [True, False])
def test_metrics_are_merged_whether_policies_pass_or_not(passed):
    """The later of two equal names wins."""
    result = judge(
        lambda _: LayerResult(passed=True, detail="", metrics={"a": 1, "b": 1}),
        lambda _: LayerResult(passed=passed, detail="", metrics={"b": 2}),
    )
    assert (result.passed, result.metrics) == (passed, {"a": 1, "b": 2})


def test_policies_see_the_whole_trace():
    """A policy may read the frozen state of the world."""
    trace = a_trace(assistant(), observations={"github": {"prs": [{"base": "main"}]}})

    def opened_against_main(trace):
        return any(pr["base"] == "main" for pr in trace.observations["github"]["prs"])

    assert judge(opened_against_main, trace=trace).passed
    assert "'github'" in judge(opened_against_main).detail
