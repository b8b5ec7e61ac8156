"""The command line: `wt`, also as `windtunnel`, `git windtunnel` and `python -m wt_git`.

A table of commands and a dispatcher. Each command is a module, imported when it is used: not even
click is loaded for `wt --help`, which costs little more than an interpreter.
"""

from __future__ import annotations

import gc
import importlib
import sys
from typing import TYPE_CHECKING, NamedTuple

from wt_git import __version__
from wt_git.cli import streams
from wt_git.errors import EXIT_INTERRUPTED, EXIT_NO, EXIT_USAGE, EXIT_YES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import click


class Entry(NamedTuple):
    """The module that holds a command as `command`, and its line in the overview."""

    module: str
    line: str


COMMANDS = {
    "init": Entry(
        "wt_git.cli.commands.init", "Set a repository up: hooks, notes in git log and git fetch."
    ),
    "run": Entry(
        "wt_git.cli.commands.run", "Run scenarios against an agent and score the whole flight."
    ),
    "watch": Entry("wt_git.cli.commands.watch", "Follow a sweep as it runs, to its exit code."),
    "batch": Entry("wt_git.cli.commands.batch", "Run a file of sweeps, one after another."),
    "verify": Entry(
        "wt_git.cli.commands.verify", "Check that commits are covered by recorded evidence."
    ),
    "log": Entry("wt_git.cli.commands.log", "List commits with the experiments on their trees."),
    "results": Entry(
        "wt_git.cli.commands.results", "Tabulate what is working, or what the ladder costs."
    ),
    "compare": Entry(
        "wt_git.cli.commands.compare", "Compare labels: verdicts, metrics and pass rates."
    ),
    "rescore": Entry(
        "wt_git.cli.commands.rescore", "Score saved traces again, with today's scenarios."
    ),
    "replay": Entry(
        "wt_git.cli.commands.replay", "Play what a saved trace's user said again, live."
    ),
    "review": Entry(
        "wt_git.cli.commands.review", "Say whether a finished sweep changed a decision."
    ),
    "report": Entry("wt_git.cli.commands.report", "Report on a runs directory, as one HTML page."),
    "triage": Entry("wt_git.cli.commands.triage", "Sort failed runs by what went wrong."),
    "import": Entry(
        "wt_git.cli.commands.import_", "Make a scenario of a conversation recorded elsewhere."
    ),
    "validate": Entry(
        "wt_git.cli.commands.validate", "Check recorded conversations before they are imported."
    ),
    "sync": Entry("wt_git.cli.commands.sync", "Fetch, unite and push the evidence in git."),
    "notes": Entry("wt_git.cli.commands.notes", "Show, rebuild or prune the evidence in git."),
    "skill": Entry("wt_git.cli.commands.skill", "The guide for coding agents: where, install it."),
    "completion": Entry(
        "wt_git.cli.commands.completion", "Print a completion script for bash, zsh or fish."
    ),
    "hook": Entry("wt_git.cli.commands.hook", "What the scripts in git's hook folder call."),
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
    streams.make_usable()
    try:
        return _dispatch(arguments)
    except KeyboardInterrupt as interrupt:
        return getattr(interrupt, "exit_code", EXIT_INTERRUPTED)
    except BrokenPipeError:
        # End quietly when whoever read our output stopped reading, as `wt … | head` does.
        streams.discard_output(sys.stdout)
        return EXIT_NO
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the last resort: no bare traceback
        from wt_git.cli.error_messages import report_error  # noqa: PLC0415 - only when something went wrong

        _record(error, arguments)
        return report_error(error, arguments)


def entry() -> None:
    """Run `main` as the installed scripts do: its code becomes the process's."""
    # What a start makes stays until the end; looking through it again and again is 4 % of a run.
    gc.set_threshold(50_000, 20, 20)
    raise SystemExit(main())


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
    _print(_unknown(first), error=True)
    return EXIT_USAGE


def overview() -> str:
    """Return the help of `wt` itself."""
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {entry.line}" for name, entry in COMMANDS.items()]
    return _OVERVIEW.format(commands="\n".join(lines))


def _unknown(first: str) -> str:
    import difflib  # noqa: PLC0415 - only for a mistyped command

    from wt_git.text import log_line  # noqa: PLC0415

    what = "option" if first.startswith("-") else "command"
    near = difflib.get_close_matches(first, [*COMMANDS, "--help", "--version"], n=1)
    guess = f"; did you mean '{near[0]}'?" if near else ""
    return (
        f"wt: no such {what} '{log_line(first)}'{guess}\n"
        f"wt: commands: {', '.join(COMMANDS)}; `wt --help` says what they do\n"
    )


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
        _record(error, arguments)
        _show(error)
        return error.exit_code
    except click.Abort:
        return EXIT_INTERRUPTED
    return returned if isinstance(returned, int) else EXIT_YES


def _show(error: click.ClickException) -> None:
    """Print a usage error; what was typed may have been pasted, and is shown inert."""
    import io  # noqa: PLC0415 - only when something went wrong

    from wt_git.cli import printing  # noqa: PLC0415
    from wt_git.text import log_line, one_line  # noqa: PLC0415

    vars(error)["message"] = one_line(error.message)  # what stands around it has lines of its own
    shown = io.StringIO()
    error.show(shown)
    for line in shown.getvalue().removesuffix("\n").split("\n"):
        printing.talk_plainly(log_line(line))


def _record(error: BaseException, arguments: list[str]) -> None:
    """Print the refusal as a record too, for a program that asked for records."""
    if arguments[:1] == ["run"] and "--json" in arguments:
        from wt_git.cli.run.records import refused  # noqa: PLC0415 - rarely needed

        refused(error, arguments)


def _print(text: str, *, error: bool = False) -> None:
    stream = sys.stderr if error else sys.stdout
    stream.write(text)
    # Flushed here, where a reader that went away can still be noticed.
    stream.flush()
