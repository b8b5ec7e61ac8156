"""How invented calls and results go wrong: arguments that break, pages that were cut."""

from __future__ import annotations

import json
from typing import Any

from wt_git.api.perturbations.chat_messages import json_text


def corrupt_arguments(arguments: str, mode: str) -> str:
    """Return a call's argument text gone wrong.

    `broken_json` cuts it in half and leaves rubbish behind. Any other mode renames the fields, or,
    where there are none, appends a field that makes the text no JSON.
    """
    if mode == "broken_json":
        return arguments[: max(len(arguments) // 2, 1)] + "INVALID{{{"
    fields = _fields(arguments)
    if fields is None:
        return arguments + ', "x_corrupted": true}'
    return json_text({f"x_{key}": value for key, value in fields.items()})


def corrupt_call(call: object, mode: str) -> Any:
    """Return a copy of `call`, in either shape, with its arguments as corrupted text.

    Arguments that were already decoded are encoded first. A call without arguments stays as it is.
    """
    if not isinstance(call, dict):
        return call
    function = call.get("function")
    if isinstance(function, dict) and "arguments" in function:
        return {**call, "function": _corrupted(function, "arguments", mode)}
    return _corrupted(call, "args", mode) if "args" in call else call


def _corrupted(holder: dict[str, Any], key: str, mode: str) -> dict[str, Any]:
    arguments = holder[key]
    text = arguments if isinstance(arguments, str) else json_text(arguments)
    return {**holder, key: corrupt_arguments(text, mode)}


def _fields(arguments: str) -> dict[Any, Any] | None:
    """Return the fields that `arguments` spell, in JSON or as small models write: in Python."""
    fields = _decoded(arguments)
    if fields is None:
        import ast  # noqa: PLC0415 - slow to import, and needed for odd arguments only

        try:
            fields = ast.literal_eval(arguments)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None
    return fields if isinstance(fields, dict) else None


def cut_page(text: str, returned: int) -> str:
    """Return a tool's result as if only the first `returned` rows of it had been delivered.

    The page is the JSON object that `text` spells, or the one in its `result` string. Any other
    text becomes the result of such an object.
    """
    outer = _decoded(text)
    if not isinstance(outer, dict):
        return json_text(_cut({"result": text}, returned))
    if isinstance(outer.get("result"), str):
        inner = _decoded(outer["result"])
        if isinstance(inner, dict):
            return json_text({**outer, "result": json_text(_cut(inner, returned))})
    return json_text(_cut(outer, returned))


def _cut(page: dict[str, Any], returned: int) -> dict[str, Any]:
    old = page.get("pagination")
    pagination = {**(old if isinstance(old, dict) else {}), "hasMore": True, "returned": returned}
    note = f"The results were cut at {returned}; pass an offset to reach the rest."
    return {**page, "pagination": pagination, "note": note}


def _decoded(text: str) -> object:
    """Return what `text` spells as JSON, None when it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
