"""`wt init`: set a repository up so that git keeps, shows and asks for evidence."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wt_git.cli import printing
from wt_git.cli.options import CONTEXT_SETTINGS
from wt_git.errors import EXIT_NO, EXIT_YES, UsageError

if TYPE_CHECKING:
    from wt_git.githooks.hook_files import SetUpPart

EPILOG = """
Exit codes: 0 everything is set up; 1 something is missing or could not be made; 2 this is not a
repository. Run it again after moving the repository, adding a remote or upgrading wt.
"""
_MARKS = {
    "there": "ok",
    "made": "done",
    "missing": "missing",
    "refused": "not done",
    "note": "note",
}


@click.command("init", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.option("--check", is_flag=True, help="Change nothing, say what is missing.")
@click.option(
    "--remote",
    metavar="NAME",
    help="The remote that notes are pushed to; default: the one recorded before, else origin, else "
    "the only one.",
)
@click.option(
    "--shared-hooks",
    is_flag=True,
    help="Allow hooks in a folder outside of the repository that core.hooksPath names. In other "
    "repositories that use it they do nothing.",
)
@click.option(
    "--server",
    is_flag=True,
    help="Set up what checks pushes that arrive here; this is what a bare repository gets anyway.",
)
def command(*, check: bool, remote: str | None, shared_hooks: bool, server: bool) -> int:
    """Set this repository up: hooks, notes in git log, notes with git fetch, runs/ ignored.

    Hooks that are already there keep working: ours call them. It is safe to run again.
    """
    from wt_git.config import load
    from wt_git.git.repository import find_git_folders
    from wt_git.githooks.hook_files import is_complete
    from wt_git.githooks.install import SetUpRequest, executable_name, set_up

    folders = find_git_folders(Path.cwd())
    if folders is None or (folders.top is None and not folders.bare):
        raise UsageError(
            "this is not the working directory of a git repository", hints=("git init",)
        )
    wanted = SetUpRequest(
        folders=folders,
        python=executable_name(sys.executable),
        remote=remote,
        server=server or folders.bare,
        shared_hooks=shared_hooks,
        notes_ref=load(folders.home).notes_ref,
    )
    findings = set_up(wanted, fix=not check)
    for finding in findings:
        printing.data(_line(finding))
        for hint in finding.hints:
            printing.data(f"    {hint}")
    if is_complete(findings):
        return EXIT_YES
    if check:
        printing.talk("init", "something is missing; this makes it: wt init")
    return EXIT_NO


def _line(finding: SetUpPart) -> str:
    return f"{_MARKS[finding.state]:<8}  {finding.text}"
