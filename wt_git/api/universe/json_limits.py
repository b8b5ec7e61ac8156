"""Values of a universe: what every JSON reader takes, and no deeper than it can follow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from wt_git.api.document_reader import shown
from wt_git.api.universe.definition import UniverseFormatError

_DEPTH = 100
_INTEGER_BITS = 10_000  # Python neither writes nor reads integers of more than 4300 digits


def json_copy(value: object, where: str, depth: int = 0) -> Any:
    """Return a copy of `value` in JSON's own types; raises `UniverseFormatError` naming the place.

    Refused are other types, NaN and infinities, enormous integers, and what is nested deeper than
    100 levels, which is also what contains itself.
    """
    if depth > _DEPTH:
        raise UniverseFormatError(f"{where} is nested deeper than {_DEPTH} levels")
    match value:
        case None | bool() | str():
            return value
        case int() if value.bit_length() < _INTEGER_BITS:
            return value
        case float() if math.isfinite(value):
            return value
        case list() | tuple():
            return [
                json_copy(item, f"{where}[{place}]", depth + 1) for place, item in enumerate(value)
            ]
        case Mapping():
            return {
                _name(name, where): json_copy(item, f"{where}.{name}", depth + 1)
                for name, item in value.items()
            }
        case _:
            raise UniverseFormatError(f"{where} must be a JSON value, got {shown(value)}")


def _name(name: object, where: str) -> str:
    if not isinstance(name, str):
        raise UniverseFormatError(f"{where} must have strings for names, got {shown(name)}")
    return name
