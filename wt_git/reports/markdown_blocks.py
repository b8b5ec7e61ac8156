"""The tables and lists that our Markdown is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.text import markdown_text

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


def left_out(told: Sequence[str]) -> Iterator[str]:
    """Yield a list of sentences about what a comment does not say; nothing where there are none."""
    if told:
        yield "Left out:"
        yield ""
        yield from (f"- {markdown_text(one)}" for one in told)
