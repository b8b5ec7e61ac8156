"""The document of `wt results --ladder --json` (docs/files.md, "Results")."""

from __future__ import annotations

from wt_git.records.documents.document import Document

LADDER_RESULTS_VERSION = 1


class TierTotals(Document, frozen=True, kw_only=True):
    """What the finished sweeps of a tier cost and were worth.

    A sum is null where no sweep reported what it adds up; the counts beside it say how many did.
    """

    sweeps: int
    wall_s: float
    input_tokens: int | None
    output_tokens: int | None
    tokens_reported: int
    cached_tokens: int | None
    cached_reported: int
    predictions: int
    predictions_held: int
    reviewed: int
    changed_decision: int
    cost_usd: float | None
    priced_sweeps: int
    tokens_unknown_sweeps: int
    uncached_input_usd: float | None
    cache_read_usd: float | None
    output_usd: float | None
    time_usd: float | None
    cache_fail_sweeps: int
    cache_unknown_sweeps: int


class LadderResults(Document, frozen=True, kw_only=True):
    """The tiers that have sweeps, the smallest first. `cumulative_cost_usd`: null without prices."""

    windtunnel_ladder_results: int = LADDER_RESULTS_VERSION
    runs_dir: str
    tiers: dict[str, TierTotals]
    cumulative_cost_usd: float | None
