"""What the sweeps of each tier cost, and how often they were worth it (docs/ladder.md, "Reviews")."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, get_args

from wt_git.records.finished_sweeps import FinishedSweep, Review
from wt_git.records.ladder_results import LadderResults, TierTotals
from wt_git.records.rows import Tier

if TYPE_CHECKING:
    from collections.abc import Iterable

TIERS: tuple[str, ...] = get_args(Tier)
_CENTS = Decimal("0.000001")
_MILLISECONDS = Decimal("0.001")


def ladder_results(
    newest_first: Iterable[FinishedSweep | Review], runs_dir: str
) -> LadderResults | None:
    """Return the totals of all finished sweeps; None when there are none.

    `newest_first` are the records of one experiments file, the last one first: of several records
    of one sweep, and of several reviews, the last in the file counts, and only that.
    """
    tiers: dict[str, _Totals] = {}
    tier_of: dict[str, str] = {}
    reviews: dict[str, bool] = {}
    for found in newest_first:
        if isinstance(found, Review):
            reviews.setdefault(found.sweep_id, found.changed)
        elif found.sweep_id not in tier_of:
            tier_of[found.sweep_id] = found.tier
            tiers.setdefault(found.tier, _Totals()).add(found)
    if not tiers:
        return None
    for sweep_id, changed in reviews.items():
        if sweep_id in tier_of:
            tiers[tier_of[sweep_id]].review(changed=changed)
    prices = [total for one in tiers.values() if (total := one.total.value) is not None]
    return LadderResults(
        runs_dir=runs_dir,
        tiers={tier: tiers[tier].document() for tier in sorted(tiers, key=_place)},
        cumulative_cost_usd=_dollars(sum(prices, Decimal())) if prices else None,
    )


def _place(tier: str) -> tuple[int, str]:
    """Return what sorts the known tiers by their size, before those of newer writers."""
    return (TIERS.index(tier) if tier in TIERS else len(TIERS), tier)


class _Sum:
    """A sum of what is known, and of how many; there is none of nothing."""

    __slots__ = ("count", "value")

    def __init__(self) -> None:
        self.value: Decimal | None = None
        self.count = 0

    def add(self, value: Decimal | int | None) -> None:
        if value is not None:
            self.value = (self.value or Decimal()) + value
            self.count += 1


class _Totals:
    """The running totals of one tier."""

    def __init__(self) -> None:
        self.sweeps = self.predictions = self.held = self.reviewed = self.changed = 0
        self.tokens_unknown = self.cache_fail = self.cache_unknown = 0
        self.wall_s, self.input, self.output, self.cached = _Sum(), _Sum(), _Sum(), _Sum()
        self.uncached_usd, self.cache_read_usd = _Sum(), _Sum()
        self.output_usd, self.time_usd, self.total = _Sum(), _Sum(), _Sum()

    def add(self, sweep: FinishedSweep) -> None:
        self.sweeps += 1
        self.wall_s.add(sweep.wall_s)
        if sweep.input_tokens is not None and sweep.output_tokens is not None:
            self.input.add(sweep.input_tokens)
            self.output.add(sweep.output_tokens)
        self.cached.add(sweep.cached_tokens)
        self.predictions += sweep.prediction_held is not None
        self.held += sweep.prediction_held is True
        self.cache_fail += sweep.cache_result == "fail"
        self.cache_unknown += sweep.cache_result == "unknown"
        if sweep.spent is not None and sweep.spent.total is not None:
            self.total.add(sweep.spent.total)
            self.uncached_usd.add(sweep.spent.uncached_input)
            self.cache_read_usd.add(sweep.spent.cache_read)
            self.output_usd.add(sweep.spent.output)
            self.time_usd.add(sweep.spent.time)
            self.tokens_unknown += not sweep.spent.tokens_known

    def review(self, *, changed: bool) -> None:
        self.reviewed += 1
        self.changed += changed

    def document(self) -> TierTotals:
        return TierTotals(
            sweeps=self.sweeps,
            wall_s=float((self.wall_s.value or Decimal()).quantize(_MILLISECONDS)),
            input_tokens=_tokens(self.input),
            output_tokens=_tokens(self.output),
            tokens_reported=self.input.count,
            cached_tokens=_tokens(self.cached),
            cached_reported=self.cached.count,
            predictions=self.predictions,
            predictions_held=self.held,
            reviewed=self.reviewed,
            changed_decision=self.changed,
            cost_usd=_dollars(self.total.value),
            priced_sweeps=self.total.count,
            tokens_unknown_sweeps=self.tokens_unknown,
            uncached_input_usd=_dollars(self.uncached_usd.value),
            cache_read_usd=_dollars(self.cache_read_usd.value),
            output_usd=_dollars(self.output_usd.value),
            time_usd=_dollars(self.time_usd.value),
            cache_fail_sweeps=self.cache_fail,
            cache_unknown_sweeps=self.cache_unknown,
        )


def _tokens(tokens: _Sum) -> int | None:
    return None if tokens.value is None else int(tokens.value)


def _dollars(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount.quantize(_CENTS))
