"""Taking over a value that must be JSON: other types are refused by place, not repaired."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from wt_git.api.document_reader import shown
from wt_git.api.json_values import DEEPEST, INTEGER_BITS


def json_copy(value: object, where: str, error: type[ValueError], *, level: int = 0) -> Any:
    """Return a copy of `value` in JSON's own types, sharing nothing with it.

    Raises `error`, which names the place below `where`, for values of other types, NaN, infinities,
    enormous integers, names that are no strings, and what is nested deeper than `DEEPEST`, which is
    also what contains itself.
    """
    if level > DEEPEST:
        raise error(f"{where} is nested deeper than {DEEPEST} levels")
    match value:
        case None | bool() | str():
            return value
        case int() if value.bit_length() < INTEGER_BITS:
            return value
        case float() if math.isfinite(value):
            return value
        case list() | tuple():
            return [
                json_copy(item, f"{where}[{index}]", error, level=level + 1)
                for index, item in enumerate(value)
            ]
        case Mapping():
            return {
                _name(name, where, error): json_copy(
                    item, f"{where}.{name}", error, level=level + 1
                )
                for name, item in value.items()
            }
        case _:
            raise error(f"{where} must be a JSON value, got {shown(value)}")


def _name(name: object, where: str, error: type[ValueError]) -> str:
    if not isinstance(name, str):
        raise error(f"{where} must have strings for names, got {shown(name)}")
    return name
