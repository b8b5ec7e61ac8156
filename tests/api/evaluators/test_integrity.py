"""Integrity: the declared condition happened."""

from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_trace, assistant

from wt_git.api.evaluators import evaluate_integrity, evaluate_robustness
from wt_git.api.perturbations import BlankAssistantContent, InjectStaleMemory
from wt_git.api.scenario import Scenario


def judge(perturbations, warnings, rule=evaluate_integrity):
    scenario = Scenario(name="s", prompt="p", perturbations=list(perturbations))
    return rule(a_trace(assistant(), worker_warnings=list(warnings)), scenario)


def test_without_perturbations_the_condition_holds():
    """Nothing was to happen."""
    assert judge([], []).passed


def test_a_missing_marker_is_listed():
    """The detail names what did not happen, and only that."""
    one, two = BlankAssistantContent(1), InjectStaleMemory("k", "v")
    result = judge([one, two], [two.marker])
    assert not result.passed
    assert "not applied" in result.detail
    assert one.marker in result.detail
    assert two.marker not in result.detail


def test_a_marker_inside_another_warning_proves_nothing(subtests):
    """Turn 12 is not turn 1: markers are compared whole."""
    for warning in [
        BlankAssistantContent(12).marker,
        f"{BlankAssistantContent(1).marker} ",
        f"hook:x: {BlankAssistantContent(1).marker}",
    ]:
        with subtests.test(warning=warning):
            assert not judge([BlankAssistantContent(1)], [warning]).passed


def test_equal_perturbations_need_a_marker_each():
    """One marker does not stand for two."""
    pair = [InjectStaleMemory("k", "old"), InjectStaleMemory("k", "older")]
    marker = pair[0].marker
    result = judge(pair, [marker])
    assert not result.passed
    assert "(1 of 2)" in result.detail
    assert judge(pair, [marker, marker]).passed


def test_robustness_is_integrity_under_its_first_name():
    """Both names give the same answer."""
    for warnings in ([], [BlankAssistantContent(1).marker]):
        declared = [BlankAssistantContent(1)]
        assert judge(declared, warnings) == judge(declared, warnings, evaluate_robustness)


@given(
    declared=st.lists(st.integers(0, 3), max_size=6),
    present=st.lists(st.integers(0, 3), max_size=6),
    others=st.lists(st.text(), max_size=2),
)
def test_markers_are_counted(declared, present, others):
    """Integrity holds exactly when each marker is there as often as it was declared."""
    result = judge(
        [BlankAssistantContent(turn) for turn in declared],
        [*others, *(BlankAssistantContent(turn).marker for turn in present)],
    )
    assert result.passed == all(present.count(turn) >= declared.count(turn) for turn in declared)
