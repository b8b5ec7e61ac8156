"""`wt log`: commits with the experiments on their trees."""

from __future__ import annotations

import click

from wt_git.cli.options import CONTEXT_SETTINGS, PositiveInt

EPILOG = """
Exit codes: 0 shown; 2 asked wrongly. For what git shows by itself: `git log`, after `wt init`.
"""
_DEFAULT_LIMIT = 20


@click.command("log", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@click.argument("commits", metavar="[RANGE]", required=False)
@click.option(
    "--scenario",
    metavar="NAME",
    help="Only experiments with this scenario, a name or pack/name, and commits that have one.",
)
@click.option("--graph", is_flag=True, help="Add a small trend for each scenario, oldest first.")
@click.option(
    "-n",
    "--max-count",
    type=PositiveInt(),
    metavar="N",
    help=f"At most so many commits; default {_DEFAULT_LIMIT}, and all of a range A..B.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
def command(
    *, commits: str | None, scenario: str | None, graph: bool, max_count: int | None, as_json: bool
) -> int:
    """List the commits of RANGE (default HEAD) with verdict, tier, cost and prediction.

    RANGE is a commit, with all that it builds on, or A..B. The evidence is read from git notes.
    """
    from wt_git.cli.evidence_notes import print_log

    wanted = commits or "HEAD"
    limit = max_count or (None if ".." in wanted else _DEFAULT_LIMIT)
    return print_log(wanted, scenario, limit=limit, graph=graph, as_json=as_json)
