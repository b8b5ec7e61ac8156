"""Reads values out of records of any age: a value of the right kind, or none."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST = 10**15
"""A number that is no longer exact as a float is no amount that anybody spent."""


def text(value: object) -> str | None:
    """Return `value` if it is text."""
    return value if isinstance(value, str) else None


def flag(value: object) -> bool | None:
    """Return `value` if it is a bool."""
    return value if isinstance(value, bool) else None


def whole(value: object) -> int | None:
    """Return `value` if it is a count: a whole number of at least 0, never a bool."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _MOST:
        return None
    return value


def amount(value: object) -> Decimal | None:
    """Return `value` as the decimal that the file shows, if it is a finite number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST:
        return None  # NaN is in no range
    return Decimal(str(value))


def within(value: object) -> Mapping[str, Any]:
    """Return `value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def is_version(value: object, *known: int) -> bool:
    """Say whether `value` is one of the `known` version numbers; True is not 1."""
    return not isinstance(value, bool) and isinstance(value, int) and value in known
