"""Writing a document as two-space JSON, fast enough to do it twice a run."""

from __future__ import annotations

from pydantic_core import PydanticSerializationError, to_json

from wt_git import files
from wt_git.api.json_values import json_value


def document(value: object) -> bytes:
    """Return `value` as two-space indented JSON with real Unicode as UTF-8, without a final newline.

    The standard library's indented writer is pure Python and was half of what a run cost; this one
    is compiled. What JSON cannot hold (an agent may send NaN as an argument, or half a surrogate
    pair) is written as its `repr` rather than losing the run.
    """
    try:
        data = to_json(value, indent=2)
    except (PydanticSerializationError, ValueError, RecursionError):
        return _slowly(value)
    return _slowly(value) if b"NaN" in data or b"Infinity" in data else data


def _slowly(value: object) -> bytes:
    return files.json_document(json_value(value)).encode()
