"""Metrics for people: a summary on one line, numbers rounded, values cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.text import log_line

if TYPE_CHECKING:
    from wt_git.records.results import MetricTotals

_VALUE_LIMIT = 60
_PLAIN_BELOW = 1e15


def metric_text(of: MetricTotals) -> str:
    """Return a metric's summary: a rate, mean with extremes, or how often each value came."""
    if of.rate is not None:
        return f"{of.rate:.0%} true ({of.true_count}/{of.count})"
    if of.mean is not None and of.min is not None and of.max is not None:
        told = f"mean {number_text(of.mean)}  min {number_text(of.min)}  max {number_text(of.max)}"
        return f"{told}  (n={of.count})"
    counts = (of.counts or {}).items()
    values = ", ".join(f"{value_text(value)}={count}" for value, count in counts)
    return f"{'mixed: ' if of.kind == 'mixed' else ''}{values}  (n={of.count})"


def number_text(value: float) -> str:
    """Return whole numbers as they are, others with four significant digits."""
    if isinstance(value, int):
        return value_text(str(value))
    if value.is_integer() and abs(value) < _PLAIN_BELOW:
        return str(int(value))
    return f"{value:.4g}"


def value_text(value: str) -> str:
    """Return a value that an agent or a tool reported, cut and inert."""
    return log_line(value, _VALUE_LIMIT)
