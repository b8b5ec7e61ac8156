"""How verdicts, severities, rates, money and times look on the page."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeGuard
from urllib.parse import quote

from wt_git.reports.page.elements import Markup, element, join, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping

VERDICTS = {
    "PASS": ("pass", "PASS"),
    "PASS_WITH_VARIANCE": ("variance", "VARIANCE"),
    "FAIL": ("fail", "FAIL"),
    "INVALID": ("invalid", "INVALID"),
}
PASSED = ("PASS", "PASS_WITH_VARIANCE")
SEVERITIES = ("low", "medium", "high", "critical")
_NO_NUMBER = "—"


def verdict_sign(verdict: str) -> Markup:
    """Return the word for `verdict`, with a class that gives it its shape and colour."""
    kind, word = VERDICTS.get(verdict, ("unknown", shortened(verdict, 30)))
    return element("span", word, class_=f"verdict {kind}")


def severity_sign(severity: str) -> Markup:
    """Return the word for `severity`, with a class of the same name."""
    kind = severity if severity in SEVERITIES else "unknown"
    return element("span", shortened(severity, 30), class_=f"severity {kind}")


def percent(rate: object) -> str:
    """Return a rate as a whole percentage; only a rate of 1 is `100%`, and only 0 is `0%`."""
    if not is_number(rate):
        return _NO_NUMBER
    whole = round(rate * 100)
    if whole in {0, 100} and rate * 100 != whole:
        return "<1%" if whole == 0 else ">99%"
    return f"{whole}%"


def interval_text(interval: Mapping[str, Any] | None) -> str:
    """Return an interval of rates as `6-79%`, with a dash; nothing when there is none."""
    if not interval:
        return ""
    low, high = interval.get("low"), interval.get("high")
    if not is_number(low) or not is_number(high):
        return ""
    return f"{round(low * 100)}–{round(high * 100)}%"  # noqa: RUF001 - a range


def interval_picture(rate: object, interval: Mapping[str, Any] | None) -> Markup:
    """Return a line from 0 to 1 that shows the interval and the rate in it; for the eye only."""
    marks = []
    if interval and is_number(interval.get("low")) and is_number(interval.get("high")):
        low, high = interval["low"] * 100, interval["high"] * 100
        marks.append(_bar("range", low, max(high - low, 1.0)))
    if is_number(rate):
        marks.append(_bar("point", min(max(rate * 100 - 1.5, 0.0), 97.0), 3.0))
    return element(
        "svg",
        *marks,
        class_="interval",
        viewBox="0 0 100 6",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def _bar(kind: str, left: float, width: float) -> Markup:
    return element("rect", class_=kind, x=f"{left:.1f}", y="0", width=f"{width:.1f}", height="6")


def rate_picture(rate: object) -> Markup:
    """Return a bar that is as full as `rate` says; for the eye only."""
    full = [_bar("full", 0, rate * 100)] if is_number(rate) else []
    return element(
        "svg",
        *full,
        class_="meter",
        viewBox="0 0 100 6",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def number_text(value: object, digits: int = 2) -> str:
    """Return a number with at most `digits` decimals and groups of thousands."""
    if not is_number(value):
        return _NO_NUMBER
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def dollars(amount: object) -> str:
    """Return an amount with cents, and with more decimals while it is below a dime."""
    if not is_number(amount):
        return _NO_NUMBER
    return f"${amount:,.4f}" if 0 < amount < 0.1 else f"${amount:,.2f}"  # noqa: PLR2004


def duration(seconds: object) -> str:
    """Return seconds as `42.1 s`, `3 min 20 s` or `2 h 5 min`."""
    if not is_number(seconds):
        return _NO_NUMBER
    if seconds < 60:  # noqa: PLR2004 - a minute
        return f"{number_text(seconds, 1)} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if hours else f"{minutes} min {rest} s"


def moment(text: object) -> datetime | None:
    """Return the time that `text` names, in UTC; None when it names none."""
    try:
        found = datetime.fromisoformat(str(text))
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def time_text(text: object) -> Markup:
    """Return a time stamp to the minute; what is none stays as it is."""
    found = moment(text)
    if found is None:
        return join(shortened(str(text or _NO_NUMBER), 40))
    return element("time", f"{found:%Y-%m-%d %H:%M}", datetime=found.isoformat(timespec="seconds"))


def is_number(value: object) -> TypeGuard[int | float]:
    """Say whether `value` is a number; True and False are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def place(**keys: str) -> str:
    """Return the part of an address behind `#` that page.js opens something by."""
    return "#" + "&".join(f"{key}={_quoted(value)}" for key, value in keys.items())


def _quoted(text: str) -> str:
    return quote(text.encode("utf-8", "replace"), safe="")


def row_name(row: Mapping[str, Any]) -> str:
    """Return what a row is called: `name` tells apart two packs that own one scenario."""
    return str(row.get("name") or row["scenario_id"])
