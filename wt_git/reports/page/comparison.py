"""Choosing two labels to compare; page.js fills in what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.reports.page.elements import Markup, element, join, shortened

if TYPE_CHECKING:
    from collections.abc import Sequence


def label_choice(labels: Sequence[str]) -> Markup:
    """Return two selectors, the first two labels chosen; a sentence where there are not two."""
    if len(labels) < 2:  # noqa: PLR2004
        return element("p", "There is only one label: nothing to compare.", class_="nothing")
    return join(
        element(
            "form",
            _selector("compare-a", "From", labels, chosen=0),
            _selector("compare-b", "to", labels, chosen=1),
            element(
                "label",
                element("input", type="checkbox", id="compare-all"),
                " also what is the same",
            ),
            class_="controls needs-script",
            id="compare-form",
        ),
        element("p", id="compare-summary", role="status"),
        element("div", id="compare-result"),
    )


def _selector(identity: str, name: str, labels: Sequence[str], *, chosen: int) -> Markup:
    options = (
        # The number is the value: a label may be any text.
        element("option", shortened(label, 80), value=number, selected=number == chosen)
        for number, label in enumerate(labels)
    )
    return element("label", f"{name} ", element("select", *options, id=identity))
