"""The document of `wt verify --json`: which commits are covered, by which rows, or why not.

See docs/verifying-in-ci.md, "Output".
"""

from __future__ import annotations

from wt_git.records.documents.document import Document

VERIFICATION_VERSION = 1


class VerifiedRow(Document, frozen=True, kw_only=True):
    """A row of a note, as far as an answer names it."""

    sweep_id: str
    ts: str
    scenario: str
    pack: str | None
    tier: str
    verdict: str
    passed: int
    runs: int


class VerifiedSubject(Document, frozen=True, kw_only=True):
    """Who was asked; null: not known."""

    target: str | None
    model: str | None
    plugin: str | None


class VerifiedReason(Document, frozen=True, kw_only=True):
    """Why a commit is not covered. `code` is stable, `facts` are names, `hints` are commands."""

    code: str
    message: str
    facts: list[str]
    hints: list[str]


class NearestEvidence(Document, frozen=True, kw_only=True):
    """The closest evidence and the files that make it stale."""

    tree: str
    commit: str | None
    sweep_id: str
    files: list[str]


class VerifiedCommit(Document, frozen=True, kw_only=True):
    """One commit that was asked about, by the name it was asked by.

    `judged` is the commit whose tree the answer is about: another one where the head of a pull
    request stands in for the merge that CI built. `skipped` counts lines of notes by why.
    """

    revision: str
    commit: str
    title: str
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
    remarks: list[str]


class Verification(Document, frozen=True, kw_only=True):
    """The whole answer. `policy_from` is the commit whose policy judged, null: each its own."""

    windtunnel_verify: int = VERIFICATION_VERSION
    covered: bool
    policy_from: str | None
    commits: list[VerifiedCommit]
    warnings: list[str]
