"""Values and exceptions from agents, tools and probes: described safely, or copied as JSON data.

Evidence is copied before it is scored, so that the live run and the saved trace are scored from the
same values.
"""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from wt_git.api.json_values import json_value

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """Return the message of `error`; of one that Python raised by itself, also its type and place.

    `'percent' (KeyError at brain.py:12)`. The place is the innermost line outside this package and
    outside installed libraries, where there is one. An exception that a driver raises to report
    trouble is described by its message alone.
    """
    text = safe_text(error)
    if not isinstance(error, _BUILTIN_ERRORS):
        return text
    place = next((f" at {place}" for place in _author_places(error)), "")
    return f"{text} ({type(error).__name__}{place})"


def _author_places(error: Exception) -> Iterator[str]:
    """Yield the places of the authors' own code that `error` came through, the innermost first."""
    import sysconfig  # noqa: PLC0415 - only for a run that broke

    installed = {
        sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
    }
    steps, step = [], error.__traceback__
    while step is not None:
        steps.append((step.tb_frame, step.tb_lineno))
        step = step.tb_next
    for frame, line in reversed(steps):
        path = PurePath(frame.f_code.co_filename)
        is_ours = str(frame.f_globals.get("__name__")).startswith("wt_git.")
        if not is_ours and not any(path.is_relative_to(folder) for folder in installed):
            yield f"{path.name}:{line}"
