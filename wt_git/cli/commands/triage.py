"""`wt triage`: failed runs by the kind of failure, with advice."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

import click

from wt_git.cli import printing
from wt_git.cli.options import CONTEXT_SETTINGS, narrowing_options, runs_dir_option
from wt_git.errors import EXIT_YES, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.reports.triage import Classify

RULE_BASED = "rule_based"
CLASSIFIERS = {RULE_BASED: ("wt_git.triage.rule_based", "RuleBasedClassifier")}
"""The module and class of each classifier, by the name that `--classifier` takes."""

EPILOG = """
Exit codes: 0 always, but 2 when asked wrongly: triage informs, it does not gate. Nothing is run.
"""


def classify_with(name: str) -> Classify:
    """Return the method of a classifier, which is found by its name."""
    module, made = CLASSIFIERS[name]
    return cast("Classify", getattr(import_module(module), made)().classify)


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
    """Sort failed runs by the kind of failure, with evidence and advice, as Markdown.

    Every scored run counts, not only those of the latest sweep. A run is judged by the scenario
    that it was scored by, which is saved beside its trace, not by the packs of today.
    """
    from wt_git.reports.triage import load_triage, triage_lines

    try:
        document, remarks = load_triage(
            runs_dir,
            classify_with(classifier),
            classifier=classifier,
            labels=labels,
            scenarios=scenarios,
        )
    except UsageError as error:  # no such directory, no failure: triage informs, it does not gate
        printing.talk("triage", error.message)
        return EXIT_YES
    if as_json:
        printing.print_document(document)
    printing.print_answer("triage", () if as_json else triage_lines(document), remarks)
    return EXIT_YES
