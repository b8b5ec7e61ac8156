"""The verdict matrix and the cost chart of the page: the values that their templates show."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git.reports.ladder import TIERS
from wt_git.reports.page.filters import SEVERITIES, dollars, duration, is_number, moment
from wt_git.reports.wording import PASSED_VERDICTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime


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
