"""Tables that scroll within the page, by keyboard too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.reports.page.elements import Markup, element

if TYPE_CHECKING:
    from collections.abc import Iterable


def data_table(caption: str, heads: Iterable[str], rows: Iterable[Markup]) -> Markup:
    """Return a table of `rows`, which are whole `tr` elements; `caption` says what it holds."""
    table = element(
        "table",
        element("caption", caption, class_="visually-hidden"),
        element("thead", element("tr", *(element("th", head, scope="col") for head in heads))),
        element("tbody", *rows),
    )
    return scrolling(table, caption)


def scrolling(table: Markup, name: str, class_: str = "frame") -> Markup:
    """Return `table` in a frame that takes the keyboard, so that arrows can scroll it."""
    return element("div", table, class_=class_, tabindex="0", role="region", aria_label=name)
