"""From an exception to the message that a person reads, and the exit code."""

from __future__ import annotations

import io
import os
import platform
import tempfile
import traceback
from typing import TYPE_CHECKING

import click

from wt_git import __version__
from wt_git.cli.printing import talk, talk_plainly
from wt_git.errors import EXIT_NO, WindTunnelError, exception_text, os_reason
from wt_git.text import close_matches, log_line, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence


def unknown_command(word: str, commands: Sequence[str]) -> str:
    """Return the message for a first word that is not among `commands`."""
    what = "option" if word.startswith("-") else "command"
    near = close_matches(word, [*commands, "--help", "--version"], most=1)
    guess = f"; did you mean '{near[0]}'?" if near else ""
    return (
        f"wt: no such {what} '{log_line(word)}'{guess}\n"
        f"wt: commands: {', '.join(commands)}; `wt --help` says what they do\n"
    )


def end_with(error: BaseException, arguments: Sequence[str]) -> int:
    """Report the error that ended a command, as a record too where records were asked for."""
    if arguments[:1] == ["run"] and "--json" in arguments:
        from wt_git.cli.run.records import refused  # noqa: PLC0415 - for records only

        refused(error, arguments)
    if not isinstance(error, click.ClickException):
        return report_error(error, arguments)
    # Typed text is shown inert; click adds lines of its own around the message.
    vars(error)["message"] = one_line(error.message)
    shown = io.StringIO()
    error.show(shown)
    for line in shown.getvalue().removesuffix("\n").split("\n"):
        talk_plainly(log_line(line))
    return error.exit_code


def report_error(error: BaseException, arguments: Sequence[str]) -> int:
    """Print the message of an error and return the exit code.

    An error of ours has a sentence and commands that help. Anything unexpected is a defect of `wt`:
    its traceback goes into a file that can be attached to a bug report.
    """
    command = arguments[0] if arguments else ""
    if isinstance(error, WindTunnelError):
        talk(command, "\n".join([error.message, *(f"  {hint}" for hint in error.hints)]))
        return error.exit_code
    if isinstance(error, OSError):
        where = f" ('{error.filename}')" if error.filename else ""
        talk(command, f"{os_reason(error)}{where}")
        return EXIT_NO
    if isinstance(error, SystemExit):
        talk(command, f"foreign code (a pack, plugin, hook or driver) called exit({error.code!r})")
        return EXIT_NO
    _defect(error, command, arguments)
    return EXIT_NO


def _defect(error: BaseException, command: str, arguments: Sequence[str]) -> None:
    text = (
        f"wt {__version__}, Python {platform.python_version()}, {platform.platform()}\n"
        f"arguments: {list(arguments)!r}\n\n{''.join(traceback.format_exception(error))}"
    )
    talk(command, f"this is a defect of wt itself: {exception_text(error)}")
    try:
        descriptor, path = tempfile.mkstemp(prefix="wt-defect-", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(text)
    except OSError:
        talk_plainly(text)
    else:
        talk(command, f"please report it, and attach {path}")
