"""The rates of a cell: those of its row, else counted from its runs. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.records.lenient import within

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class LayerRates(NamedTuple):
    """The share of runs that passed each layer, gated or not."""

    outcome: float
    trajectory: float
    constraint: float
    integrity: float


def rates_of_row(record: Mapping[str, Any]) -> LayerRates | None:
    """Return the rates that a ledger row of any age states; None unless it states all four.

    The fourth layer of the oldest rows is called robustness.
    """
    said = within(record.get("layer_pass_rates"))
    integrity = said.get("integrity", said.get("robustness"))
    found = [_rate(said.get(name)) for name in ("outcome", "trajectory", "constraint")]
    rates = [rate for rate in (*found, _rate(integrity)) if rate is not None]
    return LayerRates(*rates) if len(rates) == len(LayerRates._fields) else None


def rates_of_runs(runs: Iterable[Iterable[bool]]) -> LayerRates:
    """Return the rates over runs, of each whether its four layers passed; there is at least one."""
    counts, total = [0, 0, 0, 0], 0
    for layers in runs:
        total += 1
        counts = [count + passed for count, passed in zip(counts, layers, strict=True)]
    return LayerRates(*(count / total for count in counts))


def gate_pass_rate(record: Mapping[str, Any], *, passed: int, runs: int) -> float:
    """Return the share of runs that passed every gate, as the row says, else as counted.

    The oldest rows know only the outcome's rate.
    """
    for said in (record.get("pass_rate"), within(record.get("layer_pass_rates")).get("outcome")):
        rate = _rate(said)
        if rate is not None:
            return rate
    return passed / runs


def _rate(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)
