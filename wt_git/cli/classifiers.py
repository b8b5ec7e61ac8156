"""Which classifiers there are, by the name that `--classifier` takes; found by name."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from wt_git.reports.triage import Classify

RULE_BASED = "rule_based"

CLASSIFIERS = {RULE_BASED: ("wt_git.triage.rule_based", "RuleBasedClassifier")}
"""Module and class of each."""


def classify_with(name: str) -> Classify:
    """Return the method of the classifier called `name`, which is in `CLASSIFIERS`."""
    module, made = CLASSIFIERS[name]
    return cast("Classify", getattr(importlib.import_module(module), made)().classify)
