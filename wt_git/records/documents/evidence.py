"""The documents of `wt verify --json` and `wt log --json`."""

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

    `judged` is the commit with the tree that the answer is about: another one where the head of a pull
    request is judged for the merge that CI built. `skipped` counts lines of notes by why.
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
    """The whole answer. `policy_from` is the commit with the policy that was applied, null: each its own."""

    windtunnel_verify: int = VERIFICATION_VERSION
    covered: bool
    policy_from: str | None
    commits: list[VerifiedCommit]
    warnings: list[str]


COMMIT_LOG_VERSION = 1


class LoggedRow(Document, frozen=True, kw_only=True):
    """One scenario of one sweep. Costs are null where they are not known.

    `prediction_held` is the sweep's: null without a prediction.
    """

    sweep_id: str
    ts: str
    pack: str | None
    scenario: str
    tier: str
    verdict: str
    passed: int
    runs: int
    wall_s: float | None
    tokens: int | None
    usd: float | None
    expect: str | None
    prediction_held: bool | None


class LoggedCommit(Document, frozen=True, kw_only=True):
    """A commit and the rows recorded on its tree, the earliest first."""

    commit: str
    time: str
    title: str
    covered: bool
    rows: list[LoggedRow]


class CommitLog(Document, frozen=True, kw_only=True):
    """The commits, the newest first. `cut`: some of their history is not in this clone."""

    windtunnel_log: int = COMMIT_LOG_VERSION
    commits: list[LoggedCommit]
    cut: bool
    skipped: int
