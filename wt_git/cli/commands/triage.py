"""`wt triage`: what kind of failure each failed run is, and what may help."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wt_git.cli.classifiers import CLASSIFIERS, RULE_BASED
from wt_git.cli.options import CONTEXT_SETTINGS, narrowing_options, runs_dir_option
from wt_git.errors import EXIT_YES

if TYPE_CHECKING:
    from pathlib import Path

EPILOG = """
Exit codes: 0 always, but 2 when asked wrongly: triage informs, it does not gate. Nothing is run.
"""


@click.command("triage", epilog=EPILOG, context_settings=CONTEXT_SETTINGS)
@runs_dir_option("The directory that runs were recorded in.")
@click.option(
    "--classifier",
    type=click.Choice(list(CLASSIFIERS)),
    default=RULE_BASED,
    show_default=True,
    help="Who says what kind of failure a run is.",
)
@narrowing_options
@click.option("--json", "as_json", is_flag=True, help="Print a JSON document.")
def command(
    *,
    runs_dir: Path,
    classifier: str,
    labels: tuple[str, ...],
    scenarios: tuple[str, ...],
    as_json: bool,
) -> int:
    """Sort failed runs by what went wrong, with evidence and what may help, as Markdown.

    Every scored run counts, not only those of the latest sweep. A run is judged by the scenario
    that it was scored by, which stands beside its trace, whatever the packs say today.
    """
    from wt_git.cli.triage_output import print_triage  # noqa: PLC0415

    print_triage(runs_dir, classifier, labels=labels, scenarios=scenarios, as_json=as_json)
    return EXIT_YES
