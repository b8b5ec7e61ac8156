"""The arguments of a tool call: out of the wrappers of several wires, and into comparable form.

docs/recorded-servers.md, "Arguments".
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

from wt_git.api.json_values import json_value


def normalize_tool_args(args: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a call's flat parameters, as a copy.

    Unwrapped are `{"function": {"arguments": X}}`, `{"name": …, "args": {…}}`, and `{"arguments": X}`
    beside `name` or `type`, where X is an object or the JSON text of one; any other X has no
    parameters. A parameter that is merely called `args` or `arguments` is none of these.
    """
    if args is None:
        return {}
    function = args.get("function")
    if isinstance(function, Mapping) and "arguments" in function:
        return _decoded(function["arguments"])
    if "name" in args and isinstance(args.get("args"), Mapping):
        return _copied(args["args"])
    if "arguments" in args and ("name" in args or "type" in args):
        return _decoded(args["arguments"])
    return _copied(args)


def wrapped_where_needed(args: object) -> object:
    """Return what `normalize_tool_args` turns into `args`.

    That is `args` itself, except for parameters which look like a wrapper of others.
    """
    if not isinstance(args, Mapping) or normalize_tool_args(args) == args:
        return args
    return {"function": {"arguments": args}}


def canonical_args(args: Mapping[Any, Any]) -> dict[str, str]:
    """Return each argument's canonical JSON by its name.

    Equality of values is equality of these texts, so 1 is neither 1.0 nor true.
    """
    return {
        name if isinstance(name, str) else canonical_json(name): canonical_json(value)
        for name, value in args.items()
    }


def canonical_json(value: object) -> str:
    """Return `value` as compact JSON with sorted keys, whatever it is."""
    try:
        return _dumped(value)
    except (TypeError, ValueError, RecursionError):  # from Python code: JSON has no such values
        return _dumped(json_value(value))


def _dumped(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _decoded(wrapped: object) -> dict[str, Any]:
    if isinstance(wrapped, str):
        try:
            wrapped = json.loads(wrapped)
        except (ValueError, RecursionError):
            return {}
    return _copied(wrapped) if isinstance(wrapped, Mapping) else {}


def _copied(args: Mapping[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(dict(args))
