"""The tables of `[tool.windtunnel]` in pyproject.toml, read once into frozen settings.

docs/reference.md, "Configuration", lists them. What a table may not hold is refused by file, table,
key, value and what was expected: a misspelt cap that is passed over would be no cap at all.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

from wt_git.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

FILE_NAME = "pyproject.toml"
TIERS = ("probe", "focused", "regression")

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_RATES = ("input_per_m", "output_per_m", "cache_read_per_m", "time_per_hour")
_RATE = "expected a non-negative number"
_LONGEST_VALUE = 60
# How alike two names must be for one to be taken as a slip of the other: one letter in five.
_LIKENESS = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What one model costs: currency per million tokens, and per hour. None: not given."""

    input_per_m: Decimal
    output_per_m: Decimal
    cache_read_per_m: Decimal | None = None
    time_per_hour: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """`[tool.windtunnel.ladder.pricing]`: an hour's price, and rates for each model label."""

    time_per_hour: Decimal = Decimal(0)
    models: Mapping[str, Rates] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ladder:
    """`[tool.windtunnel.ladder]`: wall-clock caps in seconds, and what each tier may run on.

    A tier that `models` does not list may use any model. `pricing` is None when nothing is priced.
    """

    probe_budget_s: float = 300.0
    focused_budget_s: float = 900.0
    models: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pricing: Pricing | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheCheck:
    """`[tool.windtunnel.cache]`: when a prompt that should have been cached counts as missed."""

    fail_on_miss: bool = False
    min_cached_ratio: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything configured, and the file it came from; `cache` is None when not checked."""

    file: Path | None = None
    ladder: Ladder = field(default_factory=Ladder)
    cache: CacheCheck | None = None


def load(start: Path) -> Settings:
    """Return the settings for work in the folder `start`.

    They stand in the nearest pyproject.toml with a `[tool.windtunnel]` table, from `start` up to
    the top of its repository; outside a repository the nearest pyproject.toml decides. Raises
    `ConfigurationError` for a file that cannot be read or holds what it may not.
    """
    for file in _candidates(start):
        tool = _Table(file, "", _parse(file)).table("tool")
        if tool is not None and tool.has("windtunnel"):
            return _settings(tool)
    return Settings()


def _candidates(start: Path) -> Iterator[Path]:
    """Yield the files to look at, the nearest first."""
    above = [start.resolve(), *start.resolve().parents]
    tops = [index for index, folder in enumerate(above) if (folder / ".git").exists()]
    files = (folder / FILE_NAME for folder in (above[: tops[0] + 1] if tops else above))
    for file in files:
        if file.exists():
            yield file
            if not tops:
                return


def _parse(file: Path) -> dict[str, Any]:
    import tomli  # noqa: PLC0415 - not needed for `wt --help`

    try:
        return tomli.loads(file.read_text("utf-8"), parse_float=Decimal)
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # both tomli's own and text that is not UTF-8
        raise ConfigurationError(f"{file}: is not valid TOML: {error}") from error


def _settings(tool: _Table) -> Settings:
    windtunnel = tool.table("windtunnel")
    assert windtunnel is not None
    # Tables beside these two belong to others, unless they are a slip of one of them.
    windtunnel.refuse_misspelt(("ladder", "cache"))
    ladder, cache = windtunnel.table("ladder"), windtunnel.table("cache")
    return Settings(
        file=tool.file,
        ladder=_ladder(ladder) if ladder is not None else Ladder(),
        cache=_cache(cache) if cache is not None else None,
    )


def _ladder(table: _Table) -> Ladder:
    table.refuse_unknown(("probe_budget_s", "focused_budget_s", "models", "pricing"))
    models, pricing = table.table("models"), table.table("pricing")
    default = Ladder()
    return Ladder(
        probe_budget_s=_budget(table, "probe_budget_s", default.probe_budget_s),
        focused_budget_s=_budget(table, "focused_budget_s", default.focused_budget_s),
        models=_model_lists(models) if models is not None else {},
        pricing=_pricing(pricing) if pricing is not None else None,
    )


def _budget(table: _Table, key: str, default: float) -> float:
    problem = "expected a number of seconds greater than 0"
    seconds = float(table.number(key, problem, default=default))
    if seconds <= 0:
        table.refuse(key, problem)
    return seconds


def _model_lists(table: _Table) -> dict[str, tuple[str, ...]]:
    for tier in table:
        if tier not in TIERS:
            names = f"expected one of {', '.join(TIERS)}{_guess(tier, TIERS)}"
            table.refuse(tier, f"'{tier}' is not a tier, {names}")
    return {tier: _labels(table, tier) for tier in table}


def _labels(table: _Table, tier: str) -> tuple[str, ...]:
    labels = table.get(tier)
    if (
        not isinstance(labels, list)
        or not labels
        or not all(isinstance(label, str) and label.strip() for label in labels)
    ):
        table.refuse(tier, "expected a non-empty list of non-empty strings, the labels of models")
    return tuple(labels)


def _pricing(table: _Table) -> Pricing:
    table.refuse_unknown(("time_per_hour", "models"))
    models = table.table("models", "models must be a table with one table for each model label")
    return Pricing(
        time_per_hour=_rate(table, "time_per_hour") or Decimal(0),
        models={label: _rates(models, label) for label in models} if models else {},
    )


def _rates(models: _Table, label: str) -> Rates:
    table = models.table(label, f"expected a table of rates: {', '.join(_RATES)}")
    assert table is not None
    table.refuse_unknown(_RATES)
    return Rates(
        input_per_m=_required_rate(table, "input_per_m"),
        output_per_m=_required_rate(table, "output_per_m"),
        cache_read_per_m=_rate(table, "cache_read_per_m"),
        time_per_hour=_rate(table, "time_per_hour"),
    )


def _required_rate(table: _Table, key: str) -> Decimal:
    rate = _rate(table, key)
    if rate is None:
        table.refuse(key, _RATE)
    return rate


def _rate(table: _Table, key: str) -> Decimal | None:
    if not table.has(key):
        return None
    rate = table.number(key, _RATE)
    if rate < 0:
        table.refuse(key, _RATE)
    return Decimal(rate)


def _cache(table: _Table) -> CacheCheck:
    table.refuse_unknown(("fail_on_miss", "min_cached_ratio"))
    default = CacheCheck()
    fail_on_miss = table.get("fail_on_miss", default.fail_on_miss)
    if not isinstance(fail_on_miss, bool):
        table.refuse("fail_on_miss", "expected true or false")
    problem = "expected a number from 0 to 1"
    ratio = float(table.number("min_cached_ratio", problem, default=default.min_cached_ratio))
    if not 0 <= ratio <= 1:
        table.refuse("min_cached_ratio", problem)
    return CacheCheck(fail_on_miss=fail_on_miss, min_cached_ratio=ratio)


class _Table:
    """One table of the file, which knows where it stands so that it can say what is wrong."""

    def __init__(self, file: Path, name: str, content: Mapping[str, Any]) -> None:
        self.file = file
        self._name = name
        self._content = content

    def __iter__(self) -> Iterator[str]:
        return iter(self._content)

    def has(self, key: str) -> bool:
        return key in self._content

    def get(self, key: str, default: object = None) -> Any:
        return self._content.get(key, default)

    def table(self, key: str, problem: str = "expected a table") -> _Table | None:
        """Return the table under `key`, None where there is nothing."""
        if key not in self._content:
            return None
        content = self._content[key]
        if not isinstance(content, dict):
            self.refuse(key, problem)
        return _Table(self.file, f"{self._name}.{_key(key)}".removeprefix("."), content)

    def number(self, key: str, problem: str, *, default: float = 0) -> float | Decimal:
        """Return the finite number under `key`: an int or a Decimal, or `default`."""
        if key not in self._content:
            return default
        value = self._content[key]
        if isinstance(value, bool) or not isinstance(value, int | Decimal) or not _fits(value):
            self.refuse(key, problem)
        return value

    def refuse_unknown(self, known: tuple[str, ...]) -> None:
        for key in self._content:
            if key not in known:
                names = f"expected one of {', '.join(known)}{_guess(key, known)}"
                self.refuse(key, f"there is no such key, {names}")

    def refuse_misspelt(self, known: tuple[str, ...]) -> None:
        for key in self._content:
            if key not in known and (guess := _guess(key, known)):
                self.refuse(key, f"expected {' or '.join(known)}{guess}")

    def refuse(self, key: str, problem: str) -> NoReturn:
        """Raise the error that names file, table, key and value, and says what is wrong."""
        found = f"= {_shown(self._content[key])}" if key in self._content else "is missing"
        place = f"[{self._name}] " if self._name else ""
        raise ConfigurationError(f"{self.file}: {place}{_key(key)} {found}: {problem}")


def _fits(value: int | Decimal) -> bool:
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _guess(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name.lower(), known, n=1, cutoff=_LIKENESS)
    return f"; did you mean {near[0]}?" if near else ""


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _shown(value: object) -> str:
    """Return `value` about as the file has it, cut to what fits in a message."""
    match value:
        case dict():
            text = "a table"
        case Decimal():
            text = str(value).lower().replace("infinity", "inf")
        case _:
            text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 3] + "..."
