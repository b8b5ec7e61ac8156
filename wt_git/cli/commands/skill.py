"""`wt skill`: the guide for coding agents, where it is and where agents find it."""

from __future__ import annotations

from pathlib import Path

import click

from wt_git.cli.options import CONTEXT_SETTINGS
from wt_git.errors import EXIT_YES

EPILOG = """
Exit codes: 0 done; 1 it cannot be installed, or this installation lacks it; 2 asked wrongly.
"""


@click.group("skill", epilog=EPILOG, context_settings=CONTEXT_SETTINGS, invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Find or install the guide that tells a coding agent how to drive `wt`."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("say what to do with the skill: path, install")


@command.command("path", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
def path() -> int:
    """Print the folder of the skill that ships with this installation; SKILL.md is in it."""
    from wt_git.cli import ui  # noqa: PLC0415
    from wt_git.cli.skill_entry import packaged_skill  # noqa: PLC0415

    ui.data(str(packaged_skill()))
    return EXIT_YES


@command.command("install", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.option(
    "--dest",
    type=click.Path(path_type=Path),
    default=".agents/skills",
    show_default=True,
    metavar="DIR",
    help="The folder in which an agent looks for skills; it is made.",
)
@click.option(
    "--copy",
    is_flag=True,
    help="Copy it instead of linking to this installation, so that it can be committed.",
)
def install(*, dest: Path, copy: bool) -> int:
    """Put the skill, as `windtunnel`, where a coding agent looks for skills.

    A link follows this installation when it is updated. Only a link, and with --copy an earlier
    copy, is ever replaced.
    """
    from wt_git.cli import ui  # noqa: PLC0415
    from wt_git.cli.skill_entry import install_skill  # noqa: PLC0415

    ui.data(str(install_skill(dest, copy=copy)))
    return EXIT_YES
