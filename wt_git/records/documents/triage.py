"""The document of `wt triage --json` (docs/files.md, "Triage")."""

from __future__ import annotations

from typing import Any

from wt_git.records.documents.document import Document

TRIAGE_VERSION = 1


class TriageTotals(Document, frozen=True, kw_only=True):
    """How many runs there were of each kind; those that were `skipped` could not be judged."""

    failed: int
    passed: int
    invalid: int
    skipped: int


class TriageFix(Document, frozen=True, kw_only=True):
    """A change that may help: its kind, its target, the reason, and the change itself where it is known."""

    fix_vector: str
    target: dict[str, Any]
    rationale: str
    diff_text: str | None


class TriagedRun(Document, frozen=True, kw_only=True):
    """A failed run: its place, and the answer of the classifier."""

    scenario_id: str
    label: str
    run_id: str
    path: str
    confidence: float
    evidence: list[str]
    suggested_fix: TriageFix | None


class TriageCategory(Document, frozen=True, kw_only=True):
    """The runs of one category, in the order in which they are stored; the first fix among them."""

    category: str
    runs: int
    suggested_fix: TriageFix | None
    failures: list[TriagedRun]


class TriageReport(Document, frozen=True, kw_only=True):
    """All failed runs by category: most failures first, `unknown` last."""

    windtunnel_triage: int = TRIAGE_VERSION
    runs_dir: str
    classifier: str
    totals: TriageTotals
    categories: list[TriageCategory]
