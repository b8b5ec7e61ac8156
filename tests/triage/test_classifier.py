"""The types and contracts of triage, and the places that others fill."""

from __future__ import annotations

import dataclasses
import importlib

import pytest
from kit.traces import a_score, a_trace

import wt_git.triage
from wt_git.triage import (
    DEFAULT_FIX_VECTORS,
    FIX_VECTORS,
    VALID_CATEGORIES,
    AppliedFix,
    FailureClassification,
    FailureClassifier,
    FixSuggestion,
    GEPAOptimizer,
    LLMJudgeClassifier,
    Optimizer,
    ProposedFix,
    RuleBasedClassifier,
)

WHERE = {
    "classifier": [
        "VALID_CATEGORIES",
        "FixSuggestion",
        "FailureClassification",
        "FailureClassifier",
    ],
    "rule_based": ["RULES", "RuleFn", "RuleBasedClassifier"],
    "llm_judge": ["LLMJudgeClassifier"],
    "optimizer": ["ProposedFix", "AppliedFix", "Optimizer", "GEPAOptimizer"],
}


@pytest.mark.parametrize(("module", "name"), [(m, n) for m, names in WHERE.items() for n in names])
def test_names_are_where_others_import_them_from(module, name):
    """By submodule, and at the root; under both import names it is one object."""
    ours = getattr(importlib.import_module(f"wt_git.triage.{module}"), name)
    assert getattr(importlib.import_module(f"windtunnel.triage.{module}"), name) is ours
    assert getattr(wt_git.triage, name) is ours
    assert name in wt_git.triage.__all__


def test_the_categories_and_what_helps_first():
    """Eleven, and every one but `unknown` has a fix vector of the vocabulary."""
    assert (
        frozenset(
            {
                *("tool_affordance", "clarification", "policy", "memory", "template_corruption"),
                *("planning", "recovery", "model_capacity", "sampler_variance"),
                *("side_effect_safety_violation", "unknown"),
            }
        )
        == VALID_CATEGORIES
    )
    assert isinstance(VALID_CATEGORIES, frozenset)
    assert set(DEFAULT_FIX_VECTORS) == VALID_CATEGORIES - {"unknown"}
    assert (
        frozenset(
            {
                *("edit_soul_md", "add_policy", "add_memory_rule", "fix_serializer"),
                *("add_recovery_prompt", "route_to_stronger_model", "adjust_sampler"),
                *("edit_tool_description", "other"),
            }
        )
        == FIX_VECTORS
    )


@pytest.mark.parametrize(
    ("made", "fields"),
    [
        (FixSuggestion, ["fix_vector", "target", "rationale", "diff_text"]),
        (FailureClassification, ["category", "confidence", "evidence", "suggested_fix"]),
        (ProposedFix, ["fix_vector", "target", "rationale", "diff_text"]),
        (AppliedFix, ["proposed_fix_id", "status", "applied_to", "details"]),
    ],
)
def test_the_fields_of_the_types_in_order(made, fields):
    """Others build them by position."""
    assert [field.name for field in dataclasses.fields(made)] == fields


def test_only_what_may_be_left_out_has_a_default():
    """A suggestion without its change, a classification without a suggestion."""
    assert FixSuggestion("other", {}, "because").diff_text is None
    assert ProposedFix("other", {}, "because").diff_text is None
    assert FailureClassification("policy", 1.0, []).suggested_fix is None
    with pytest.raises(TypeError):
        AppliedFix("id", "applied", {})


def test_the_contracts_are_checked_by_their_methods():
    """Nothing is subclassed: whoever has the methods is one."""

    class Mine:
        def classify(self, scenario, trace, score):
            return FailureClassification("unknown", 0.0, [])

    for one in (Mine(), RuleBasedClassifier(), LLMJudgeClassifier()):
        assert isinstance(one, FailureClassifier)
    assert isinstance(GEPAOptimizer(), Optimizer)
    assert not isinstance(Mine(), Optimizer)
    assert not isinstance(object(), FailureClassifier)


def test_the_places_of_what_does_not_ship_say_what_belongs_there():
    """A judge names the interface, an optimizer the optimizer."""
    with pytest.raises(NotImplementedError, match=r"FailureClassifier.*classify\("):
        LLMJudgeClassifier().classify(None, a_trace(), a_score())
    with pytest.raises(NotImplementedError, match=r"GEPAOptimizer.*Optimizer"):
        GEPAOptimizer().propose_fix(FailureClassification("policy", 1.0, []), None, a_trace())
    with pytest.raises(NotImplementedError, match=r"GEPAOptimizer.*Optimizer"):
        GEPAOptimizer().apply_fix(ProposedFix("other", {}, ""))
