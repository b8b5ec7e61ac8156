"""pass^k: how likely an agent passes a scenario k times in a row."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wt_git.stats.samples import Sample

MOST_SHOWN = 3


def shown_k(runs: int) -> int:
    """Return the k that is shown for `runs` runs: 3, or the number of runs where there are fewer.

    One k for all makes scenarios comparable, and with k below the number of runs more values than
    0 and 1 can come out.
    """
    return min(runs, MOST_SHOWN)


def pass_hat_k(sample: Sample, k: int) -> float:
    """Return the unbiased estimate of the probability that `k` runs all pass.

    It is the share of all choices of `k` of the runs, of which there must be as many, that hold
    only runs that passed. A power of the pass rate would be too high on average.
    """
    return comb(sample.passed, k) / comb(sample.runs, k)
