"""Money and ratios as exact decimal numbers, whatever somebody wrote into a configuration."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal

EXACT = Context(prec=1000, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=[])
"""Wide enough for the sum and product of any two finite floats; only quotients are rounded."""

_SHOWN_IN_FULL = 20


def of_record(number: float) -> Decimal:
    """Return a float of a record as the decimal number that its text shows."""
    return Decimal(str(number))


def plain(amount: Decimal) -> str:
    """Return `amount` without zeros that say nothing: `2`, `0.05`."""
    short = amount.normalize(EXACT)
    return format(short, "f") if abs(short.adjusted()) < _SHOWN_IN_FULL else str(short)
