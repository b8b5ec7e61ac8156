"""The command line: `wt`, also as `windtunnel`, `git windtunnel` and `python -m wt_git`.

Commands are loaded when they are used, so that `wt --help` costs little more than an interpreter.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import click

from wt_git import __version__
from wt_git.errors import EXIT_INTERRUPTED, EXIT_NO, EXIT_YES

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {
    "run": (
        "wt_git.cli.commands.run",
        "Run scenarios against an agent and score the whole flight.",
    ),
}
"""Command to (the module that holds it as `command`, its one line in the overview)."""

CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class LazyGroup(click.Group):
    """A group whose commands are modules, imported when one is invoked."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        """Return the command names in the order of the table."""
        return list(COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's
        cmd_name: str,
    ) -> click.Command | None:
        """Import the command's module and return the command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 - click's
        formatter: click.HelpFormatter,
    ) -> None:
        """List the commands from the table, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Refuse an unknown command by naming the ones that come near it."""
        if args[0] not in COMMANDS:
            import difflib  # noqa: PLC0415 - only for a mistyped command

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            guess = f" Did you mean '{near[0]}'?" if near else ""
            ctx.fail(f"No such command '{args[0]}'.{guess} Commands: {', '.join(COMMANDS)}.")
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings=CONTEXT_SETTINGS)
@click.version_option(__version__, message="wt %(version)s")
@click.pass_context
def group(context: click.Context) -> None:
    """Wind Tunnel: find out with the smallest experiment whether a change to an agent works.

    Scenarios are flown against a real agent, the whole flight is scored, and what was found out is
    kept where the code is.
    """
    context.meta["wt.arguments"] = context.obj or []


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 yes, 1 no, 2 asked wrongly, 75 busy."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments:
        click.echo(group.get_help(click.Context(group, info_name="wt", **CONTEXT_SETTINGS)))  # type: ignore[arg-type]
        return EXIT_NO
    try:
        return _invoke(arguments)
    except BrokenPipeError:
        return _reader_is_gone()
    except Exception as error:  # noqa: BLE001 - the last resort: nobody gets a bare traceback
        from wt_git.cli.problems import report  # noqa: PLC0415 - only when something went wrong

        return report(error, arguments)


def _invoke(arguments: list[str]) -> int:
    """Let click parse and call the command; its own outcomes become exit codes."""
    try:
        returned = group.main(
            args=list(arguments), prog_name="wt", standalone_mode=False, obj=arguments
        )
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return EXIT_INTERRUPTED
    return _code(returned)


def _code(returned: Any) -> int:
    return returned if isinstance(returned, int) else EXIT_YES


def _reader_is_gone() -> int:
    """End quietly when whoever read our output stopped reading, as `wt … | head` does."""
    import os  # noqa: PLC0415

    # Python would complain once more when it flushes at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_NO


def entry() -> None:
    """Run `main` as the installed scripts do: its code becomes the process's."""
    raise SystemExit(main())
