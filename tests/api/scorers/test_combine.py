"""Combining scorers."""

import pytest
from kit.traces import a_trace, assistant

from wt_git.api.evaluators import evaluate_outcome
from wt_git.api.scenario import Scenario
from wt_git.api.score import LayerResult
from wt_git.api.scorers import all_of, any_of, llm_judge, observation, substantiated_by_tools
from wt_git.api.trace import Turn

TRACE = a_trace(assistant())


def says(passed, detail="", **metrics):
    return lambda _: LayerResult(passed, detail, metrics)


def exploding(trace):
    raise RuntimeError("boom")


def forgetful(trace):
    return None


class Callable:
    """A scorer that is an object."""

    def __call__(self, trace):
        return LayerResult(passed=False, detail="")


class Odd:
    """A value whose truth cannot be asked."""

    def __bool__(self):
        raise ValueError("ambiguous")


def test_all_of_needs_every_child():
    """The failing details are joined, and nothing else is said."""
    assert all_of(says(True, "a"), says(True, "b"))(TRACE).passed
    result = all_of(says(False, "one"), says(True, "fine"), says(False, "two"))(TRACE)
    assert (result.passed, result.detail) == (False, "one; two")


def test_all_of_nothing_passes_and_any_of_nothing_fails():
    """An empty conjunction holds, an empty choice does not."""
    assert all_of()(TRACE).passed
    assert not any_of()(TRACE).passed


def test_all_of_runs_every_child_and_merges_metrics():
    """A failure does not hide what later children measured; the later name wins."""
    result = all_of(says(False, "x", a=1, b=1), says(True, "", b=2), says(True, "", c=3))(TRACE)
    assert result.metrics == {"a": 1, "b": 2, "c": 3}


def test_any_of_stops_at_the_first_pass():
    """The winner is quoted, those after it do not run, metrics of those that ran are kept."""
    result = any_of(says(False, "x", a=1), says(True, "found it", b=2), exploding)(TRACE)
    assert result.passed
    assert "found it" in result.detail
    assert "boom" not in result.detail
    assert result.metrics == {"a": 1, "b": 2}


def test_any_of_without_a_pass_joins_all_details():
    """Every reason is shown."""
    result = any_of(says(False, "one", a=1), says(False, "two", b=2))(TRACE)
    assert (result.passed, result.detail, result.metrics) == (False, "one; two", {"a": 1, "b": 2})


@pytest.mark.parametrize("combine", [all_of, any_of])
@pytest.mark.parametrize(
    ("child", "said"),
    [
        (exploding, ["exploding", "boom"]),
        (forgetful, ["forgetful", "NoneType"]),
        (lambda _: (True, "fine"), ["<lambda>", "tuple"]),
        (Callable(), ["Callable"]),
        (says(Odd(), "x"), ["<lambda>", "ambiguous"]),
        (3, ["int"]),
    ],
)
def test_a_child_that_breaks_is_a_failure_that_names_it(combine, child, said):
    """Raises and wrong answers stay inside the combination."""
    result = combine(child)(TRACE)
    assert not result.passed
    assert all(part in result.detail for part in said)


def test_combinations_nest():
    """A combination is a scorer."""
    scorer = all_of(any_of(says(False, "no"), says(True, "yes")), any_of(says(True, "also")))
    assert scorer(TRACE).passed


def test_the_example_of_the_authoring_guide_scores_a_flight():
    """An artifact, its provenance and a judged rubric make one outcome."""
    scenario = Scenario(
        name="billing",
        prompt="Resolve the billing question.",
        outcome_fn=all_of(
            observation("github", "prs[0].base", lambda v: v == "main", "pr targets main"),
            substantiated_by_tools(),
            llm_judge(
                "Did the answer resolve the billing question?",
                lambda _: [Turn("assistant", "PASS", [], [], 0.0)],
            ),
        ),
    )
    good = a_trace(
        assistant("You owe 75."),
        observations={"github": {"prs": [{"base": "main"}]}},
        mcp_calls=[{"tool_name": "invoice", "result": {"due": 75}, "timestamp_ms": 1}],
    )
    assert evaluate_outcome(good, scenario).passed
    invented = a_trace(assistant("You owe 99."), mcp_calls=good.mcp_calls)
    result = evaluate_outcome(invented, scenario)
    assert "pr targets main: missing observation source" in result.detail
    assert "99" in result.detail
