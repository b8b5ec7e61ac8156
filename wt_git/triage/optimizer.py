"""The protocol of optimizers, which turn a suggestion into a change. No command runs one.

docs/triage.md, "Writing an optimizer", has the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from wt_git.api.scenario import Scenario
    from wt_git.api.trace import Trace
    from wt_git.triage.classifier import FailureClassification

_GEPA_MESSAGE = (
    "GEPAOptimizer is the place of an Optimizer that evolves prompts by reflection on failures: "
    "implement propose_fix and apply_fix; none ships"
)


@dataclass
class ProposedFix:
    """A change that can be applied.

    It is a `FixSuggestion` with `diff_text`: an instruction in words, or a unified diff.
    """

    fix_vector: str
    target: dict[str, Any]
    rationale: str
    diff_text: str | None = None


@dataclass
class AppliedFix:
    """The result of a proposal: `status` is `applied`, `failed` or `skipped`.

    `proposed_fix_id` identifies the proposal, for example by the hash of its `diff_text`. `applied_to`
    names the changed things.
    """

    proposed_fix_id: str
    status: str
    applied_to: dict[str, Any]
    details: str


@runtime_checkable
class Optimizer(Protocol):
    """An object that fixes an agent after a failure was classified."""

    def propose_fix(
        self, classification: FailureClassification, scenario: Scenario, trace: Trace
    ) -> ProposedFix:
        """Return a change that should make such a run pass; write nothing."""

    def apply_fix(self, proposed: ProposedFix) -> AppliedFix:
        """Write the change. An error becomes the status `failed`, not an exception."""


class GEPAOptimizer:
    """The place of an `Optimizer` that evolves prompts, as GEPA does."""

    def propose_fix(
        self, classification: FailureClassification, scenario: Scenario, trace: Trace
    ) -> ProposedFix:
        """Raise `NotImplementedError`."""
        raise NotImplementedError(_GEPA_MESSAGE)

    def apply_fix(self, proposed: ProposedFix) -> AppliedFix:
        """Raise `NotImplementedError`."""
        raise NotImplementedError(_GEPA_MESSAGE)
