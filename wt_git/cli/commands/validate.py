"""`wt validate`: check recorded conversations before they are imported."""

from __future__ import annotations

import click

from wt_git.cli.conversation_files import check_conversations
from wt_git.cli.options import CONTEXT_SETTINGS
from wt_git.errors import EXIT_NO, EXIT_YES

EPILOG = """
Exit codes: 0 all are valid; 1 one is not, or with --strict there is a warning; 2 a file is missing,
and none was checked.
"""


@click.command("validate", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option("--strict", is_flag=True, help="A warning is a failure too.")
def command(*, files: tuple[str, ...], strict: bool) -> int:
    """Say of each FILE, a *.wtin.json, whether it can be imported, with warnings."""
    return EXIT_YES if check_conversations(files, strict=strict) else EXIT_NO
