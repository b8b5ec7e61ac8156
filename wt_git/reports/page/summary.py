"""The head of the page: what was measured, in figures, and what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.reports.page.elements import Markup, element, join, name_text, shortened
from wt_git.reports.page.signs import (
    VERDICTS,
    number_text,
    percent,
    rate_picture,
    time_text,
    verdict_sign,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LAYERS = ("outcome", "trajectory", "constraint", "integrity")
_LONGEST_REMARK = 1000


def headline(document: Mapping[str, Any]) -> Markup:
    """Return the line below the title: where the runs are, how many, and from when."""
    scenarios, labels = document["scenario_count"], len(document["variants"])
    latest = document.get("latest_run_ts")
    return element(
        "p",
        element("span", name_text(document.get("runs_dir", "")), class_="runs-dir"),
        element(
            "span",
            f"{scenarios:,} scenario{_s(scenarios)} under {labels:,} label{_s(labels)}",
        ),
        element("span", "latest run ", time_text(latest), " UTC") if latest else None,
        class_="headline",
    )


def figures(document: Mapping[str, Any]) -> Markup:
    """Return the rates of the layers, of robustness, and the risk of what failed."""
    summary = document["summary"]
    rates = [(layer.capitalize(), summary.get(f"{layer}_pass_rate")) for layer in _LAYERS]
    rates.append(("Robustness", summary.get("robustness_pass_rate")))
    risk = number_text(summary.get("total_failure_risk"))
    return element(
        "dl",
        *(_figure(name, percent(rate), rate_picture(rate)) for name, rate in rates),
        _figure("Failure risk", risk, element("span", "sum over all cells", class_="unit")),
        class_="figures",
    )


def _figure(name: str, value: str, below: Markup) -> Markup:
    shown = element("dd", element("span", value, class_="value"), below)
    return element("div", element("dt", name), shown)


def verdict_counts(totals: Mapping[str, Any] | None) -> Markup:
    """Return how often each verdict was given; nothing when that is not known."""
    counts = totals or {}
    ordered = [
        *(one for one in VERDICTS if one in counts),
        *(c for c in counts if c not in VERDICTS),
    ]
    given = [(verdict, counts[verdict]) for verdict in ordered if counts[verdict]]
    if not given:
        return Markup()
    items = (
        element("li", verdict_sign(verdict), " ", element("span", f"{count:,}", class_="count"))
        for verdict, count in given
    )
    return element("ul", *items, class_="verdict-counts", aria_label="Cells by verdict")


def remark_list(remarks: Sequence[str]) -> Markup:
    """Return the section on what was left out; nothing when nothing was."""
    if not remarks:
        return Markup()
    items = (element("li", shortened(remark, _LONGEST_REMARK)) for remark in remarks)
    return element(
        "section",
        join(element("h2", "Left out", id="left-out-title"), element("ul", *items)),
        class_="remarks",
        id="left-out",
        aria_labelledby="left-out-title",
    )


def _s(count: int) -> str:
    return "" if count == 1 else "s"
