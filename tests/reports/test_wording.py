"""The words that a table of results and a report share about a pass rate."""

from __future__ import annotations

import pytest

from wt_git.records.documents.document import IntervalTotals
from wt_git.reports.wording import experiment_parts, interval_text


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(0.0, 1.0, "0-100%"), (0.2065, 1.0, "21-100%"), (0.004, 0.494, "0-49%")],
)
def test_an_interval_is_shown_in_whole_percent(low: float, high: float, shown: str) -> None:
    """From its lower to its upper end."""
    interval = IntervalTotals(low=low, high=high, confidence=0.95, method="wilson")
    assert interval_text(interval) == shown


@pytest.mark.parametrize(
    ("tier", "selection", "words"),
    [
        ("probe", "sweep", ["probe"]),
        ("probe", "all_traces", ["probe", "all saved runs"]),
        (None, "all_traces", ["all saved runs"]),
        (None, "sweep", ["tier not recorded"]),
    ],
)
def test_a_rate_says_which_experiment_it_rests_on(
    tier: str | None, selection: str, words: list[str]
) -> None:
    """Rows of older writers do not know their tier; where no row names runs, all of them count."""
    assert experiment_parts(tier, selection) == words
