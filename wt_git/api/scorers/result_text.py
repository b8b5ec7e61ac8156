"""Tool results and observations as text, for scorers to search, quote and send to a model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wt_git.api.json_values import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHOWN = 200


def as_json(value: object) -> str:
    """Return any `value` as JSON with sorted keys and real Unicode; other types as their repr."""
    return json.dumps(json_value(value), sort_keys=True, ensure_ascii=False)


def excerpt(value: object) -> str:
    """Return `value` as JSON of at most 200 characters, with `...` where it was cut."""
    text = as_json(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def searchable(item: object) -> str:
    """Return a tool's result as text to search for claims: strings unchanged, others as JSON.

    JSON writes some characters with a backslash: a line break before `75` would read `n75`. Where
    there is a backslash, the strings inside the result are therefore added unescaped.
    """
    text = item if isinstance(item, str) else as_json(item)
    if "\\" not in text:
        return text
    return "\n".join([text, *_strings(json_value(item))])


def _strings(value: object) -> Iterator[str]:
    """Yield the strings inside `value`, and those inside a string that is a JSON document."""
    if isinstance(value, str):
        inner = _document(value)
        if inner is None:
            yield value
        else:
            yield from _strings(inner)
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def _document(text: str) -> object:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json_value(json.loads(text))
    except (ValueError, RecursionError):
        return None
