"""Values that agents, tools and probes hand over: described without trust, frozen into JSON data.

Evidence is frozen before it is scored, so that a verdict on the live run and one on the saved trace
rest on the same values.
"""

from __future__ import annotations

import json
from typing import Any

from wt_git.api.json_values import json_value


def safe_repr(value: object) -> str:
    """Return `repr(value)`, or a note of the type where the value cannot describe itself."""
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - the value belongs to somebody else
        return f"<{type(value).__name__} without a repr>"


def safe_text(value: object) -> str:
    """Return `str(value)`; of an exception without a message, its type's name."""
    try:
        return str(value) or type(value).__name__
    except Exception:  # noqa: BLE001 - as above
        return f"<{type(value).__name__} without a text>"


def whole_or_repr(value: Any) -> Any:
    """Return a copy of `value` as JSON reads it back, or its repr when any part is not JSON."""
    if value is None or isinstance(value, (str, bool)):
        return value
    try:
        return _as_json_reads_it(value)
    except (TypeError, ValueError, RecursionError):
        return safe_repr(value)


def frozen(value: Any) -> Any:
    """Return a copy of `value` as JSON reads it back, each part that is not JSON as its repr.

    Of a value that contains itself the whole becomes its repr.
    """
    try:
        return _as_json_reads_it(value)
    except (TypeError, ValueError, RecursionError):
        return safe_repr(value) if _contains_itself(value) else json_value(value)


def _as_json_reads_it(value: Any) -> Any:
    return json.loads(json.dumps(value, allow_nan=False))


def _contains_itself(value: object, above: tuple[object, ...] = ()) -> bool:
    if not isinstance(value, (dict, list, tuple)):
        return False
    if any(value is outer for outer in above):
        return True
    inside = value.values() if isinstance(value, dict) else value
    try:
        return any(_contains_itself(item, (*above, value)) for item in inside)
    except RecursionError:
        return True
