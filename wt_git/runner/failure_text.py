"""What a run that broke says of it: the message of the exception, and of a slip its place."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from wt_git.runner.foreign_values import safe_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_SLIPS = (
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
"""What Python raises by itself: the message was not written for whoever reads the run."""
_OURS = "wt_git"


def failure_text(error: Exception) -> str:
    """Return the message of `error`; behind that of a slip in somebody's code its type and place.

    `'percent' (KeyError at brain.py:12)`. The place is the innermost line that is neither ours nor
    that of an installed library, where there is one. What a driver raises to report trouble says all
    there is to say.
    """
    text = safe_text(error)
    if not isinstance(error, _SLIPS):
        return text
    place = next((f" at {place}" for place in _places(error)), "")
    return f"{text} ({type(error).__name__}{place})"


def _places(error: Exception) -> Iterator[str]:
    """Yield the places of the authors' own code that `error` came through, the innermost first."""
    import sysconfig  # noqa: PLC0415 - only for a run that broke
    import traceback  # noqa: PLC0415

    installed = {
        sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
    }
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        path = PurePath(frame.f_code.co_filename)
        is_ours = str(frame.f_globals.get("__name__")).split(".", 1)[0] == _OURS
        if not is_ours and not any(path.is_relative_to(folder) for folder in installed):
            yield f"{path.name}:{line}"
