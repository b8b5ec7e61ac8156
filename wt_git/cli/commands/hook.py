"""`wt hook NAME`: the command that the scripts in git's hook folder call."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path

import click

from wt_git.cli import printing
from wt_git.cli.options import CONTEXT_SETTINGS
from wt_git.errors import EXIT_YES
from wt_git.githooks.git_hooks import FUNCTIONS, GATES, READS_STDIN, GitHookCall

EPILOG = """
Exit codes: 0 go on; 1 refused; 2 asked wrongly. Only pre-push, pre-receive and a pre-commit that is
configured to refuse ever answer 1.
"""


@click.command(
    "hook", epilog=EPILOG, context_settings={**CONTEXT_SETTINGS, "ignore_unknown_options": True}
)
@click.argument("name", type=click.Choice(list(FUNCTIONS)))
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def command(*, name: str, args: tuple[str, ...]) -> int:
    """Do the work of the git hook NAME; git passes ARGS, and to some hooks standard input.

    `wt init` puts scripts that call this where git finds them.
    """
    environ = dict(os.environ)  # noqa: TID251 - git tells a hook through it where it is
    call = GitHookCall(
        folder=Path.cwd(),
        args=args,
        stdin=_input() if name in READS_STDIN else b"",
        environ=environ,
    )
    try:
        module, _, function = FUNCTIONS[name].rpartition(".")
        result = getattr(import_module(module), function)(call)
    except Exception as error:
        # Only a hook that guards a push may stop git, also when it fails.
        if name in GATES:
            raise
        from wt_git.cli.error_messages import report_error

        report_error(error, [name])
        return EXIT_YES
    for line in result.lines:
        printing.talk(name, line)
    return int(result.exit_code)


def _input() -> bytes:
    """Return all of standard input; a person who tries the command at a terminal gives none."""
    return b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read()
