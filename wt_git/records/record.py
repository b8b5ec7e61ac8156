"""How a record is declared, and how records and documents become JSON.

`Record` is for the lines that a sweep writes, `Document` in
`wt_git/records/documents/document.py` for a command's output.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from json.encoder import encode_basestring
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias

from wt_git import files
from wt_git.api.json_values import json_value

if TYPE_CHECKING:
    from collections.abc import Callable

Text: TypeAlias = str
"""A string from outside: whatever an agent sent or a file is called."""


def as_recorded(text: str) -> str:
    """Return `text` as a record holds it.

    Agents and file names can carry half a surrogate pair; UTF-8 cannot, so it becomes U+FFFD.
    """
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(frozen=True, kw_only=True)
class Record:
    """A line that is written once and read for years; its fields are its keys, in their order.

    Plain dataclasses, since importing pydantic takes a third of the time that a small sweep may
    take. They are models for pydantic all the same: `TypeAdapter(LedgerRow)` validates a line, and
    tests hold what is on disk against it. Every string in a record can be encoded as UTF-8, and
    lists and dicts are its own.
    """

    def __post_init__(self) -> None:
        self.__dict__.update({name: encodable(value) for name, value in self.__dict__.items()})

    def as_document(self) -> dict[str, Any]:
        """Return the record as JSON holds it."""
        return {name: _as_document(value) for name, value in self.__dict__.items()}


def encodable(value: Any) -> Any:
    """Return `value` with every string in it as recorded; lists and dicts are copied."""
    if isinstance(value, str):
        return as_recorded(value)
    if isinstance(value, dict):
        return {encodable(key): encodable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [encodable(item) for item in value]
    return value


def _as_document(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_document(item) for item in value]
    if isinstance(value, dict):
        return {key: _as_document(item) for key, item in value.items()}
    return value.as_document() if isinstance(value, Record) else value


_DEEPEST = 200


def document(value: object) -> bytes:
    """Return `value` as two-space indented JSON with real Unicode as UTF-8, without a final newline.

    The standard library's writer is a chain of generators, one for each level, and was half of what
    a run cost. What JSON cannot hold (an agent may send NaN as an argument, or half a surrogate
    pair) is written as its `repr` rather than losing the run.
    """
    try:
        return _written(value, "\n").encode()
    except (TypeError, ValueError):
        return files.json_document(json_value(value)).encode()


def _written(value: object, line: str) -> str:
    """Return `value` as JSON; `line` is a line break and the indentation of where it stands."""
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
