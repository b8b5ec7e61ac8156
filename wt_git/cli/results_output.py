"""Printing results: the document as JSON or for people, and what it does not cover on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.cli.output_format import JSON, MARKDOWN, print_answer, print_document
from wt_git.reports.results import load_results

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def print_results(
    runs_dir: Path, labels: Sequence[str], scenarios: Sequence[str], output_format: str
) -> None:
    """Print what is working. Raises `UsageError` when there is nothing to summarise."""
    document, remarks = load_results(runs_dir, labels, scenarios)
    if output_format == JSON:
        print_document(document)
        print_answer("results", (), remarks)
    elif output_format == MARKDOWN:
        from wt_git.reports.results import results_markdown  # noqa: PLC0415

        print_answer("results", results_markdown(document, remarks), remarks)
    else:
        from wt_git.reports.results import result_lines  # noqa: PLC0415

        print_answer("results", result_lines(document), remarks)


def print_ladder(runs_dir: Path, *, as_json: bool) -> None:
    """Print the totals of the ladder. Raises `UsageError` when no sweep ended there."""
    from wt_git.reports.ladder import (  # noqa: PLC0415
        ladder_lines,
        load_ladder,
    )

    document, remarks = load_ladder(runs_dir)
    if as_json:
        print_document(document)
    print_answer("results", () if as_json else ladder_lines(document), remarks)
