"""`wt import`: make a scenario of a recorded conversation."""

from __future__ import annotations

from pathlib import Path

import click

from wt_git.cli.conversation_files import import_conversation
from wt_git.cli.options import CONTEXT_SETTINGS
from wt_git.errors import EXIT_YES

EPILOG = """
Exit codes: 0 written; 2 refused, and then nothing was made or changed.
"""


@click.command("import", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.option(
    "--trace",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The conversation, a *.wtin.json file.",
)
@click.option(
    "--out",
    "folder",
    required=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The folder to make; the scenario is named after it.",
)
@click.option(
    "--force",
    is_flag=True,
    help="Write into a folder that is not empty: the four files are replaced, others stay.",
)
def command(*, trace: Path, folder: Path, force: bool) -> int:
    """Make a scenario, with tools that answer as they did, of a conversation on file.

    The scenario fails until you have filled in the right answer; IMPORTED.md in the folder lists
    the steps that are left.
    """
    import_conversation(trace, folder, force=force)
    return EXIT_YES
