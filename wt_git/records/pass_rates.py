"""What printed documents say about a pass rate (docs/files.md, "Results")."""

from __future__ import annotations

from typing import Literal

from wt_git.records.documents import Document

Method = Literal["wilson", "newcombe", "agresti-min"]


class IntervalTotals(Document):
    """An interval that holds the true value so often; `method` is named in docs/statistics.md."""

    low: float
    high: float
    confidence: float
    method: Method


class PassHatK(Document):
    """How likely it is that `k` runs all pass, estimated without bias."""

    k: int
    value: float
