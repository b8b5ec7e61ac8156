"""The filters of the page's templates, and the escaping of every text.

A text is shown with its tags, its quotes and its invisible characters. Only `Markup` is written without
escaping.
"""

from __future__ import annotations

import itertools
import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard
from urllib.parse import quote

from markupsafe import Markup, escape

from wt_git import text as formatting

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Characters that a reader cannot see, or that change the direction of the rest: controls except tab
# and line feed, bidirectional marks, zero-width and tag characters, halves of surrogate pairs.
# script/elements.js has the same list.
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]+"
)
_WORD_ENDS = re.compile(r"(?<=[_/.:])(?=[^_/.:])")
_BREAK = Markup("<wbr>")
_NO_NUMBER = "—"

Mark: TypeAlias = tuple[str, str, str]
"""A rectangle in a picture: its class, and where it begins and how wide it is."""

VERDICTS = {
    "PASS": ("pass", "PASS"),
    "PASS_WITH_VARIANCE": ("variance", "VARIANCE"),
    "FAIL": ("fail", "FAIL"),
    "INVALID": ("invalid", "INVALID"),
}
SEVERITIES = ("low", "medium", "high", "critical")


def visible(value: object) -> Markup | str:
    """Return a value as the page shows it: escaped, unseen characters by their numbers.

    The environment calls this for every value of a template. None is empty.
    """
    if isinstance(value, Markup):
        return value
    if value is None:
        return ""
    text = str(value)
    if text.isascii() and text.isprintable():
        return escape(text)
    text = text.replace("\r\n", "\n")
    parts: list[Markup] = []
    end = 0
    for found in UNSEEN.finditer(text):
        marked = Markup('<span class="unseen">{}</span>').format(_code_points(found.group()))
        parts += (escape(text[end : found.start()]), marked)
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])


def in_attribute(text: str) -> Markup:
    """Return a text for the value of an attribute, where no element can stand."""
    return escape(UNSEEN.sub(lambda found: _code_points(found.group()), text))


def _code_points(unseen: str) -> str:
    """Return the numbers of characters; of one that is repeated, how often."""
    counted = ((one, len(list(same))) for one, same in itertools.groupby(unseen))
    return " ".join(
        f"U+{ord(one):04X}{f'×{count}' if count > 1 else ''}"  # noqa: RUF001 - a count
        for one, count in counted
    )


@lru_cache(maxsize=1024)
def name(text: str, most: int = 200) -> Markup:
    """Return a name that a user chose, cut at `most` characters, in its own direction.

    A long one may break behind its words, which a browser does not do in `snake_case` by itself.
    """
    words = map(visible, _WORD_ENDS.split(shortened(text, most)))
    return Markup("<bdi>") + _BREAK.join(words) + Markup("</bdi>")


def shortened(text: object, most: int) -> str:
    """Return `text` with at most `most` characters, saying how long it was."""
    whole = str(text)
    if len(whole) <= most:
        return whole
    return f"{whole[:most]} … ({len(whole):,} characters)"


def verdict_style(verdict: str) -> tuple[str, str]:
    """Return the class of a verdict, which gives it its shape and colour, and its word."""
    return VERDICTS.get(verdict, ("unknown", shortened(verdict, 30)))


def interval(of: Mapping[str, Any] | None) -> str:
    """Return an interval of rates as `6-79%`, with a dash; nothing when there is none."""
    low, high = (of or {}).get("low"), (of or {}).get("high")
    if not is_number(low) or not is_number(high):
        return ""
    return f"{round(low * 100)}–{round(high * 100)}%"  # noqa: RUF001 - a range


def interval_marks(of: Mapping[str, Any] | None, rate: object) -> list[Mark]:
    """Return the marks of an interval, and of the rate in it, on a line of length 100."""
    marks = []
    if of and interval(of):
        low, high = of["low"] * 100, of["high"] * 100
        marks.append(_mark("range", low, max(high - low, 1.0)))
    if is_number(rate):
        marks.append(_mark("point", min(max(rate * 100 - 1.5, 0.0), 97.0), 3.0))
    return marks


def rate_marks(rate: object) -> list[Mark]:
    """Return the mark of a bar that is as full as the rate."""
    return [_mark("full", 0, rate * 100)] if is_number(rate) else []


def _mark(kind: str, left: float, width: float) -> Mark:
    return kind, f"{left:.1f}", f"{width:.1f}"


def moment(text: object) -> datetime | None:
    """Return the time that `text` names, in UTC; None when it names none."""
    try:
        found = datetime.fromisoformat(str(text))
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def time(text: object) -> Markup | str:
    """Return a time stamp to the minute; a text that is no time stays as it is."""
    found = moment(text)
    if found is None:
        return shortened(text or _NO_NUMBER, 40)
    stamp = found.isoformat(timespec="seconds")
    return Markup('<time datetime="{}">{:%Y-%m-%d %H:%M}</time>').format(stamp, found)


def is_number(value: object) -> TypeGuard[int | float]:
    """Say whether `value` is a number; True and False are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def place(**keys: str) -> str:
    """Return the part of an address behind `#` by which the script opens a run or a cell."""
    return "#" + "&".join(
        f"{key}={quote(value.encode('utf-8', 'replace'), safe='')}" for key, value in keys.items()
    )


def row_name(row: Mapping[str, Any]) -> str:
    """Return the name of a row, which tells apart two packs that own one scenario."""
    return str(row.get("name") or row["scenario_id"])


def _number_or_dash(write: Callable[..., str]) -> Callable[..., str]:
    """Return `write` for values that others made, which may hold a text where a number belongs."""
    return lambda value, *rest: write(value, *rest) if is_number(value) else _NO_NUMBER


percent = _number_or_dash(formatting.percent)
decimal = _number_or_dash(formatting.decimal)
dollars = _number_or_dash(formatting.dollars)
duration = _number_or_dash(formatting.duration)

FILTERS: dict[str, Callable[..., Any]] = {
    "decimal": decimal,
    "dollars": dollars,
    "duration": duration,
    "in_attribute": in_attribute,
    "interval": interval,
    "interval_marks": interval_marks,
    "name": name,
    "percent": percent,
    "rate_marks": rate_marks,
    "row_name": row_name,
    "shortened": shortened,
    "time": time,
    "verdict_style": verdict_style,
}
