"""The values that written figures may have: separators, groups, versions and codes."""

from __future__ import annotations

import re
from decimal import Decimal

_MOST_DIGITS = 40
_GROUP = 3


def is_code(digits: str) -> bool:
    """Say whether figures begin with a zero that counts nothing."""
    return len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()


def is_version(digits: str) -> bool:
    """Say whether figures with several dots are a version, an address or a date."""
    return digits.count(".") > 1 and not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{3})+(,[0-9]+)?", digits)


def certain_mark(digits: str) -> str | None:
    """Return the decimal mark of figures that can be read in one way only."""
    if "," in digits and "." in digits:
        return max(",.", key=digits.rfind)
    for mark, other in (",.", ".,"):
        if digits.count(mark) > 1 and re.fullmatch(
            rf"[0-9]{{1,3}}(?:{re.escape(mark)}[0-9]{{3}})+", digits
        ):
            return other
        if digits.count(mark) == 1:
            whole, _, rest = digits.partition(mark)
            if len(rest) != _GROUP or len(whole) > _GROUP or whole == "0":
                return mark
    return None


_COMMA_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{2,3})*,[0-9]{3}(?:\.[0-9]+)?")
_DOT_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:,[0-9]+)?")


def values_of(digits: str, decimal: str | None) -> frozenset[Decimal]:
    """Return the values that figures may have; `decimal` is the mark that the text shows.

    Three zeros behind a mark are a group: nobody counts with so exact a fraction.
    """
    plain = digits.replace(" ", "").replace("'", "")
    if len(plain) > _MOST_DIGITS:
        return frozenset()
    readings = set()
    if decimal != "," and _COMMA_GROUPS.fullmatch(plain):
        readings.add(plain.replace(",", ""))
    if decimal != "." and _DOT_GROUPS.fullmatch(plain):
        readings.add(plain.replace(".", "").replace(",", "."))
    is_group = plain.endswith("000") and bool(readings)
    if decimal != "." and plain.count(",") == 1 and "." not in plain and not is_group:
        readings.add(plain.replace(",", "."))
    if decimal != "," and "," not in plain and plain.count(".") <= 1 and not is_group:
        readings.add(plain)
    if not readings:
        readings.update(re.split(r"[.,]", plain))
    return frozenset(Decimal(one) for one in readings if one.count(".") <= 1)


def part_values(digits: str) -> frozenset[Decimal]:
    """Return the parts of figures as numbers of their own."""
    return frozenset(Decimal(part) for part in re.findall(r"[0-9]+", digits))
