"""How sure a pass rate is, and which experiment it rests on, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wt_git.records.pass_rates import IntervalTotals


def interval_text(of: IntervalTotals) -> str:
    """Return the interval of a pass rate in percent."""
    return f"{of.low * 100:.0f}-{of.high:.0%}"


def experiment_words(tier: str | None, selection: str) -> list[str]:
    """Return of which tier a rate is, as the row says it, and that all saved runs make it up."""
    words = [] if tier is None else [tier]
    if selection == "all_traces":
        return [*words, "all saved runs"]
    return words or ["tier not recorded"]
