"""The totals of `wt results --ladder`: cost and predictions by tier, and their lines."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple, get_args

from wt_git.errors import UsageError
from wt_git.files import LineReport
from wt_git.records import layout
from wt_git.records.documents.results import LadderResults, TierTotals
from wt_git.records.experiments import FinishedSweep, Review, newest_first
from wt_git.records.layout import missing_directory, passed_over, readable_records
from wt_git.records.sweep_records import Tier
from wt_git.text import log_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

TIERS: tuple[str, ...] = get_args(Tier)
_CENTS = Decimal("0.000001")
_MILLISECONDS = Decimal("0.001")
_TIER_WIDTH, _TIER_LIMIT = 10, 20


def ladder_results(
    newest_first: Iterable[FinishedSweep | Review], runs_dir: str
) -> LadderResults | None:
    """Return the totals of all finished sweeps; None when there are none.

    `newest_first` are the records of one experiments file, the last one first. Of several records of
    one sweep, and of several reviews, only the last in the file counts.
    """
    tiers: dict[str, _RunningTotals] = {}
    tier_of: dict[str, str] = {}
    reviews: dict[str, bool] = {}
    for found in newest_first:
        if isinstance(found, Review):
            reviews.setdefault(found.sweep_id, found.changed)
        elif found.sweep_id not in tier_of:
            tier_of[found.sweep_id] = found.tier
            if found.tier not in tiers:
                tiers[found.tier] = _RunningTotals()
            tiers[found.tier].add(found)
    if not tiers:
        return None
    for sweep_id, changed in reviews.items():
        if sweep_id in tier_of:
            tiers[tier_of[sweep_id]].review(changed=changed)
    prices = [total for one in tiers.values() if (total := one.total.value) is not None]
    return LadderResults(
        runs_dir=runs_dir,
        tiers={tier: tiers[tier].document() for tier in sorted(tiers, key=_tier_order)},
        cumulative_cost_usd=_rounded_usd(sum(prices, Decimal())) if prices else None,
    )


def _tier_order(tier: str) -> tuple[int, str]:
    """Return a sort key: the known tiers by their size, before those of newer versions."""
    return (TIERS.index(tier) if tier in TIERS else len(TIERS), tier)


class _Sum:
    """The sum of the known values, None without any, and their count."""

    __slots__ = ("count", "value")

    def __init__(self) -> None:
        self.value: Decimal | None = None
        self.count = 0

    def add(self, value: float | None) -> None:
        if value is not None:  # a float's text is the number that the file shows
            self.value = (self.value or Decimal()) + Decimal(str(value))
            self.count += 1


class _RunningTotals:
    """The running totals of one tier."""

    def __init__(self) -> None:
        self.sweeps = self.predictions = self.held = self.reviewed = self.changed = 0
        self.tokens_unknown = self.cache_fail = self.cache_unknown = 0
        self.wall_s, self.input, self.output, self.cached = _Sum(), _Sum(), _Sum(), _Sum()
        self.uncached_usd, self.cache_read_usd = _Sum(), _Sum()
        self.output_usd, self.time_usd, self.total = _Sum(), _Sum(), _Sum()

    def add(self, sweep: FinishedSweep) -> None:
        self.sweeps += 1
        cost, price = sweep.cost, sweep.cost_usd
        self.wall_s.add(cost.wall_s)
        if cost.input_tokens is not None and cost.output_tokens is not None:
            self.input.add(cost.input_tokens)
            self.output.add(cost.output_tokens)
        self.cached.add(cost.cached_tokens)
        self.predictions += sweep.prediction_held is not None
        self.held += sweep.prediction_held is True
        self.cache_fail += sweep.cache_check.result == "fail"
        self.cache_unknown += sweep.cache_check.result == "unknown"
        if price is not None and price.total is not None:
            self.total.add(price.total)
            self.uncached_usd.add(price.uncached_input)
            self.cache_read_usd.add(price.cache_read)
            self.output_usd.add(price.output)
            self.time_usd.add(price.time)
            self.tokens_unknown += not price.tokens_known

    def review(self, *, changed: bool) -> None:
        self.reviewed += 1
        self.changed += changed

    def document(self) -> TierTotals:
        return TierTotals(
            sweeps=self.sweeps,
            wall_s=float((self.wall_s.value or Decimal()).quantize(_MILLISECONDS)),
            input_tokens=_token_count(self.input),
            output_tokens=_token_count(self.output),
            tokens_reported=self.input.count,
            cached_tokens=_token_count(self.cached),
            cached_reported=self.cached.count,
            predictions=self.predictions,
            predictions_held=self.held,
            reviewed=self.reviewed,
            changed_decision=self.changed,
            cost_usd=_rounded_usd(self.total.value),
            priced_sweeps=self.total.count,
            tokens_unknown_sweeps=self.tokens_unknown,
            uncached_input_usd=_rounded_usd(self.uncached_usd.value),
            cache_read_usd=_rounded_usd(self.cache_read_usd.value),
            output_usd=_rounded_usd(self.output_usd.value),
            time_usd=_rounded_usd(self.time_usd.value),
            cache_fail_sweeps=self.cache_fail,
            cache_unknown_sweeps=self.cache_unknown,
        )


def _token_count(tokens: _Sum) -> int | None:
    return None if tokens.value is None else int(tokens.value)


def _rounded_usd(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount.quantize(_CENTS))


class LoadedLadder(NamedTuple):
    """The totals, and sentences about lines that they leave out."""

    document: LadderResults
    remarks: tuple[str, ...]


def load_ladder(runs_dir: Path) -> LoadedLadder:
    """Return the totals of the sweeps that ended in `runs_dir`. Raises `UsageError` without any."""
    report = LineReport()
    with readable_records():
        found = ladder_results(newest_first(runs_dir, report), str(runs_dir))
    if found is None:
        where = f" in '{runs_dir}'" if runs_dir.is_dir() else f": {missing_directory(runs_dir)}"
        raise UsageError(
            f"no finished sweeps recorded{where}",
            hints=passed_over(report.skipped, layout.EXPERIMENTS),
            code="no-finished-sweeps",
            facts={"runs_dir": str(runs_dir)},
        )
    return LoadedLadder(found, passed_over(report.skipped, layout.EXPERIMENTS))


def ladder_lines(found: LadderResults) -> list[str]:
    """Return the lines: a heading, the tiers, and the cost of all of them."""
    lines = [f"ladder under {log_line(found.runs_dir)}"]
    for tier, totals in found.tiers.items():
        lines.append(f"  {log_line(tier, _TIER_LIMIT):<{_TIER_WIDTH}}  {_tier_line(totals)}")
    if found.cumulative_cost_usd is not None:
        lines.append(f"cumulative: ${found.cumulative_cost_usd:.4f}")
    return lines


def _tier_line(of: TierTotals) -> str:
    word = "sweep" if of.sweeps == 1 else "sweeps"
    parts = [
        f"{of.sweeps} {word}",
        f"{of.wall_s:.0f}s wall",
        _tokens_text(of),
        _predictions_text(of),
    ]
    return "; ".join([*parts, _reviews_text(of), *_cost_text(of), *_cache_text(of)])


def _tokens_text(of: TierTotals) -> str:
    if of.input_tokens is None:
        return "tokens unknown"
    cached = ""
    if of.cached_tokens is not None:
        cached = f" ({of.cached_tokens} cached, {of.cached_reported}/{of.sweeps} reported)"
    reported = f"({of.tokens_reported}/{of.sweeps} sweeps reported)"
    return f"{of.input_tokens} in{cached} / {of.output_tokens} out tokens {reported}"


def _predictions_text(of: TierTotals) -> str:
    if not of.predictions:
        return "no predictions"
    return f"{of.predictions_held}/{of.predictions} predictions held"


def _reviews_text(of: TierTotals) -> str:
    if not of.reviewed:
        return "none reviewed"
    return f"{of.changed_decision}/{of.reviewed} reviewed changed a decision"


def _cost_text(of: TierTotals) -> Iterator[str]:
    if of.cost_usd is not None:
        parts = {
            "uncached": of.uncached_input_usd,
            "cache read": of.cache_read_usd,
            "output": of.output_usd,
            "time": of.time_usd,
        }
        costs = " + ".join(
            f"{name} {'unknown' if usd is None else f'{usd:.4f}'}" for name, usd in parts.items()
        )
        unknown = f"{of.tokens_unknown_sweeps} tokens unknown"
        yield (
            f"$ {costs} = total {of.cost_usd:.4f} ({of.priced_sweeps}/{of.sweeps} priced, {unknown})"
        )


def _cache_text(of: TierTotals) -> Iterator[str]:
    if of.cache_fail_sweeps or of.cache_unknown_sweeps:
        yield f"cache check: {of.cache_fail_sweeps} failed, {of.cache_unknown_sweeps} unknown"
