"""What failed, worst risk first, and what sometimes passed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.reports.page.elements import Markup, element, join, name_text, shortened
from wt_git.reports.page.signs import (
    interval_picture,
    interval_text,
    is_number,
    number_text,
    percent,
    place,
    row_name,
    severity_sign,
    verdict_sign,
)
from wt_git.reports.page.tables import data_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_AT_FIRST = 25
_LONGEST_DETAIL = 400


def failure_list(failures: Sequence[Mapping[str, Any]]) -> Markup:
    """Return the failures in the order they are given, which is by risk."""
    if not failures:
        return element("p", "Nothing failed.", class_="nothing")
    most = max((one["failure_risk"] for one in failures), default=0) or 1
    return _with_rest([_failure(one, most) for one in failures], "failures")


def _failure(failure: Mapping[str, Any], most: float) -> Markup:
    scenario, label = row_name(failure), failure["label"]
    run = failure.get("run_id")
    where = place(run=run) if run else place(scenario=scenario, label=label)
    title = element(
        "p",
        verdict_sign(failure["verdict"]),
        " ",
        element("a", name_text(scenario), href=where),
        element("span", " under ", name_text(label), class_="under"),
        " ",
        severity_sign(failure.get("severity") or "low"),
        class_="failure-title",
    )
    runs, passed = failure.get("runs", 0), failure.get("passed", 0)
    layers = ", ".join(failure.get("decided_by") or ())
    facts = join(f"{passed} of {runs} runs passed", f" · decided by {layers}" if layers else None)
    detail = failure.get("detail")
    return element(
        "li",
        element("div", _risk(failure["failure_risk"], most), class_="risk"),
        element(
            "div",
            title,
            element("p", facts, class_="facts"),
            element("p", shortened(detail, _LONGEST_DETAIL), class_="detail", dir="auto")
            if detail
            else None,
        ),
    )


def _risk(risk: object, most: float) -> Markup:
    full = 100 * risk / most if is_number(risk) else 0
    bar = element("rect", class_="full", x="0", y="0", width=f"{full:.1f}", height="6")
    return join(
        element("span", "risk ", class_="visually-hidden"),
        element("span", number_text(risk), class_="value"),
        element(
            "svg",
            bar,
            class_="meter",
            viewBox="0 0 100 6",
            preserveAspectRatio="none",
            aria_hidden="true",
        ),
    )


def _with_rest(items: list[Markup], what: str) -> Markup:
    """Return a numbered list whose end waits behind a click when there is much of it."""
    first = element("ol", *items[:_AT_FIRST], class_="failures")
    rest = items[_AT_FIRST:]
    if not rest:
        return first
    more = element("ol", *rest, class_="failures", start=_AT_FIRST + 1)
    return join(first, element("details", element("summary", f"{len(rest):,} more {what}"), more))


def flaky_table(flaky: Sequence[Mapping[str, Any]]) -> Markup:
    """Return the scenarios that sometimes pass, with the interval of their pass rate."""
    if not flaky:
        return element("p", "No scenario passed only some of its valid runs.", class_="nothing")
    heads = ("Scenario", "Label", "Passed", "Pass rate", "95% interval")
    caption = "Table of scenarios that passed some runs and failed others"
    return data_table(caption, heads, map(_flaky_row, flaky))


def _flaky_row(one: Mapping[str, Any]) -> Markup:
    scenario, label, rate = row_name(one), one["label"], one.get("pass_rate")
    interval = one.get("interval")
    link = element("a", name_text(scenario), href=place(scenario=scenario, label=label))
    return element(
        "tr",
        element("th", link, scope="row"),
        element("td", name_text(label)),
        element("td", f"{one['passed']}/{one['runs']}", class_="number"),
        element("td", percent(rate), class_="number"),
        element("td", interval_picture(rate, interval), interval_text(interval), class_="estimate"),
    )
