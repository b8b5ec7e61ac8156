"""Asking rules in order, whatever they do."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_score, a_trace, assistant, texts, traces, user

from wt_git.api.scenario import Scenario
from wt_git.api.score import LayerResult, Score
from wt_git.triage import (
    FIX_VECTORS,
    RULES,
    VALID_CATEGORIES,
    FailureClassification,
    FixSuggestion,
    RuleBasedClassifier,
)

ASKED = Scenario("s", "p")
TRACE = a_trace(user(), assistant())
FAILED = a_score(outcome=False)


def says(category, **fields):
    made = FailureClassification(category, 0.6, ["seen"], FixSuggestion("other", {}, "because"))
    for name, value in fields.items():
        setattr(made, name, value)
    return lambda scenario, trace, score: made


def raises(error):
    def rule_broken(scenario, trace, score):
        raise error

    return rule_broken


def quiet(scenario, trace, score):
    return None


def classify(*rules):
    return RuleBasedClassifier(list(rules)).classify(ASKED, TRACE, FAILED)


def test_the_first_that_finds_something_answers():
    """Those before it had nothing to say, those behind it are not asked."""
    said = classify(quiet, says("memory"), says("policy"), raises(ValueError("never asked")))
    assert (said.category, said.confidence, said.evidence) == ("memory", 0.6, ["seen"])


def test_rules_of_ones_own_go_first():
    """In front of those that ship."""
    classifier = RuleBasedClassifier([says("planning"), *RULES])
    assert classifier.classify(ASKED, TRACE, a_score(constraint=False)).category == "planning"
    shipped = RuleBasedClassifier()
    assert shipped.classify(ASKED, TRACE, a_score(constraint=False)).category == "policy"


def test_no_rules_at_all_are_no_default():
    """An empty list was meant."""
    assert classify().category == "unknown"
    assert RuleBasedClassifier([]).classify(ASKED, TRACE, a_score(constraint=False)).evidence == []


class UnprintableError(Exception):
    """Its message cannot be made."""

    def __str__(self):
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    ("broken", "line"),
    [
        (raises(KeyError("turns")), "rule_broken was passed over: KeyError: 'turns'"),
        (raises(SystemExit(0)), "rule_broken was passed over: SystemExit: 0"),
        (raises(UnprintableError()), "rule_broken was passed over: UnprintableError"),
        (
            lambda *_: "policy",
            "<lambda> was passed over: ValueError: it returned str, expected a FailureClassification",
        ),
        (
            says("sunspots"),
            "<lambda> was passed over: ValueError: it returned the category 'sunspots', which there is not",
        ),
        (
            says("policy", confidence=1.5),
            "<lambda> was passed over: ValueError: it returned the confidence 1.5, expected 0 to 1",
        ),
        (says("policy", evidence=None), None),
    ],
)
def test_a_rule_that_cannot_be_asked_leaves_a_line(broken, line):
    """Behind whatever results, and where nothing does, alone."""
    said = classify(broken, quiet, says("memory"))
    assert (said.category, said.evidence[0]) == ("memory", "seen")
    assert len(said.evidence) == 2
    unknown = classify(broken, quiet)
    assert (unknown.category, unknown.confidence) == ("unknown", 0.0)
    assert unknown.evidence == said.evidence[1:]
    if line is not None:
        assert unknown.evidence == [line]


def test_a_finding_without_a_fix_gets_that_of_its_category():
    """Every category but `unknown` comes with one."""
    said = classify(says("recovery", suggested_fix=None))
    assert said.suggested_fix.fix_vector == "add_recovery_prompt"
    assert said.suggested_fix.target == {"scenario": "s"}
    assert classify(says("unknown", suggested_fix=None)).suggested_fix is None


def test_what_a_rule_returned_is_not_changed():
    """It may return one object again and again."""
    rule = says("memory", suggested_fix=None)
    for _ in range(2):
        assert len(classify(raises(ValueError("x")), rule).evidence) == 2
    assert rule(None, None, None).evidence == ["seen"]
    assert rule(None, None, None).suggested_fix is None


def test_what_is_no_trace_is_said():
    """Never an exception."""
    said = RuleBasedClassifier().classify(ASKED, None, FAILED)
    assert (said.category, said.confidence) == ("unknown", 0.0)
    assert said.evidence[0].startswith("no trace to classify: AttributeError")
    lines = RuleBasedClassifier().classify(None, TRACE, None).evidence
    # Three of them look at warnings alone.
    assert len([line for line in lines if "AttributeError" in line]) == len(RULES) - 3


def layers():
    return st.builds(LayerResult, st.booleans(), texts())


def scenarios():
    dimensions = st.sampled_from(
        [
            *("tool_affordance", "clarify_vs_guess", "side_effect_safety", "memory_conflict"),
            *("sampler_sensitivity", "policy_pressure", "multi_turn_drift", "recovery"),
        ]
    )
    names = st.lists(texts().filter(bool), max_size=2)
    return st.builds(
        Scenario,
        name=texts().filter(str.strip),
        prompt=st.just("p"),
        requires_tool_use=st.booleans(),
        must_call=names,
        forbidden_calls=names,
        tags=st.lists(dimensions.map("dim:{}".format) | texts(), max_size=2),
    )


def warnings():
    said = st.sampled_from(
        [
            "mcp_evidence: available",
            "mcp_evidence: unavailable (x)",
            "verdict_bucket:unsafe_executed",
            "verdict_bucket:",
            "replay_prefix: source=x turns=1",
            "apply_chat_template raised",
        ]
    )
    return st.lists(said, max_size=2)


@given(scenarios(), traces(), st.builds(Score, layers(), layers(), layers(), layers()), warnings())
def test_any_run_is_classified_and_nothing_is_changed(scenario, trace, score, more):
    """Whatever an agent sent: a category that there is, a confidence, lines, and a fix."""
    trace.worker_warnings += more
    before = copy.deepcopy((scenario, trace, score))
    said = RuleBasedClassifier().classify(scenario, trace, score)
    assert repr((scenario, trace, score)) == repr(before)
    assert said.category in VALID_CATEGORIES
    assert 0.0 <= said.confidence <= 1.0
    assert all(isinstance(line, str) for line in said.evidence)
    assert not [line for line in said.evidence if "was passed over" in line]
    assert (said.suggested_fix is None) == (said.category == "unknown") == (said.confidence == 0)
    if said.suggested_fix is not None:
        assert said.suggested_fix.fix_vector in FIX_VECTORS
    assert RuleBasedClassifier().classify(scenario, trace, score) == said
