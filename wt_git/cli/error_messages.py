"""From an exception to the message that a person reads, and the exit code."""

from __future__ import annotations

import os
import platform
import tempfile
import traceback
from typing import TYPE_CHECKING

from wt_git import __version__
from wt_git.cli.printing import talk, talk_plainly
from wt_git.errors import EXIT_NO, WindTunnelError

if TYPE_CHECKING:
    from collections.abc import Sequence


def report_error(error: BaseException, arguments: Sequence[str]) -> int:
    """Print what went wrong and return the exit code.

    Our own errors are their sentence and the commands that help. Anything else is a defect of the
    program: its stack goes into a file that can be attached to a bug report.
    """
    command = arguments[0] if arguments else ""
    if isinstance(error, WindTunnelError):
        talk(command, "\n".join([error.message, *(f"  {hint}" for hint in error.hints)]))
        return error.exit_code
    if isinstance(error, OSError):
        where = f" ('{error.filename}')" if error.filename else ""
        talk(command, f"{error.strerror or error}{where}")
        return EXIT_NO
    if isinstance(error, SystemExit):
        talk(command, f"foreign code (a pack, plugin, hook or driver) called exit({error.code!r})")
        return EXIT_NO
    _defect(error, command, arguments)
    return EXIT_NO


def _defect(error: BaseException, command: str, arguments: Sequence[str]) -> None:
    text = "\n".join(
        [
            f"wt {__version__}, Python {platform.python_version()}, {platform.platform()}",
            f"arguments: {list(arguments)!r}",
            "",
            "".join(traceback.format_exception(error)),
        ]
    )
    talk(command, f"this is a defect of wt itself: {type(error).__name__}: {error}")
    try:
        descriptor, path = tempfile.mkstemp(prefix="wt-defect-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
    except OSError:
        talk_plainly(text)
    else:
        talk(command, f"please report it, and attach {path}")
