"""What all cells of a report come to. Pure."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from wt_git.api.score import SCORE_LAYER_ORDER
from wt_git.records.report import ReportSummary
from wt_git.reports.report.cells import robustness

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wt_git.reports.report.scored_groups import ScoredGroup

VERDICTS = ("PASS", "PASS_WITH_VARIANCE", "FAIL", "INVALID")


def summary(cells: Sequence[ScoredGroup]) -> ReportSummary:
    """Return the means over `cells`; robustness over those where a disturbance happened."""
    means = {
        name: _mean([getattr(scored.rates, name) for scored in cells]) for name in SCORE_LAYER_ORDER
    }
    held = [rate for scored in cells if (rate := robustness(scored).pass_rate) is not None]
    return ReportSummary(
        outcome_pass_rate=means["outcome"],
        trajectory_pass_rate=means["trajectory"],
        constraint_pass_rate=means["constraint"],
        integrity_pass_rate=means["integrity"],
        robustness_pass_rate=_mean(held) if held else None,
        total_failure_risk=sum(scored.failure_risk for scored in cells),
    )


def verdict_totals(verdicts: Iterable[str]) -> dict[str, int]:
    """Return how many cells have each verdict; what newer writers say comes after the known ones."""
    counts = Counter(verdicts)
    known = {verdict: counts.pop(verdict, 0) for verdict in VERDICTS}
    return known | dict(sorted(counts.items()))


def _mean(rates: Sequence[float]) -> float:
    return sum(rates) / len(rates) if rates else 0.0
