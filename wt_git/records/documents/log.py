"""The document of `wt log --json`: commits with the experiments on their trees.

See docs/verifying-in-ci.md, "Reading the history".
"""

from __future__ import annotations

from wt_git.records.documents.document import Document

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
    """A commit and what was recorded on its tree, the earliest first."""

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
