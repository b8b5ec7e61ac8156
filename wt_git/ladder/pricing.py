"""Sums of tokens, and their price by the rates of a repository (docs/ladder.md, "Pricing")."""

from __future__ import annotations

import sys
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import UNSET

from wt_git.records.sweep_records import CostUsd

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wt_git.config import Pricing, Rates


class Tokens(NamedTuple):
    """Token counts, None if unknown. `input` is the whole prompt, including cache hits.

    `written` are the tokens of the prompt that were written to the cache, 0 where none are reported.
    """

    input: int | None
    cached: int | None
    output: int | None
    written: int | None = 0


UNKNOWN = Tokens(None, None, None)
NOTHING = Tokens(0, 0, 0)


def run_tokens(
    usage: Mapping[str, Any] | None, model_calls: Sequence[Mapping[str, Any]] | None
) -> Tokens:
    """Return the tokens of one run from its trace's `usage` and `model_calls`.

    A call without a prompt or completion count makes all three sums unknown, a call without a
    cached count only the cached sum. A send that reported nothing is such a call.
    """
    if model_calls:
        summed = Tokens(
            _sum(count(call.get("prompt_tokens")) for call in model_calls),
            _sum(count(call.get("cached_tokens")) for call in model_calls),
            _sum(count(call.get("completion_tokens")) for call in model_calls),
            _sum(count(call.get("cache_write_tokens", 0)) for call in model_calls),
        )
        return UNKNOWN if summed.input is None or summed.output is None else summed
    if usage:
        return Tokens(count(usage.get("input_tokens")), None, count(usage.get("output_tokens")))
    return UNKNOWN


def total_tokens(parts: Iterable[Tokens]) -> Tokens:
    """Return the sum of each field, None if any part is unknown."""
    listed = list(parts)
    return Tokens(
        _sum(part.input for part in listed),
        _sum(part.cached for part in listed),
        _sum(part.output for part in listed),
        _sum(part.written for part in listed),
    )


def count(value: object) -> int | None:
    """Return `value` if it is an integer of at least 0 and no boolean, else None."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    return None


def _sum(counts: Iterable[int | None]) -> int | None:
    result = 0
    for one in counts:
        if one is None:
            return None
        result += one
    return result


EXACT = Context(prec=1000, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
"""Wide enough for the sum and product of any two finite floats; only quotients are rounded."""

DEFAULT_LABEL = "default"
"""The entry of `models` for every label without an entry of its own."""

_SHOWN_IN_FULL = 20
_MICRO = Decimal("0.000001")
_MILLION = 10**6
_SECONDS_PER_HOUR = 3600
_MOST = Decimal(sys.float_info.max)


def recorded_decimal(number: float) -> Decimal:
    """Return a float from a record as the decimal number that its text shows."""
    return Decimal(str(number))


def plain_decimal(amount: Decimal) -> str:
    """Return `amount` without trailing zeros: `2`, `0.05`."""
    short = amount.normalize(EXACT)
    return format(short, "f") if abs(short.adjusted()) < _SHOWN_IN_FULL else str(short)


def price(tokens: Tokens, wall_s: float, label: str | None, pricing: Pricing) -> CostUsd:
    """Return the cost of `tokens` and `wall_s` seconds on the model `label`.

    `models.default` prices a label without an entry, and None. Seconds are rounded to the
    millisecond, as in records. Without input, output or rates, the token parts are null and `total`
    is the time alone.
    """
    rates = rates_of(label, pricing)
    time = _time(wall_s, rates, pricing)
    if rates is None or tokens.input is None or tokens.output is None:
        return _record(None, None, None, time)
    output = _tokens(tokens.output, rates.output_per_m)
    written = _surcharge(tokens, rates)
    if tokens.cached is None or tokens.cached > tokens.input:
        return _record(_tokens(tokens.input, rates.input_per_m), None, output, time, written)
    cache_rate = rates.input_per_m if rates.cache_read_per_m is None else rates.cache_read_per_m
    return _record(
        _tokens(tokens.input - tokens.cached, rates.input_per_m),
        _tokens(tokens.cached, cache_rate),
        output,
        time,
        written,
    )


def _surcharge(tokens: Tokens, rates: Rates) -> Decimal | None:
    """Return what writing to the cache costs beyond the price of the input; None without a rate."""
    if rates.cache_write_per_m is None or tokens.written is None:
        return None
    return _tokens(tokens.written, EXACT.subtract(rates.cache_write_per_m, rates.input_per_m))


def rates_of(label: str | None, pricing: Pricing) -> Rates | None:
    """Return the rates of `label`: its own, else those of `default`, else None."""
    own = None if label is None else pricing.models.get(label)
    return own or pricing.models.get(DEFAULT_LABEL)


def known_total(cost: CostUsd) -> Decimal | None:
    """Return the whole cost, None if the tokens are unknown."""
    return least_total(cost) if cost.tokens_known else None


def least_total(cost: CostUsd) -> Decimal:
    """Return the cost that is certain: the time, and the tokens if they are known."""
    return recorded_decimal(cost.total)


def _record(
    uncached: Decimal | None,
    cache_read: Decimal | None,
    output: Decimal | None,
    time: Decimal,
    cache_write: Decimal | None = None,
) -> CostUsd:
    total = time
    for part in (uncached, cache_read, output, cache_write):
        total = total if part is None else EXACT.add(total, part)
    return CostUsd(
        uncached_input=_number(uncached),
        cache_read=_number(cache_read),
        output=_number(output),
        time=float(time),
        total=float(min(total, _MOST)),
        tokens_known=output is not None,
        cache_split_known=cache_read is not None,
        cache_write=UNSET if cache_write is None else float(cache_write),
    )


def _tokens(count: int, per_million: Decimal) -> Decimal:
    return _rounded(EXACT.divide(EXACT.multiply(Decimal(count), per_million), Decimal(_MILLION)))


def _time(wall_s: float, rates: Rates | None, pricing: Pricing) -> Decimal:
    own = None if rates is None else rates.time_per_hour
    hourly = pricing.time_per_hour if own is None else own
    seconds = recorded_decimal(round(wall_s, 3))
    return _rounded(EXACT.divide(EXACT.multiply(seconds, hourly), Decimal(_SECONDS_PER_HOUR)))


def _rounded(amount: Decimal) -> Decimal:
    """Return `amount` to six decimals, at most the largest float."""
    return min(amount.quantize(_MICRO, context=EXACT), _MOST)


def _number(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)
