"""Predictions per tier: how often what was expected came, and what finding out cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git.reports.page.elements import Markup, element, name_text
from wt_git.reports.page.signs import dollars, duration, percent, rate_picture
from wt_git.reports.page.tables import data_table

if TYPE_CHECKING:
    from collections.abc import Mapping

_HEADS = ("Tier", "Sweeps", "Predictions held", "Changed a decision", "Took", "Cost")


def prediction_table(tiers: Mapping[str, Any] | None) -> Markup:
    """Return the ladder's totals by tier, the predictions first."""
    if not tiers:
        return element("p", "No finished sweep is recorded here.", class_="nothing")
    rows = (_row(tier, totals) for tier, totals in tiers.items())
    return data_table("Table of predictions and their cost by tier", _HEADS, rows)


def _row(tier: str, totals: Mapping[str, Any]) -> Markup:
    made, held = totals.get("predictions", 0), totals.get("predictions_held", 0)
    reviewed, changed = totals.get("reviewed", 0), totals.get("changed_decision", 0)
    rate = held / made if made else None
    told = f"{held} of {made} ({percent(rate)})" if made else "none made"
    return element(
        "tr",
        element("th", name_text(tier, 30), scope="row"),
        element("td", f"{totals.get('sweeps', 0):,}", class_="number"),
        element("td", rate_picture(rate) if made else None, told, class_="estimate"),
        element("td", f"{changed} of {reviewed} reviews" if reviewed else "none reviewed"),
        element("td", duration(totals.get("wall_s")), class_="number"),
        element("td", dollars(totals.get("cost_usd")), class_="number"),
    )
