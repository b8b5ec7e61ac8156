"""The place of a classifier that asks a language model; none ships."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score
    from wt_git.api.trace import Trace
    from wt_git.triage.classifier import FailureClassification


class LLMJudgeClassifier:
    """The place of a `FailureClassifier` that asks a model. It cannot be chosen in `wt triage`.

    An implementation returns `unknown` for an invalid category, asks at most three times, and never
    raises. docs/triage.md, "Writing a classifier", has an example.
    """

    def classify(self, scenario: Scenario, trace: Trace, score: Score) -> FailureClassification:
        """Raise `NotImplementedError`."""
        raise NotImplementedError(
            "LLMJudgeClassifier is the place of a FailureClassifier that asks a model: implement "
            "classify(scenario, trace, score) -> FailureClassification; none ships"
        )
