"""Cost per tier over time: a strip of bars for each tier, and a table with the same numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git.reports.ladder import TIERS
from wt_git.reports.page.elements import Markup, element, join, name_text, shortened
from wt_git.reports.page.signs import (
    dollars,
    duration,
    is_number,
    moment,
    number_text,
    time_text,
)
from wt_git.reports.page.tables import data_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_MOST_ROWS = 1000
_WIDTH, _HEIGHT = 1000.0, 100.0


@dataclass(frozen=True, slots=True)
class _Measure:
    """What the bars show: a key of a sweep's record, its name, and how its values are written."""

    key: str
    name: str
    text: Callable[[object], str]


_COST = _Measure("cost_usd", "cost", dollars)
_TIME = _Measure("wall_s", "wall-clock time", duration)


def cost_history(history: Sequence[Mapping[str, Any]]) -> Markup:
    """Return the chart and the table of all sweeps, in the order of time they are given in.

    Bars show money where any sweep was priced, and wall-clock time otherwise.
    """
    if not history:
        return element("p", "No finished sweep is recorded here.", class_="nothing")
    measure = _COST if any(is_number(one.get("cost_usd")) for one in history) else _TIME
    return join(_introduction(history, measure), _chart(history, measure), _table(history))


def _introduction(history: Sequence[Mapping[str, Any]], measure: _Measure) -> Markup:
    missing = sum(not is_number(one.get(measure.key)) for one in history)
    if measure is _TIME:
        return element(
            "p",
            "No sweep has a price, so the bars show how long each one took; each tier has a scale of its own.",
            class_="facts",
        )
    sentence = (
        f"{missing:,} of {len(history):,} sweeps have no price and no bar." if missing else None
    )
    return element(
        "p", "Each bar is a sweep; each tier has a scale of its own. ", sentence, class_="facts"
    )


def _chart(history: Sequence[Mapping[str, Any]], measure: _Measure) -> Markup:
    times = [found.timestamp() for one in history if (found := moment(_ended(one)))]
    if not times:
        return Markup()
    span = (min(times), max(times))
    tiers = {str(one.get("tier")): None for one in history}
    ordered = [tier for tier in TIERS if tier in tiers] + [t for t in tiers if t not in TIERS]
    strips = [_strip(tier, history, measure, span) for tier in ordered]
    return element(
        "div",
        *strips,
        element(
            "div",
            time_text(_earliest(history)),
            time_text(_latest(history)),
            class_="axis",
            aria_hidden="true",
        ),
        class_="strips",
    )


def _ended(sweep: Mapping[str, Any]) -> object:
    return sweep.get("ended_at") or sweep.get("started_at")


def _earliest(history: Sequence[Mapping[str, Any]]) -> object:
    return next(_ended(one) for one in history if moment(_ended(one)))


def _latest(history: Sequence[Mapping[str, Any]]) -> object:
    return next(_ended(one) for one in reversed(history) if moment(_ended(one)))


def _strip(
    tier: str, history: Sequence[Mapping[str, Any]], measure: _Measure, span: tuple[float, float]
) -> Markup:
    sweeps = [one for one in history if str(one.get("tier")) == tier]
    values = [value for one in sweeps if is_number(value := one.get(measure.key))]
    most = max(values, default=0)
    picture = element(
        "svg",
        *_bars(sweeps, measure, span, most),
        class_=f"bars tier-{tier}" if tier in TIERS else "bars",
        viewBox=f"0 0 {_WIDTH:g} {_HEIGHT:g}",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"{measure.name} of each {shortened(tier, 30)} sweep over time, "
        f"at most {measure.text(most)}; the table below has the numbers",
    )
    count = f"{len(sweeps):,} sweep{'' if len(sweeps) == 1 else 's'}"
    return element(
        "div",
        element(
            "p",
            element("strong", name_text(tier, 30)),
            element("span", count),
            element("span", measure.text(sum(values)) if values else "no price", " in all"),
            class_="strip-name",
        ),
        element("div", element("span", measure.text(most), class_="most"), picture, class_="plot"),
        class_="strip",
    )


def _bars(
    sweeps: Sequence[Mapping[str, Any]], measure: _Measure, span: tuple[float, float], most: float
) -> list[Markup]:
    """Return one upright line for each sweep that has a value: where by its time, as high as it."""
    first, last = span
    bars = []
    for one in sweeps:
        value, found = one.get(measure.key), moment(_ended(one))
        if not is_number(value) or found is None:
            continue
        share = (found.timestamp() - first) / (last - first) if last > first else 0.5
        x = f"{10 + share * (_WIDTH - 20):.1f}"
        top = f"{_HEIGHT - _HEIGHT * (value / most if most else 0):.1f}"
        bars.append(element("line", x1=x, x2=x, y1=f"{_HEIGHT:g}", y2=top))
    return bars


def _table(history: Sequence[Mapping[str, Any]]) -> Markup:
    heads = (
        "Ended (UTC)",
        "Tier",
        "Label",
        "Cost",
        "Took",
        "Tokens in / out",
        "Outcome",
        "Prediction",
    )
    newest = list(reversed(history))[:_MOST_ROWS]
    left = len(history) - len(newest)
    cut = f" (the newest {len(newest):,} of {len(history):,})" if left else f" ({len(history):,})"
    table = data_table("Table of every sweep, the newest first", heads, map(_row, newest))
    return element("details", element("summary", "The same as a table", cut), table)


def _row(one: Mapping[str, Any]) -> Markup:
    tokens = (
        f"{number_text(one.get('input_tokens'), 0)} / {number_text(one.get('output_tokens'), 0)}"
    )
    return element(
        "tr",
        element("th", time_text(_ended(one)), scope="row"),
        element("td", name_text(str(one.get("tier")), 30)),
        element("td", name_text(one.get("label") or "—", 80)),
        element("td", dollars(one.get("cost_usd")), class_="number"),
        element("td", duration(one.get("wall_s")), class_="number"),
        element("td", tokens, class_="number"),
        element("td", shortened(str(one.get("outcome") or "—"), 80)),
        element("td", _held(one.get("prediction_held"))),
    )


def _held(held: object) -> str:
    if held is None:
        return "none made"
    return "held" if held is True else "did not hold"
