"""Writing a document as two-space JSON, fast enough to do it twice a run."""

from __future__ import annotations

from pydantic_core import PydanticSerializationError, to_json

from wt_git import files
from wt_git.api.json_values import json_value

_NOT_JSON = (b"NaN", b"Infinity")


def document(value: object) -> str:
    """Return `value` as two-space indented JSON with real Unicode, without a final newline.

    The standard library's indented writer is pure Python and was half of what a run cost; this one
    is compiled. What JSON cannot hold (an agent may send NaN as an argument, or half a surrogate
    pair) is written as its `repr` rather than losing the run.
    """
    try:
        data = to_json(value, indent=2)
    except (PydanticSerializationError, ValueError, RecursionError):
        return files.json_document(json_value(value))
    if any(word in data for word in _NOT_JSON):
        return files.json_document(json_value(value))
    return data.decode()
