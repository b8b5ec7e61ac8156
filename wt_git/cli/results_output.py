"""Printing results: the document as JSON or for people, and what it does not cover on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wt_git import files
from wt_git.cli import ui
from wt_git.reports.ladder_text import ladder_lines
from wt_git.reports.load_ladder import load_ladder
from wt_git.reports.load_results import load_results
from wt_git.reports.results_text import result_lines
from wt_git.text import json_characters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from wt_git.records.documents import Document


def print_results(
    runs_dir: Path, labels: Sequence[str], scenarios: Sequence[str], *, as_json: bool
) -> None:
    """Print what is working. Raises `UsageError` when there is nothing to summarise."""
    loaded = load_results(runs_dir, labels, scenarios)
    _print(loaded.document, None if as_json else result_lines(loaded.document), loaded.remarks)


def print_ladder(runs_dir: Path, *, as_json: bool) -> None:
    """Print the totals of the ladder. Raises `UsageError` when no sweep ended there."""
    loaded = load_ladder(runs_dir)
    _print(loaded.document, None if as_json else ladder_lines(loaded.document), loaded.remarks)


def _print(document: Document, lines: Iterable[str] | None, remarks: Iterable[str]) -> None:
    """Print `lines`, or the document itself, and then the remarks."""
    if lines is None:
        click.echo(json_characters(files.json_document(document.as_document())))
    else:
        for line in lines:
            ui.data(line)
    for remark in remarks:
        ui.talk("results", remark)
