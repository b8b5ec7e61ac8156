"""Making any Python value one that JSON can hold, so that evidence is never lost to its own type."""

from __future__ import annotations

import math
from typing import Any

_DEPTH = 100


def json_value(value: object, *, depth: int = _DEPTH) -> Any:
    """Return `value` with every leaf that JSON cannot hold replaced by its `repr`.

    NaN and infinities count among those. Tuples become arrays, keys become strings, and what is
    nested deeper than `depth` (a cycle, for one) is cut off with a note.
    """
    match value:
        case None | bool() | str() | int():
            return value
        case float():
            return value if math.isfinite(value) else repr(value)
        case dict() | list() | tuple() if depth == 0:
            return f"<{type(value).__name__} nested too deeply>"
        case dict():
            return {_key(key): json_value(item, depth=depth - 1) for key, item in value.items()}
        case list() | tuple():
            return [json_value(item, depth=depth - 1) for item in value]
        case _:
            return _repr(value)


def _key(key: object) -> str:
    return key if isinstance(key, str) else _repr(key)


def _repr(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - a foreign object's repr may do anything
        return f"<{type(value).__name__} without a repr>"
