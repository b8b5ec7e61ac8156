"""Starting the git program, always with the same environment."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess  # noqa: TID251 - the one place that starts git
from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import GitError, os_reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

# Users and CI set these for their configuration and their hosts. All other GIT_ variables are removed:
# inside a hook git sets them, and they name the repository and the index of the hook.
_KEPT = frozenset(
    {
        "GIT_ALLOW_PROTOCOL",
        "GIT_ASKPASS",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
        "GIT_EXEC_PATH",
        "GIT_HTTP_PROXY_AUTHMETHOD",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSL_CAINFO",
        "GIT_SSL_NO_VERIFY",
    }
)
_KEPT_PREFIXES = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
# Git takes no optional lock, asks for no password, and prints the English messages that callers
# compare.
_SET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}

_GRACE_S = 0.5


class Answer(NamedTuple):
    """The exit status of a git command and its output."""

    status: int
    out: bytes
    err: str


def run(
    args: Sequence[str],
    *,
    cwd: Path,
    timeout_s: float = 60.0,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
) -> bytes:
    """Run git with `args` in the folder `cwd` and return its output.

    `env` is added to the environment, which has no inherited `GIT_` variable that names a repository.
    Raises `GitError` when git is missing, failed, or took longer than `timeout_s`.
    """
    answer = ask(args, cwd=cwd, timeout_s=timeout_s, stdin=stdin, env=env)
    if answer.status != 0:
        raise failure(args, cwd, answer)
    return answer.out


def ask(
    args: Sequence[str],
    *,
    cwd: Path,
    timeout_s: float = 60.0,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
) -> Answer:
    """Run git as `run` does, and return its exit status also if it failed.

    Raises `GitError` when git is missing or took longer than `timeout_s`.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 - a list, no shell
            ["git", *args],  # noqa: S607 - the user's git is the one on PATH
            cwd=cwd,
            env=clean_environment(os.environ) | dict(env or {}),  # noqa: TID251
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C ends the sweep in order, not the running git
        )
    except OSError as error:
        raise _not_started(args, cwd, error) from error
    with process:
        try:
            out, err = process.communicate(stdin or None, timeout=timeout_s)
        except BaseException as error:
            _kill(process)
            if isinstance(error, subprocess.TimeoutExpired):
                # The reason first: the end of a long line may be cut.
                raise GitError(
                    f"git took longer than {timeout_s:g} s: git {_shortened_command(args)} in '{cwd}'",
                    code="git-timeout",
                    facts={**_command_facts(args, cwd), "timeout_s": timeout_s},
                    retryable=True,
                ) from error
            raise
    return Answer(process.returncode, out, err.decode("utf-8", "replace").strip())


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End git and its child processes, first by a signal on which git removes its lock files."""
    with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(_GRACE_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def failure(args: Sequence[str], cwd: Path, answer: Answer) -> GitError:
    """Return the error for a failed git command, with git's own message."""
    said = answer.err or f"it ended with status {answer.status}"
    return GitError(
        f"git {_shortened_command(args)} in '{cwd}' failed: {said}",
        code="git-failed",
        facts={**_command_facts(args, cwd), "status": answer.status, "said": answer.err},
    )


def _command_facts(args: Sequence[str], cwd: Path) -> dict[str, object]:
    return {"command": ["git", *args], "folder": str(cwd)}


def clean_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return `environ` without the variables that name a repository."""
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith("GIT_") or name in _KEPT or name.startswith(_KEPT_PREFIXES)
    }
    return kept | _SET


def _not_started(args: Sequence[str], cwd: Path, error: OSError) -> GitError:
    about = _command_facts(args, cwd)
    if not cwd.is_dir():
        return GitError(
            f"there is no folder '{cwd}' to run git in", code="git-folder-missing", facts=about
        )
    facts = {**about, "reason": os_reason(error)}
    said = f"git could not be started: {error}"
    code = "git-not-started"
    if isinstance(error, FileNotFoundError):
        said = "git is not installed, or not on PATH"
        code = "git-missing"
    return GitError(said, hints=("git --version",), code=code, facts=facts)


def _shortened_command(args: Sequence[str]) -> str:
    text = " ".join(args)
    return text if len(text) <= 200 else text[:197] + "..."  # noqa: PLR2004
