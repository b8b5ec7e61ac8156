"""The values that the page's templates show: filters, the verdict matrix, and the cost chart."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard
from urllib.parse import quote

from markupsafe import Markup, escape

from wt_git import text as plain_text
from wt_git.reports.ladder import TIERS
from wt_git.reports.wording import PASSED_VERDICTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

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


percent = _number_or_dash(plain_text.percent)
decimal = _number_or_dash(plain_text.decimal)
dollars = _number_or_dash(plain_text.dollars)
duration = _number_or_dash(plain_text.duration)

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


class VerdictMatrix:
    """The rows, each made when it is reached; then how many cells of each label passed."""

    def __init__(self, labels: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
        self.labels = labels
        self._rows = rows
        self._passed: Counter[str] = Counter()
        self._cells: Counter[str] = Counter()

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield the rows, counting their cells."""
        for row in self._rows:
            cells = row["cells"]
            self._cells.update(cells.keys())
            self._passed.update(
                label for label in cells if cells[label]["verdict"] in PASSED_VERDICTS
            )
            yield row

    def passed(self, label: str) -> str:
        """Return how many of the cells of `label` passed, of those that were run."""
        return f"{self._passed[label]}/{self._cells[label]}"


def worst_severity(cells: Mapping[str, Any]) -> str | None:
    """Return the gravest severity of a row that is worth a mark: a low one is not."""
    given = {(cell.get("failure_cost") or {}).get("severity") for cell in cells.values()}
    known = [severity for severity in SEVERITIES[1:] if severity in given]
    return known[-1] if known else None


def is_clean(cells: Mapping[str, Any]) -> bool:
    """Say whether every cell of a row passed without variance."""
    return all(cell["verdict"] == "PASS" for cell in cells.values())


def notes(cell: Mapping[str, Any]) -> Iterator[str]:
    """Yield words that a reader must know before comparing this cell with another."""
    if cell.get("tier") == "probe":
        yield "probe"
    if cell.get("rescored"):
        yield "rescored"
    if cell.get("invalid"):
        yield f"{cell['invalid']} invalid"
    if cell.get("data") and cell["data"]["runs"] < cell["data"]["of"]:
        yield f"{cell['data']['runs']} of {cell['data']['of']} runs are data"


MOST_ROWS = 1000
_WIDTH, _HEIGHT = 1000.0, 100.0


@dataclass(frozen=True, slots=True)
class Measure:
    """The number that bars show: its key in the record of a sweep, its name, and how it is written."""

    key: str
    name: str
    text: Callable[[object], str]


_COST = Measure("cost_usd", "cost", dollars)
_TIME = Measure("wall_s", "wall-clock time", duration)


@dataclass(frozen=True, slots=True)
class Bar:
    """An upright line: the place of its sweep's end from left to right, and its upper end."""

    x: str
    top: str


@dataclass(frozen=True, slots=True)
class Strip:
    """The sweeps of one tier. `most` and `total` are in words; each tier has a scale of its own."""

    tier: str
    sweeps: int
    most: str
    total: str | None
    bars: Sequence[Bar]

    @property
    def is_known(self) -> bool:
        """Whether the tier is one of the ladder's, which have colours of their own."""
        return self.tier in TIERS


class CostChart:
    """The sweeps that are given in order of time; bars show money where any sweep has a price."""

    def __init__(self, history: Sequence[Mapping[str, Any]]) -> None:
        self.sweeps = len(history)
        self._history = history
        self.measure = _COST if any(is_number(one.get("cost_usd")) for one in history) else _TIME
        self.is_priced = self.measure is _COST
        self.without_bar = sum(not is_number(one.get(self.measure.key)) for one in history)
        self._times = [found for one in history if (found := moment(ended(one)))]

    @property
    def times(self) -> tuple[datetime, datetime] | None:
        """The first and the last end of a sweep; None where no sweep has a time."""
        return (self._times[0], self._times[-1]) if self._times else None

    @property
    def newest(self) -> Sequence[Mapping[str, Any]]:
        """The sweeps that the table lists, the newest first."""
        return self._history[: -MOST_ROWS - 1 : -1]

    def strips(self) -> Iterator[Strip]:
        """Yield the strip of each tier, in the order of the ladder."""
        tiers = dict.fromkeys(str(one.get("tier")) for one in self._history)
        for tier in [
            *(one for one in TIERS if one in tiers),
            *(t for t in tiers if t not in TIERS),
        ]:
            sweeps = [one for one in self._history if str(one.get("tier")) == tier]
            values = [value for one in sweeps if is_number(value := one.get(self.measure.key))]
            most = max(values, default=0)
            total = self.measure.text(sum(values)) if values else None
            bars = list(self._bars(sweeps, most))
            yield Strip(tier, len(sweeps), self.measure.text(most), total, bars)

    def _bars(self, sweeps: Sequence[Mapping[str, Any]], most: float) -> Iterator[Bar]:
        stamps = [found.timestamp() for found in self._times]
        first, last = min(stamps, default=0.0), max(stamps, default=0.0)
        for one in sweeps:
            value, found = one.get(self.measure.key), moment(ended(one))
            if not is_number(value) or found is None:
                continue
            share = (found.timestamp() - first) / (last - first) if last > first else 0.5
            height = _HEIGHT * (value / most if most else 0)
            yield Bar(f"{10 + share * (_WIDTH - 20):.1f}", f"{_HEIGHT - height:.1f}")


def ended(sweep: Mapping[str, Any]) -> object:
    """Return when a sweep ended, or where that is not known, when it began."""
    return sweep.get("ended_at") or sweep.get("started_at")
