"""The tables of `[tool.windtunnel]` in pyproject.toml, read once into frozen settings.

docs/reference.md, "Configuration", lists them. An invalid or unknown key is refused, with its file,
table, key, value and the expected value: an ignored misspelt cap would be no cap at all.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from wt_git.errors import ConfigurationError, os_reason
from wt_git.git.path_patterns import PathPatterns
from wt_git.toml_table import Table, guess

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

FILE_NAME = "pyproject.toml"
_NONE: Mapping[str, Any] = {}
TIERS = ("probe", "focused", "regression")

DEFAULT_NOTES_REF = "refs/windtunnel/notes"

_RATES = ("input_per_m", "output_per_m", "cache_read_per_m", "cache_write_per_m", "time_per_hour")
_RATE = "expected a non-negative number"
# Parts of a name that git-check-ref-format refuses, and `*`, which is a pattern in a refspec.
_NOT_IN_A_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)|[./]$")
_TAKEN_REFS = ("refs/heads/", "refs/tags/", "refs/remotes/", "refs/windtunnel/remotes/")


class Rates(NamedTuple):
    """The prices of one model: per million tokens, and per hour. None: not given."""

    input_per_m: Decimal
    output_per_m: Decimal
    cache_read_per_m: Decimal | None = None
    time_per_hour: Decimal | None = None
    cache_write_per_m: Decimal | None = None


class Pricing(NamedTuple):
    """`[tool.windtunnel.ladder.pricing]`: an hour's price, and rates for each model label."""

    time_per_hour: Decimal = Decimal(0)
    models: Mapping[str, Rates] = _NONE


class Ladder(NamedTuple):
    """`[tool.windtunnel.ladder]`: wall-clock caps in seconds, and the models of each tier.

    A tier that `models` does not list may use any model. `pricing` is None when nothing is priced.
    `max_cost` is the most that a sweep may cost, in the currency of `pricing`; None: no limit.
    `reserve_per_run` is the most that one run may cost; None: as the ledger shows.
    """

    probe_budget_s: float = 300.0
    focused_budget_s: float = 900.0
    models: Mapping[str, tuple[str, ...]] = _NONE
    pricing: Pricing | None = None
    max_cost: Decimal | None = None
    reserve_per_run: Decimal | None = None


class CacheCheck(NamedTuple):
    """`[tool.windtunnel.cache]`: when a prompt counts as missed in the cache."""

    fail_on_miss: bool = False
    min_cached_ratio: Decimal = Decimal("0.5")


class Gate(NamedTuple):
    """`[tool.windtunnel.gate]`: which commits need evidence, and which evidence counts.

    docs/evidence-in-git.md, "The policy", has each key. `branches` empty: every branch. `runtime`
    None: any but `in_memory`. `packs` empty: any. `not_under_test` are paths that no experiment
    depends on, with the meaning of git's `:(top,glob)` pathspecs. `push_timeout_s` is in seconds.
    """

    branches: tuple[str, ...] = ()
    require: Literal["focused", "regression"] = "focused"
    runtime: str | None = None
    commits: Literal["tip", "each"] = "tip"
    not_under_test: tuple[str, ...] = ()
    push_notes: bool = True
    push_timeout_s: float = 10.0
    pre_commit: Literal["warn", "off", "refuse"] = "warn"
    trailer: bool = False
    merge: Literal["own", "head"] = "own"
    packs: tuple[str, ...] = ()

    def asks_about(self, branch: str) -> bool:
        """Say whether commits that are pushed to `branch` (`main`, `release/1`) need evidence."""
        return not self.branches or PathPatterns(self.branches).match(
            branch.encode("utf-8", "surrogateescape")
        )


class Settings(NamedTuple):
    """Everything configured, and the file it came from; `cache` is None when not checked.

    `gate` and `notes_ref` are the repository's: they come from the pyproject.toml at its top,
    whichever file the rest is from.
    """

    file: Path | str | None = None
    ladder: Ladder = Ladder()
    cache: CacheCheck | None = None
    gate: Gate = Gate()
    notes_ref: str = DEFAULT_NOTES_REF


def load(start: Path) -> Settings:
    """Return the settings for work in the folder `start`.

    They stand in the nearest pyproject.toml with a `[tool.windtunnel]` table, from `start` up to
    the top of its repository; outside a repository the nearest pyproject.toml decides. Raises
    `ConfigurationError` for an unreadable file or an invalid setting.
    """
    top, files = _candidates(start)
    found: Settings | None = None
    for file in files:
        tool = Table(file, "", _parse(file)).table("tool")
        if tool is None or not tool.has("windtunnel"):
            continue
        at_top = top is None or file.parent == top
        here = _settings(tool, at_top=at_top)
        if found is not None:
            if at_top:
                return found._replace(gate=here.gate, notes_ref=here.notes_ref)
        elif at_top:
            return here
        else:
            found = here
    return found or Settings()


