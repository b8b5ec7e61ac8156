"""The error tree, its stable codes, and the exit codes of the command line.

    WindTunnelError            an error that the user can cause and fix
    ├── UsageError             the command is wrong                             exit 2
    │   ├── ConfigurationError pyproject.toml has an invalid setting            exit 2
    │   └── LoadError          a pack, runtime, hook or scheduler did not load  exit 2
    ├── BusyError              the runtime is in use, and the command must not wait   exit 75
    ├── StorageError           a record could not be written or read            exit 1
    └── GitError               the git program could not answer                 exit 2

Beside the message for people, an error has members for programs (`code`, `facts`, `hints`,
`retryable`). Library code raises; only `wt_git.cli` prints, and it prints these without a traceback.
docs/messages.md has one entry for each code.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping

EXIT_YES = 0
EXIT_NO = 1
EXIT_USAGE = 2
EXIT_BUSY = 75
EXIT_TIMED_OUT = 124
EXIT_INTERRUPTED = 130
EXIT_TERMINATED = 143


class WindTunnelError(Exception):
    """An error that the user can cause and fix.

    `code` names it. `hints` are lines for people below the message; `commands` are those of them
    that can be pasted and run. `facts` are named values that JSON can hold. `retryable`: the same
    command may succeed later without any change; given where an error differs from its class.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = EXIT_NO
    retryable: bool = False

    def __init__(
        self,
        message: str,
        *,
        hints: tuple[str, ...] = (),
        code: str = "",
        facts: Mapping[str, object] | None = None,
        commands: tuple[str, ...] = (),
        retryable: bool | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hints = hints
        self.specific_code = code or self.code
        self.facts = dict(facts or {})
        self.commands = commands
        if retryable is not None:
            self.retryable = retryable


class UsageError(WindTunnelError):
    """The command or its arguments are wrong; nothing was run."""

    code = "usage"
    exit_code = EXIT_USAGE


class ConfigurationError(UsageError):
    """`pyproject.toml` has an invalid value, key or table."""

    code = "configuration"


class LoadError(UsageError):
    """A pack, runtime, hook or scheduler named by the caller could not be loaded."""

    code = "load"


class BusyError(WindTunnelError):
    """The runtime is in use by another sweep, and the command must not wait."""

    code = "busy"
    exit_code = EXIT_BUSY
    retryable = True


class WaitStopped(Exception):  # noqa: N818 - the caller asked for it, so it is no error
    """The wait for a runtime was ended, by a signal for one."""


class StorageError(WindTunnelError):
    """A file of the runs directory could not be written or read."""

    code = "storage"


class GitError(WindTunnelError):
    """The git program is missing, failed, or took too long."""

    code = "git"
    exit_code = EXIT_USAGE


def exception_text(error: BaseException) -> str:
    """Return any exception as its type and message, `OSError: disk full`; the type alone without one.

    It also describes a plugin's exception that has no readable message.
    """
    kind = type(error).__name__
    try:
        text = str(error).strip()
    except (Exception, SystemExit):  # noqa: BLE001 - a plugin may raise anything
        text = ""
    return f"{kind}: {text}" if text else kind


def innermost(error: BaseException) -> list[BaseException]:
    """Return the exceptions inside of groups, at any depth; of any other exception itself."""
    if not isinstance(error, BaseExceptionGroup):
        return [error]
    return [inner for part in error.exceptions for inner in innermost(part)]


def author_place(error: BaseException) -> str | None:
    """Return the file and line of the author's own code that `error` came through last: `brain.py:12`.

    That is the innermost line outside this package and outside installed libraries; of a syntax
    error the line that is wrong. None where there is no such line.
    """
    import sysconfig  # noqa: PLC0415 - only for a failure

    if isinstance(error, SyntaxError) and error.filename:
        return f"{PurePath(error.filename).name}:{error.lineno}"
    installed = [
        sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")
    ]
    found, step = None, error.__traceback__
    while step is not None:
        path = PurePath(step.tb_frame.f_code.co_filename)
        is_ours = str(step.tb_frame.f_globals.get("__name__")).startswith("wt_git.")
        is_file = path.suffix == ".py"  # frozen and generated code has no file
        if is_file and not is_ours and not any(path.is_relative_to(one) for one in installed):
            found = f"{path.name}:{step.tb_lineno}"
        step = step.tb_next
    return found


def os_reason(error: OSError) -> str:
    """Return why the system refused something, without the path: `Permission denied`."""
    return error.strerror or str(error)
