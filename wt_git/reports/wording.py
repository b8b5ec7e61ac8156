"""How reports write metrics, pass rates and Markdown tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.text import log_line, markdown_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from wt_git.records.documents.document import IntervalTotals
    from wt_git.records.documents.results import MetricTotals

VERDICTS = ("PASS", "PASS_WITH_VARIANCE", "FAIL", "INVALID")
PASSED_VERDICTS = VERDICTS[:2]

_VALUE_LIMIT = 60
_PLAIN_BELOW = 1e15


def metric_text(of: MetricTotals) -> str:
    """Return the summary of a metric: a rate, a mean with extremes, or the count of each value."""
    if of.rate is not None:
        return f"{of.rate:.0%} true ({of.true_count}/{of.count})"
    if of.mean is not None and of.min is not None and of.max is not None:
        mean = f"mean {number_text(of.mean)}  min {number_text(of.min)}  max {number_text(of.max)}"
        return f"{mean}  (n={of.count})"
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
    """Return a value that an agent or a tool reported, cut and escaped."""
    return log_line(value, _VALUE_LIMIT)


def interval_text(of: IntervalTotals) -> str:
    """Return the interval of a pass rate in percent."""
    return f"{of.low * 100:.0f}-{of.high:.0%}"


def experiment_parts(tier: str | None, selection: str) -> list[str]:
    """Return the tier of the runs behind a rate, and whether they are all saved runs."""
    words = [] if tier is None else [tier]
    if selection == "all_traces":
        return [*words, "all saved runs"]
    return words or ["tier not recorded"]


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table whose cells are Markdown already."""
    yield markdown_row(heads)
    yield markdown_row(["---"] * len(heads))
    yield from map(markdown_row, rows)


def markdown_row(cells: Sequence[str]) -> str:
    """Return the line of one row."""
    return f"| {' | '.join(cells)} |"


def left_out_list(remarks: Sequence[str]) -> Iterator[str]:
    """Yield a list of `remarks` about contents that were left out; nothing without any."""
    if remarks:
        yield "Left out:"
        yield ""
        yield from (f"- {markdown_text(remark)}" for remark in remarks)
