"""Printing a comparison, and what it does not cover on stderr."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.cli.output_format import JSON, MARKDOWN, print_answer, print_document
from wt_git.reports.comparison.load import load_comparison, weak_verdict_remarks
from wt_git.reports.comparison.markdown import comparison_markdown
from wt_git.reports.comparison.text import comparison_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def print_comparison(runs_dir: Path, labels: Sequence[str], output_format: str) -> bool:
    """Print what changed, and return whether a verdict became worse.

    Raises `UsageError` when there is nothing to compare.
    """
    document, remarks = load_comparison(runs_dir, labels)
    told = [*weak_verdict_remarks(document), *remarks]
    if output_format == JSON:
        print_document(document)
        print_answer("compare", (), told)
    elif output_format == MARKDOWN:
        print_answer("compare", comparison_markdown(document, remarks), told)
    else:
        print_answer("compare", comparison_lines(document), told)
    return document.regression
