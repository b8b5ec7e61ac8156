"""`wt verify`: whether commits are covered by recorded evidence."""

from __future__ import annotations

from typing import Any

import click

from wt_git.cli.options import CONTEXT_SETTINGS

EPILOG = """
Exit codes: 0 every commit is covered; 1 one is not, and why; 2 asked wrongly, or the policy that
judges is not here. Missing data is never a pass.
"""


@click.command("verify", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.argument("revisions", metavar="[REV]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as a JSON document.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "github", "junit"]),
    help="Print it for people, as annotations and a job summary for GitHub Actions, or as JUnit XML.",
)
@click.option(
    "--policy-from",
    metavar="REV",
    help="Judge by the policy in the pyproject.toml of this commit. For a pull request in CI the "
    "default is its base, else each commit's own.",
)
@click.option(
    "--notes-from",
    metavar="URL",
    help="Also read the notes of this fork, for the commits of the pull request alone.",
)
@click.option(
    "--fetch", is_flag=True, help="Fetch notes first, and what a pull request's clone lacks."
)
@click.option(
    "--merge",
    "is_merge",
    is_flag=True,
    help="HEAD is the merge that CI built for a pull request, from base and head in this order. "
    "GitHub, GitLab and Azure say it themselves.",
)
def command(*, as_json: bool, form: str | None, **options: Any) -> int:
    """Check that the commits REV (default HEAD) are covered by recorded evidence.

    The evidence is read from git notes. Neither the working directory nor a runs directory is
    looked at for it, so that it works in a fresh, also a shallow or partial, clone.
    """
    if as_json and form is not None:
        raise click.UsageError("--json and --format exclude each other")
    from wt_git.cli.verify import print_verification

    return print_verification(options, "json" if as_json else form or "text")
