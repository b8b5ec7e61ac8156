"""`wt log`: commits with the experiments on their trees."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from wt_git.cli.options import CONTEXT_SETTINGS, PositiveInt
from wt_git.errors import EXIT_YES

if TYPE_CHECKING:
    from wt_git.records.documents.log import CommitLog

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
    from wt_git.cli.repository_notes import no_commit, notes_here  # noqa: PLC0415
    from wt_git.evidence.commit_log import commit_log  # noqa: PLC0415
    from wt_git.git.history import History  # noqa: PLC0415

    notes = notes_here().notes
    wanted = commits or "HEAD"
    history = History(notes.repository)
    found = history.between(wanted)
    if found is None:
        raise no_commit(history, wanted)
    limit = max_count or (None if ".." in wanted else _DEFAULT_LIMIT)
    log = commit_log(notes.repository, notes.view(), found, limit=limit, scenario=scenario)
    _print(log, scenario, graph=graph, as_json=as_json)
    return EXIT_YES


def _print(log: CommitLog, scenario: str | None, *, graph: bool, as_json: bool) -> None:
    from wt_git import files  # noqa: PLC0415
    from wt_git.cli import printing  # noqa: PLC0415
    from wt_git.reports.commit_log import commit_lines, trend_lines  # noqa: PLC0415
    from wt_git.text import json_characters, one_line  # noqa: PLC0415

    if as_json:
        click.echo(json_characters(files.json_document(log.as_document())))
    else:
        for one in log.commits:
            for line in commit_lines(one):
                printing.data(line)
    if graph and not as_json:
        plain = "utf" not in (sys.stdout.encoding or "").lower()
        for line in ["", *trend_lines(log, plain=plain)] if log.commits else []:
            printing.data(line)
    if scenario is not None and not log.commits:
        printing.talk(
            "log", f"no experiment with '{one_line(scenario)}' was recorded on these commits"
        )
    if log.skipped:
        printing.talk("log", f"{log.skipped} line(s) of notes could not be read and are not shown")
    if log.cut:
        printing.talk("log", "history is cut in this clone: older commits are not here")
