"""Printing a triage: Markdown or the document itself, and what it does not cover on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.cli import printing
from wt_git.cli.classifiers import classify_with
from wt_git.cli.output_format import print_answer, print_document
from wt_git.errors import UsageError
from wt_git.reports.triage import load_triage, triage_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def print_triage(
    runs_dir: Path,
    classifier: str,
    *,
    labels: Sequence[str],
    scenarios: Sequence[str],
    as_json: bool,
) -> None:
    """Print what kind of failure each failed run is. A directory that is not there is only said."""
    try:
        loaded = load_triage(
            runs_dir,
            classify_with(classifier),
            classifier=classifier,
            labels=labels,
            scenarios=scenarios,
        )
    except UsageError as error:
        printing.talk("triage", error.message)
        return
    if as_json:
        print_document(loaded.document)
    print_answer("triage", () if as_json else triage_lines(loaded.document), loaded.remarks)