def files_with_settings(start: Path) -> list[Path]:
    """Return the files that settings for work in `start` may come from, the nearest first."""
    _, files = _candidates(start)
    return [file for file in files if b"windtunnel" in file.read_bytes()]


def parse(data: bytes, name: str) -> Settings:
    """Return the settings in `data`, the pyproject.toml at the top of a repository.

    Messages name the file `name`. Raises `ConfigurationError`.
    """
    tool = Table(name, "", _loads(data, name)).table("tool")
    return _settings(tool) if tool is not None and tool.has("windtunnel") else Settings()


def _candidates(start: Path) -> tuple[Path | None, list[Path]]:
    """Return the top of the repository, None outside of one, and the files, the nearest first."""
    above = [start.resolve(), *start.resolve().parents]
    tops = [index for index, folder in enumerate(above) if (folder / ".git").exists()]
    folders = above[: tops[0] + 1] if tops else above
    files = [file for folder in folders if (file := folder / FILE_NAME).exists()]
    return (above[tops[0]], files) if tops else (None, files[:1])


def _parse(file: Path) -> dict[str, Any]:
    try:
        return _loads(file.read_bytes(), file)
    except OSError as error:
        raise ConfigurationError(
            f"{file}: cannot be read: {error.strerror}",
            code="settings-unreadable",
            facts={"file": str(file), "reason": os_reason(error)},
        ) from error


def _loads(data: bytes, file: Path | str) -> dict[str, Any]:
    import tomli  # noqa: PLC0415 - not needed for `wt --help`

    try:
        return tomli.loads(data.decode("utf-8"), parse_float=Decimal)
    except (ValueError, RecursionError) as error:  # both tomli's own and text that is not UTF-8
        raise ConfigurationError(
            f"{file}: is not valid TOML: {error}",
            code="settings-not-toml",
            facts={"file": str(file), "reason": str(error)},
        ) from error


def _settings(tool: Table, *, at_top: bool = True) -> Settings:
    windtunnel = tool.table("windtunnel")
    assert windtunnel is not None
    # Other keys belong to other tools, unless one is a misspelt form of these.
    windtunnel.refuse_misspelt(("ladder", "cache", "gate", "notes_ref"))
    ladder, cache = windtunnel.table("ladder"), windtunnel.table("cache")
    gate = windtunnel.table("gate")
    for key in ("gate", "notes_ref"):
        if windtunnel.has(key) and not at_top:
            windtunnel.refuse(key, f"only the {FILE_NAME} at the top of the repository may say it")
    return Settings(
        file=tool.file,
        ladder=_ladder(ladder) if ladder is not None else Ladder(),
        cache=_cache(cache) if cache is not None else None,
        gate=_gate(gate) if gate is not None else Gate(),
        notes_ref=_notes_ref(windtunnel),
    )


def _gate(table: Table) -> Gate:
    table.refuse_unknown(Gate._fields)
    default = Gate()
    timeout = "expected a number of seconds greater than 0"
    timeout_s = float(table.number("push_timeout_s", timeout, default=default.push_timeout_s))
    if timeout_s <= 0:
        table.refuse("push_timeout_s", timeout)
    runtime = table.get("runtime")
    if table.has("runtime") and not (isinstance(runtime, str) and runtime.strip()):
        table.refuse("runtime", "expected the name of a runtime, as `wt run --runtime` takes it")
    branches = table.words("branches", "expected a list of branches, such as main or release/*")
    _check_patterns(table, "branches", branches)
    if table.has("branches") and not branches:
        table.refuse("branches", "expected at least one branch; leave the key out for every branch")
    return Gate(
        branches=branches,
        require=cast("Any", table.word("require", ("focused", "regression"))),
        runtime=runtime,
        commits=cast("Any", table.word("commits", ("tip", "each"))),
        not_under_test=_not_under_test(table),
        push_notes=table.flag("push_notes", default=default.push_notes),
        push_timeout_s=timeout_s,
        pre_commit=cast("Any", table.word("pre_commit", ("warn", "off", "refuse"))),
        trailer=table.flag("trailer", default=default.trailer),
        merge=cast("Any", table.word("merge", ("own", "head"))),
        packs=table.words("packs", "expected a list of packs' names"),
    )


def _not_under_test(table: Table) -> tuple[str, ...]:
    """Return the patterns; none may match the file that holds them.

    Evidence is for a tree without these paths. It is bound to these patterns because the file with
    the patterns is always part of that tree.
    """
    key = "not_under_test"
    patterns = table.words(key, "expected a list of paths, such as docs/**")
    _check_patterns(table, key, patterns)
    for pattern in patterns:
        if PathPatterns([pattern]).match(FILE_NAME.encode()):
            table.refuse(key, f"{pattern!r} takes {FILE_NAME}, which decides what is under test")
    return patterns


