"""A universe's tools in the form in which the protocol lets them be listed.

One tool that the protocol refuses would hide all others from the agent: clients reject the list.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def listed_tool(definition: Mapping[str, Any]) -> dict[str, Any]:
    """Return `{name, description, input_schema}` of a tool, as far as it can be sent."""
    tool = {
        "name": definition["name"],
        "description": definition["description"],
        "input_schema": sendable_schema(definition["input_schema"]),
    }
    if is_unicode(text := json.dumps(tool, ensure_ascii=False)):
        return tool
    repaired: dict[str, Any] = json.loads(text.encode("utf-8", "replace"))
    return repaired


def sendable_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema of arguments whose root is what the protocol demands of one.

    Arguments are an object, whether or not the recording says so. What stands under the root's
    keywords in another shape than theirs is left out.
    """
    kept = {
        keyword: value
        for keyword, value in schema.items()
        if keyword not in _SHAPES or _SHAPES[keyword](value)
    }
    return {**kept, "type": "object"}


def is_unicode(text: str) -> bool:
    """Say whether a text can be sent: half of a surrogate pair has no form in UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_properties(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(schema, (Mapping, bool)) for schema in value.values()
    )


def _is_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


_SHAPES = {
    "$schema": lambda value: isinstance(value, str),
    "properties": _is_properties,
    "required": _is_names,
}
