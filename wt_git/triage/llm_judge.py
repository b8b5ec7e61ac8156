"""Where a classifier that asks a language model belongs; none ships."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wt_git.api.scenario import Scenario
    from wt_git.api.score import Score
    from wt_git.api.trace import Trace
    from wt_git.triage.classifier import FailureClassification


class LLMJudgeClassifier:
    """The place of a `FailureClassifier` that asks a model. It cannot be chosen in `wt triage`.

    An implementation makes `unknown` of a category that there is not, asks at most three times, and
    never raises. docs/triage.md, "Writing a classifier", has an example of the form.
    """

    def classify(self, scenario: Scenario, trace: Trace, score: Score) -> FailureClassification:
        """Raise `NotImplementedError`."""
        raise NotImplementedError(
            "LLMJudgeClassifier is the place of a FailureClassifier that asks a model: implement "
            "classify(scenario, trace, score) -> FailureClassification; none ships"
        )
