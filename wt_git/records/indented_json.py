"""Writes traces, sidecars and artifacts as two-space indented JSON, fast enough for every run."""

from __future__ import annotations

import math
from json.encoder import encode_basestring
from types import NoneType
from typing import TYPE_CHECKING, Any

from wt_git import files
from wt_git.api.json_values import json_value

if TYPE_CHECKING:
    from collections.abc import Callable

_DEEPEST = 200


def indented_json(value: object) -> bytes:
    """Return `value` as two-space indented JSON with real Unicode as UTF-8, without a final newline.

    The standard library's writer is a chain of generators, one for each level, and took half the time
    of a run. A value that JSON cannot hold (an agent may send NaN as an argument, or half a surrogate
    pair) is written as its `repr`, so that the run is not lost.
    """
    try:
        return _written(value, "\n").encode()
    except (TypeError, ValueError):
        return files.json_document(json_value(value)).encode()


def _written(value: object, line: str) -> str:
    """Return `value` as JSON; `line` is a line break and its indentation."""
    scalar = _SCALARS.get(type(value))
    if scalar is not None:
        return scalar(value)
    inside = line + "  "
    if len(inside) > _DEEPEST:
        raise ValueError("nested deeper than a reader could follow")
    if type(value) is dict:
        items = [
            f"{inside}{encode_basestring(key)}: {_written(item, inside)}"
            for key, item in value.items()
        ]
        return f"{{{','.join(items)}{line}}}" if items else "{}"
    if type(value) is list or type(value) is tuple:
        items = [inside + _written(item, inside) for item in value]
        return f"[{','.join(items)}{line}]" if items else "[]"
    raise TypeError(f"JSON has no {type(value).__name__}")


def _finite(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(f"JSON has no {value}")
    return repr(value)


_SCALARS: dict[type, Callable[[Any], str]] = {
    NoneType: lambda _: "null",
    bool: lambda value: "true" if value else "false",
    int: repr,
    float: _finite,
    str: encode_basestring,
}