def _check_patterns(table: Table, key: str, patterns: tuple[str, ...]) -> None:
    try:
        PathPatterns(patterns)
    except ValueError as error:
        table.refuse(key, str(error))


def _notes_ref(table: Table) -> str:
    value = table.get("notes_ref", DEFAULT_NOTES_REF)
    problem = f"expected a ref of at least three parts, such as {DEFAULT_NOTES_REF}"
    if not isinstance(value, str) or not value.startswith("refs/") or value.count("/") < 2:  # noqa: PLR2004
        table.refuse("notes_ref", problem)
    if _NOT_IN_A_REF.search(value):
        table.refuse("notes_ref", f"{problem}, with a name that git allows")
    if value.startswith(_TAKEN_REFS):
        table.refuse("notes_ref", f"{problem}; what is below {', '.join(_TAKEN_REFS)} has its use")
    return value


def _ladder(table: Table) -> Ladder:
    table.refuse_unknown(Ladder._fields)
    models, pricing = table.table("models"), table.table("pricing")
    default = Ladder()
    return Ladder(
        probe_budget_s=_budget(table, "probe_budget_s", default.probe_budget_s),
        focused_budget_s=_budget(table, "focused_budget_s", default.focused_budget_s),
        models=_model_lists(models) if models is not None else {},
        pricing=_pricing(pricing) if pricing is not None else None,
        max_cost=_amount(table, "max_cost"),
        reserve_per_run=_amount(table, "reserve_per_run"),
    )


def _amount(table: Table, key: str) -> Decimal | None:
    """Return the amount of money under `key`, which means nothing where nothing has a price."""
    amount = _rate(table, key)
    if amount is not None and not table.has("pricing"):
        table.refuse(key, "needs a [tool.windtunnel.ladder.pricing] table: nothing has a price")
    return amount


def _budget(table: Table, key: str, default: float) -> float:
    problem = "expected a number of seconds greater than 0"
    seconds = float(table.number(key, problem, default=default))
    if seconds <= 0:
        table.refuse(key, problem)
    return seconds


def _model_lists(table: Table) -> dict[str, tuple[str, ...]]:
    for tier in table:
        if tier not in TIERS:
            names = f"expected one of {', '.join(TIERS)}{guess(tier, TIERS)}"
            table.refuse(tier, f"'{tier}' is not a tier, {names}", known=list(TIERS))
    return {tier: _labels(table, tier) for tier in table}


def _labels(table: Table, tier: str) -> tuple[str, ...]:
    labels = table.get(tier)
    if (
        not isinstance(labels, list)
        or not labels
        or not all(isinstance(label, str) and label.strip() for label in labels)
    ):
        table.refuse(tier, "expected a non-empty list of non-empty strings, the labels of models")
    return tuple(labels)


def _pricing(table: Table) -> Pricing:
    table.refuse_unknown(("time_per_hour", "models"))
    models = table.table("models", "models must be a table with one table for each model label")
    return Pricing(
        time_per_hour=_rate(table, "time_per_hour") or Decimal(0),
        models={label: _rates(models, label) for label in models} if models else {},
    )


def _rates(models: Table, label: str) -> Rates:
    table = models.table(label, f"expected a table of rates: {', '.join(_RATES)}")
    assert table is not None
    table.refuse_unknown(_RATES)
    input_per_m = _required_rate(table, "input_per_m")
    cache_write_per_m = _rate(table, "cache_write_per_m")
    if cache_write_per_m is not None and cache_write_per_m < input_per_m:
        table.refuse("cache_write_per_m", f"expected at least input_per_m, {input_per_m}")
    return Rates(
        input_per_m=input_per_m,
        output_per_m=_required_rate(table, "output_per_m"),
        cache_read_per_m=_rate(table, "cache_read_per_m"),
        cache_write_per_m=cache_write_per_m,
        time_per_hour=_rate(table, "time_per_hour"),
    )


def _required_rate(table: Table, key: str) -> Decimal:
    rate = _rate(table, key)
    if rate is None:
        table.refuse(key, _RATE)
    return rate


def _rate(table: Table, key: str) -> Decimal | None:
    if not table.has(key):
        return None
    rate = table.number(key, _RATE)
    if rate < 0:
        table.refuse(key, _RATE)
    return Decimal(rate)


def _cache(table: Table) -> CacheCheck:
    table.refuse_unknown(("fail_on_miss", "min_cached_ratio"))
    default = CacheCheck()
    fail_on_miss = table.flag("fail_on_miss", default=default.fail_on_miss)
    problem = "expected a number from 0 to 1"
    ratio = Decimal(table.number("min_cached_ratio", problem, default=default.min_cached_ratio))
    if not 0 <= ratio <= 1:
        table.refuse("min_cached_ratio", problem)
    return CacheCheck(fail_on_miss=fail_on_miss, min_cached_ratio=ratio)
