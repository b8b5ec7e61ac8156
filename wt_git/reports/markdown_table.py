"""A table of Markdown for a comment on a pull request."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table whose cells are Markdown already."""
    yield row(heads)
    yield row(["---"] * len(heads))
    yield from map(row, rows)


def row(cells: Sequence[str]) -> str:
    """Return the line of one row; `table` has the heads that stand before the first."""
    return f"| {' | '.join(cells)} |"
