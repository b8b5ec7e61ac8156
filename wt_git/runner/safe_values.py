"""Values and exceptions from agents, tools and probes: described safely, or copied as JSON data.

Evidence is copied before it is scored, so that the live run and the saved trace are scored from the
same values.
"""

from __future__ import annotations

import json
from typing import Any

from wt_git.api.json_values import json_value
from wt_git.errors import author_place, exception_text, innermost

# Exceptions that Python raises by itself: their messages do not say where the mistake is.
_BUILTIN_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    NotImplementedError,
    RecursionError,
    TypeError,
)


_MOST_CAUSES = 3


def safe_repr(value: object) -> str:
    """Return `repr(value)`, or a note of the type where `__repr__` raises."""
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - the value belongs to a driver, a tool or a probe
        return f"<{type(value).__name__} without a repr>"


def safe_text(value: object) -> str:
    """Return `str(value)`; of an exception without a message, its type's name."""
    try:
        return str(value) or type(value).__name__
    except Exception:  # noqa: BLE001 - as above
        return f"<{type(value).__name__} without a text>"


def json_or_repr(value: Any) -> Any:
    """Return a copy of `value` as JSON reads it back, or its repr when any part is not JSON."""
    if value is None or isinstance(value, (str, bool)):
        return value
    try:
        return _json_round_trip(value)
    except (TypeError, ValueError, RecursionError):
        return safe_repr(value)


def json_with_reprs(value: Any) -> Any:
    """Return a copy of `value` as JSON reads it back, each part that is not JSON as its repr.

    Of a value that contains itself the whole becomes its repr.
    """
    try:
        return _json_round_trip(value)
    except (TypeError, ValueError, RecursionError):
        return safe_repr(value) if _contains_itself(value) else json_value(value)


def _json_round_trip(value: Any) -> Any:
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


def failure_text(error: Exception) -> str:
    """Return the message of `error`, with its type and the last line of the author's own code.

    `'percent' (KeyError at brain.py:12)`. The place is the innermost line outside this package and
    outside installed libraries. Without one, only an exception that Python raises by itself has its
    type, since its message does not say what happened. Of a group the innermost causes are shown.
    """
    causes = innermost(error)
    if len(causes) > 1 or causes[0] is not error:
        return f"{safe_text(error)}: {'; '.join(map(_cause_text, causes[:_MOST_CAUSES]))}"
    text, place = safe_text(error), author_place(error)
    if place is not None:
        kind = type(error).__name__
        return f"{text} ({'' if text == kind else f'{kind} '}at {place})"
    return f"{text} ({type(error).__name__})" if isinstance(error, _BUILTIN_ERRORS) else text


def _cause_text(error: BaseException) -> str:
    place = author_place(error)
    return exception_text(error) if place is None else f"{exception_text(error)} (at {place})"
