"""Any Python value as JSON, so that no evidence is lost because of its type."""

from __future__ import annotations

import json
import math
from typing import Any

DEEPEST = 100
"""The deepest nesting of a value: deeper than tool results, less deep than readers can follow."""

INTEGER_BITS = 10_000
"""The size from which an integer is not written: Python reads and writes at most 4300 digits."""


def json_value(value: object) -> Any:
    """Return `value` with every leaf that JSON lacks replaced by its `repr`.

    NaN, infinities and enormous integers are such leaves. Tuples become arrays and keys become
    strings. A value that contains itself, or is nested too deeply, is replaced by a note.
    """
    return _json_value(value, ())


def _json_value(value: object, above: tuple[int, ...]) -> Any:
    """Convert `value`; `above` are the ids of the containers around it."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return value if value.bit_length() < INTEGER_BITS else hex(value)
        case float():
            return value if math.isfinite(value) else repr(value)
        case dict() | list() | tuple():
            return _container(value, above)
        case _:
            return _repr(value)


def _container(value: dict[Any, Any] | list[Any] | tuple[Any, ...], above: tuple[int, ...]) -> Any:
    if id(value) in above or len(above) == DEEPEST:
        return f"<{type(value).__name__} nested too deeply>"
    inside = (*above, id(value))
    if isinstance(value, dict):
        return {_key(key): _json_value(item, inside) for key, item in value.items()}
    return [_json_value(item, inside) for item in value]


def _key(key: object) -> str:
    if isinstance(key, str):
        return key
    return json.dumps(key) if key is None or isinstance(key, int) else _repr(key)


def _repr(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - a foreign object's repr may do anything
        return f"<{type(value).__name__} without a repr>"
