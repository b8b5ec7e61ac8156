"""What the ledger's index keeps of a row, and what a past row says about cost. Pure.

Rows are read leniently: a value that is not of its type is as good as absent.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.records.gate_rows import gate_row, scenario_id
from wt_git.records.lenient import amount, text, whole, within
from wt_git.records.result_rows import may_be_shown

if TYPE_CHECKING:
    from collections.abc import Mapping

_DIVISION = Context(prec=28)
_EXPONENT_OFFSET = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCost:
    """What one row cost, for estimates.

    `cost_usd` is the total of the row, None where no price is recorded. `tokens_known` is what the
    price says of itself; without a price, whether the row has its tokens.
    """

    tier: str | None
    runs: int
    wall_s: float | None
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cost_usd: Decimal | None
    tokens_known: bool


class IndexedRow(NamedTuple):
    """A row as the index keeps it.

    `target`, `failed` and `passes` are those of the gate, None for a row that means nothing to it.
    `model` is the label under test; for rows without fingerprint parts, the model of the first run.
    `cost_usd` is a decimal number as text. `cost_per_run` is there only where the price is known
    whole; it is a text that sorts as the amount does. `in_results`: whether results may show it;
    False for a row of another version, None for one that names no scenario or label.
    """

    target: str | None
    tier: str | None
    pack: str | None
    scenario: str
    label: str | None
    sweep_id: str | None
    model: str | None
    fingerprint: str | None
    git_tree: str | None
    failed: bool | None
    passes: bool | None
    runs: int | None
    wall_s: float | None
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cost_usd: str | None
    tokens_known: bool | None
    cost_per_run: str | None
    in_results: bool | None


def indexed_row(record: Mapping[str, Any]) -> IndexedRow:
    """Return what the index keeps of `record`, any JSON object."""
    gate = gate_row(record)
    scenario = gate.scenario if gate else scenario_id(record)
    experiment = within(record.get("experiment"))
    parts = experiment.get("fingerprint_parts")
    runs = whole(record.get("runs"))
    cost = within(experiment.get("cost"))
    total, tokens_known = _priced(experiment)
    wall_s = amount(cost.get("wall_s"))
    per_run = _per_run(total, runs) if tokens_known else None
    return IndexedRow(
        target=gate.target if gate else None,
        tier=gate.tier if gate else text(experiment.get("tier")),
        pack=scenario.pack,
        scenario=scenario.name,
        label=text(record.get("label")),
        sweep_id=text(record.get("sweep_id")),
        model=text(parts.get("model") if isinstance(parts, dict) else record.get("model")),
        fingerprint=text(experiment.get("fingerprint")),
        git_tree=text(parts.get("git_tree")) if isinstance(parts, dict) else None,
        failed=gate.failed if gate else None,
        passes=gate.passes if gate else None,
        runs=runs,
        wall_s=None if wall_s is None else float(wall_s),
        input_tokens=whole(cost.get("input_tokens")),
        cached_tokens=whole(cost.get("cached_tokens")),
        output_tokens=whole(cost.get("output_tokens")),
        cost_usd=None if total is None else str(total),
        tokens_known=tokens_known,
        cost_per_run=None if per_run is None else sortable(per_run),
        in_results=may_be_shown(record),
    )


def past_cost(row: IndexedRow) -> PastCost:
    """Return what the row cost."""
    known = row.tokens_known
    if known is None:
        known = row.input_tokens is not None and row.output_tokens is not None
    return PastCost(
        tier=row.tier,
        runs=row.runs or 0,
        wall_s=row.wall_s,
        input_tokens=row.input_tokens,
        cached_tokens=row.cached_tokens,
        output_tokens=row.output_tokens,
        cost_usd=None if row.cost_usd is None else Decimal(row.cost_usd),
        tokens_known=known,
    )


def cost_per_run(row: IndexedRow) -> Decimal | None:
    """Return the price of one run, None where the price or a part of it is not known."""
    if row.cost_per_run is None or row.cost_usd is None:
        return None
    return _per_run(Decimal(row.cost_usd), row.runs)


def sortable(amount: Decimal) -> str:
    """Return a text of a number of at least 0; texts sort as the numbers do."""
    if not amount:
        return ""
    digits, _, exponent = f"{amount:e}".partition("e")
    return f"{int(exponent) + _EXPONENT_OFFSET:06d}{digits.replace('.', '').rstrip('0')}"


def _priced(experiment: Mapping[str, Any]) -> tuple[Decimal | None, bool | None]:
    """Return the recorded total and whether it covers the tokens; None where there is no price."""
    price = experiment.get("cost_usd")
    if not isinstance(price, dict):
        return None, None
    total = amount(price.get("total"))
    return total, total is not None and price.get("tokens_known") is True


def _per_run(total: Decimal | None, runs: int | None) -> Decimal | None:
    return _DIVISION.divide(total, Decimal(runs)) if total is not None and runs else None
