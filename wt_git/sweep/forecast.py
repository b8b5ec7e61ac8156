"""The forecast of a sweep, from the rows of the ledger (docs/ladder.md, "Dry run")."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import msgspec

from wt_git.ladder.pricing import Tokens, price
from wt_git.records.documents.run import Forecast, ForecastScenario
from wt_git.records.record import as_recorded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.config import Pricing
    from wt_git.records.ledger.ledger import Ledger
    from wt_git.records.ledger.row import Row, ScenarioId
    from wt_git.records.sweep_records import Tier
    from wt_git.sweep.request import LookedUp

_EARLIER_ROWS, _ROWS_LOOKED_AT = 20, 60


class ScenarioForecast(msgspec.Struct, frozen=True, kw_only=True):
    """The time and cost of all runs of one scenario; None where history does not say.

    `earlier_runs` is how many runs the figures rest on.
    """

    scenario: ScenarioId
    earlier_runs: int
    wall_s: float | None
    cost: Decimal | None


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """The forecast of a whole sweep. A sum is None as soon as a part is."""

    found: LookedUp
    scenarios: tuple[ScenarioForecast, ...]

    @property
    def runs(self) -> int:
        """How many runs were asked for."""
        return len(self.scenarios) * self.found.request.runs

    @property
    def wall_s(self) -> float | None:
        """Seconds, one scenario after another."""
        parts = [one.wall_s for one in self.scenarios]
        return None if None in parts else sum(part for part in parts if part is not None)

    @property
    def cost(self) -> Decimal | None:
        """The amount, in the currency of the pricing table."""
        parts = [one.cost for one in self.scenarios]
        if None in parts:
            return None
        return sum((part for part in parts if part is not None), Decimal(0))

    def record(self) -> Forecast:
        """Return it as `wt run --dry-run --json` prints it."""
        found = self.found
        return Forecast(
            tier=found.tier,
            label=found.request.label,
            runs_dir=str(found.request.runs_dir),
            runtime=found.request.runtime,
            target=found.fingerprinter.inputs.target,
            model=found.runtime.model,
            budget_s=None if found.budget_s is None else float(found.budget_s),
            ceiling=None if found.ceiling is None else float(found.ceiling),
            runs=self.runs,
            wall_s=_rounded(self.wall_s),
            cost_usd=_rounded(self.cost),
            scenarios=[
                ForecastScenario(
                    pack=one.scenario.pack or "",
                    scenario=one.scenario.name,
                    earlier_runs=one.earlier_runs,
                    wall_s=_rounded(one.wall_s),
                    cost_usd=_rounded(one.cost),
                )
                for one in self.scenarios
            ],
        )


def forecast(found: LookedUp, ledger: Ledger) -> Expected:
    """Return the forecast, from the latest rows of the scenarios on this target."""
    target = as_recorded(found.fingerprinter.inputs.target)
    model = None if found.runtime.model is None else as_recorded(found.runtime.model)
    scenarios = []
    for selected in found.selected:
        identity = selected.identity
        past = _alike(ledger.spent(identity, target, model, limit=_ROWS_LOOKED_AT), found.tier)
        scenarios.append(
            ScenarioForecast(
                scenario=identity,
                earlier_runs=sum(one.runs or 0 for one in past),
                wall_s=_wall_s(past, found.request.runs),
                cost=_cost(past, found.request.runs, model, found.settings.ladder.pricing),
            )
        )
    return Expected(found=found, scenarios=tuple(scenarios))


def _alike(past: Sequence[Row], tier: Tier) -> Sequence[Row]:
    """Return the rows whose runs are as long: a probe plays a part of a scenario.

    Before the first probe of a scenario, whole runs are the upper bound.
    """
    whole = [one for one in past if one.tier != "probe"]
    alike = whole if tier != "probe" else [one for one in past if one.tier == "probe"] or whole
    return alike[:_EARLIER_ROWS]


def _wall_s(past: Sequence[Row], runs: int) -> float | None:
    timed = [(one.runs or 0, one.cost.wall_s) for one in past if one.cost.wall_s is not None]
    done = sum(count for count, _ in timed)
    return sum(seconds for _, seconds in timed) / done * runs if done else None


def _cost(
    past: Sequence[Row], runs: int, model: str | None, pricing: Pricing | None
) -> Decimal | None:
    """Return the mean of the known costs, at today's rates: unknown costs are not zero."""
    if pricing is None:
        return None
    done, spent = 0, Decimal(0)
    for one in past:
        cost = one.cost
        if cost.wall_s is None:
            continue
        tokens = Tokens(
            cost.input_tokens, cost.cached_tokens, cost.output_tokens, cost.cache_write_tokens or 0
        )
        priced = price(tokens, cost.wall_s, model, pricing)
        if priced.tokens_known:
            done += one.runs or 0
            spent += Decimal(str(priced.total))
    return spent / done * runs if done else None


def _rounded(number: float | Decimal | None) -> float | None:
    return None if number is None else round(float(number), 6)
