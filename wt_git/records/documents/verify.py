"""The document of `wt verify --json`: which commits are covered, by which rows, or why not.

See docs/verifying-in-ci.md, "Output".
"""

from __future__ import annotations

from wt_git.records.documents.document import Document, Text

VERIFICATION_VERSION = 1


class VerifiedRow(Document):
    """A row of a note, as far as an answer names it."""

    sweep_id: str
    ts: Text
    scenario: Text
    pack: Text | None
    tier: Text
    verdict: Text
    passed: int
    runs: int


class VerifiedSubject(Document):
    """Who was asked; null: not known."""

    target: Text | None
    model: Text | None
    plugin: Text | None


class VerifiedReason(Document):
    """Why a commit is not covered. `code` is stable, `facts` are names, `hints` are commands."""

    code: str
    message: Text
    facts: list[Text]
    hints: list[Text]


class NearestEvidence(Document):
    """The closest evidence and the files that make it stale."""

    tree: str
    commit: str | None
    sweep_id: str
    files: list[Text]


class VerifiedCommit(Document):
    """One commit that was asked about, by the name it was asked by.

    `judged` is the commit whose tree the answer is about: another one where the head of a pull
    request stands in for the merge that CI built. `skipped` counts lines of notes by why.
    """

    revision: Text
    commit: str
    title: Text
    judged: str
    tree: str
    covered: bool
    thinned: bool
    rows: list[VerifiedRow]
    failing_rows: list[VerifiedRow]
    subjects: list[VerifiedSubject]
    reasons: list[VerifiedReason]
    nearest: NearestEvidence | None
    skipped: dict[str, int]
    remarks: list[Text]


class Verification(Document):
    """The whole answer. `policy_from` is the commit whose policy judged, null: each its own."""

    windtunnel_verify: int = VERIFICATION_VERSION
    covered: bool
    policy_from: str | None
    commits: list[VerifiedCommit]
    warnings: list[Text]
