"""Whether an exception of foreign code is a report or a bug, which needs its stack."""

from __future__ import annotations

import traceback


def bug_traceback(error: BaseException) -> str | None:
    """Return the stack of an exception; None where it is how drivers report trouble.

    docs/writing-a-runtime.md asks drivers to raise RuntimeError with a text for people; a stack
    below it would only hide that text. Anything else is somebody's bug, and needs its stack.
    """
    a_bug = isinstance(error, NotImplementedError | RecursionError)
    if isinstance(error, RuntimeError | OSError) and not a_bug:
        return None
    return "".join(traceback.format_exception(error))
