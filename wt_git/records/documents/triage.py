"""The document of `wt triage --json` (docs/files.md, "Triage")."""

from __future__ import annotations

from wt_git.records.documents.document import Document, Facts, Text

TRIAGE_VERSION = 1


class TriageTotals(Document):
    """How many runs there were of each kind; those that were `skipped` could not be judged."""

    failed: int
    passed: int
    invalid: int
    skipped: int


class TriageFix(Document):
    """A change that may help: which kind, to what, why, and the change itself where it is known."""

    fix_vector: Text
    target: Facts
    rationale: Text
    diff_text: Text | None


class TriagedRun(Document):
    """A failed run: where it is, and what the classifier says of it."""

    scenario_id: Text
    label: Text
    run_id: Text
    path: Text
    confidence: float
    evidence: list[Text]
    suggested_fix: TriageFix | None


class TriageCategory(Document):
    """The runs of one category, in the order in which they are stored; the first fix among them."""

    category: Text
    runs: int
    suggested_fix: TriageFix | None
    failures: list[TriagedRun]


class TriageReport(Document):
    """All failed runs by category: most failures first, `unknown` last."""

    windtunnel_triage: int = TRIAGE_VERSION
    runs_dir: Text
    classifier: Text
    totals: TriageTotals
    categories: list[TriageCategory]
