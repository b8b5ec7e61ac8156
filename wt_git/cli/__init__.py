"""The command line: `wt`, also as `windtunnel`, `git windtunnel` and `python -m wt_git`.

A table of commands and a dispatcher. Each command is a module that is imported when it is used, and
and has one door to its work. `wt --help` does not even load click.
"""

from __future__ import annotations

import gc
import importlib
import sys
from typing import TYPE_CHECKING, NamedTuple

from wt_git import __version__
from wt_git.cli import process
from wt_git.errors import EXIT_INTERRUPTED, EXIT_NO, EXIT_USAGE, EXIT_YES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click


class Entry(NamedTuple):
    """The module that holds a command as `command`, and its line in the overview."""

    module: str
    line: str


_LINES = {
    "init": "Set a repository up: hooks, notes in git log and git fetch.",
    "run": "Run scenarios against an agent and score the whole flight.",
    "watch": "Follow a sweep as it runs, to its exit code.",
    "batch": "Run a file of sweeps, one after another.",
    "verify": "Check that commits are covered by recorded evidence.",
    "log": "List commits with the experiments on their trees.",
    "results": "Tabulate what is working, or what the ladder costs.",
    "compare": "Compare labels: verdicts, metrics and pass rates.",
    "rescore": "Score saved traces again, with today's scenarios.",
    "replay": "Play what a saved trace's user said again, live.",
    "review": "Say whether a finished sweep changed a decision.",
    "report": "Report on a runs directory, as one HTML page.",
    "triage": "Sort failed runs by what went wrong.",
    "import": "Make a scenario of a conversation recorded elsewhere.",
    "validate": "Check recorded conversations before they are imported.",
    "sync": "Fetch, unite and push the evidence in git.",
    "notes": "Show, rebuild or prune the evidence in git.",
    "skill": "The guide for coding agents: where, install it.",
    "completion": "Print a completion script for bash, zsh or fish.",
    "hook": "What the scripts in git's hook folder call.",
}

COMMANDS = {
    name: Entry(f"wt_git.cli.commands.{'import_' if name == 'import' else name}", line)
    for name, line in _LINES.items()
}

COMPLETE = "__complete"
"""What the scripts of `wt completion` call on every TAB; no command for people."""

_OVERVIEW = """\
Usage: wt [-h] [--version] COMMAND [OPTIONS]

  Wind Tunnel: find out with the smallest experiment whether a change to an
  agent works. Scenarios are flown against a real agent, the whole flight is
  scored, and what was found out is kept where the code is.

Commands:
{commands}

  `wt COMMAND --help` says what a command takes.

Options:
  -h, --help  Show this message and exit.
  --version   Show the version and exit.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 yes, 1 no, 2 asked wrongly, 75 busy."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    process.make_usable()
    try:
        return _dispatch(arguments)
    except KeyboardInterrupt as interrupt:
        return getattr(interrupt, "exit_code", EXIT_INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output went away, as in `wt … | head`: end quietly.
        process.discard_output(sys.stdout)
        return EXIT_NO
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the last resort: no bare traceback
        return _end_with(error, arguments)


def entry() -> None:
    """Run `main` as the installed scripts do: its code becomes the process's."""
    # Most objects live until the end; searching them for garbage takes 4 % of a run.
    gc.set_threshold(50_000, 20, 20)
    code = main()
    # Nor is what is left searched at the end, which takes a sixth.
    gc.freeze()
    raise SystemExit(code)


def _dispatch(arguments: list[str]) -> int:
    first = arguments[0] if arguments else ""
    if first in COMMANDS:
        return _invoke(importlib.import_module(COMMANDS[first].module).command, arguments)
    if first == COMPLETE:
        from wt_git.cli.completion.answer import answer  # noqa: PLC0415 - only for a shell

        return answer(arguments[1:], COMMANDS)
    if first in {"", "-h", "--help"}:
        _print(overview())
        return EXIT_YES if first else EXIT_NO
    if first == "--version":
        _print(f"wt {__version__}\n")
        return EXIT_YES
    from wt_git.cli.error_messages import unknown_command  # noqa: PLC0415 - only for a slip

    _print(unknown_command(first, list(COMMANDS)), error=True)
    return EXIT_USAGE


def overview() -> str:
    """Return the help of `wt` itself."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {entry.line}" for name, entry in COMMANDS.items()]
    return _OVERVIEW.format(commands="\n".join(lines))


def _invoke(command: click.Command, arguments: list[str]) -> int:
    """Let click parse and call the command; its own outcomes become exit codes."""
    import click  # noqa: PLC0415 - not for the overview

    name, rest = arguments[0], arguments[1:]
    try:
        # Not `command.main`, which ends the process by itself when a pipe breaks.
        with command.make_context(f"wt {name}", list(rest), obj=arguments) as context:
            returned = command.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        return _end_with(error, arguments)
    except click.Abort:
        return EXIT_INTERRUPTED
    return returned if isinstance(returned, int) else EXIT_YES


def _end_with(error: BaseException, arguments: list[str]) -> int:
    from wt_git.cli.error_messages import end_with  # noqa: PLC0415 - only when something went wrong

    return end_with(error, arguments)


def _print(text: str, *, error: bool = False) -> None:
    stream = sys.stderr if error else sys.stdout
    stream.write(text)
    stream.flush()  # here, where a broken pipe is still caught
