"""Classifying failures: the types, the protocols, the rules, and places for other classifiers."""

from wt_git.triage.classifier import (
    DEFAULT_FIX_VECTORS,
    FIX_VECTORS,
    VALID_CATEGORIES,
    FailureClassification,
    FailureClassifier,
    FixSuggestion,
)
from wt_git.triage.llm_judge import LLMJudgeClassifier
from wt_git.triage.optimizer import AppliedFix, GEPAOptimizer, Optimizer, ProposedFix
from wt_git.triage.rule_based import RULES, RuleBasedClassifier, RuleFn

__all__ = [
    "DEFAULT_FIX_VECTORS",
    "FIX_VECTORS",
    "RULES",
    "VALID_CATEGORIES",
    "AppliedFix",
    "FailureClassification",
    "FailureClassifier",
    "FixSuggestion",
    "GEPAOptimizer",
    "LLMJudgeClassifier",
    "Optimizer",
    "ProposedFix",
    "RuleBasedClassifier",
    "RuleFn",
]
