"""The options that say in which form a command prints its answer, and printing it so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wt_git.records.documents.document import Document

F = TypeVar("F", bound="Callable[..., Any]")

TEXT, JSON, MARKDOWN = "text", "json", "markdown"


def format_options(command: F) -> F:
    """Add `--format` and `--json`; `chosen_format` makes one answer of what they were given."""
    command = click.option("--json", "as_json", is_flag=True, help="The same as --format json.")(
        command
    )
    return click.option(
        "--format",
        "output_format",
        type=click.Choice([TEXT, JSON, MARKDOWN]),
        help="Lines for people (the default), a JSON document, or Markdown for a comment on a pull "
        "request.",
    )(command)


def chosen_format(output_format: str | None, *, as_json: bool) -> str:
    """Return the form that was asked for. Raises `click.UsageError` when it was asked for two."""
    if as_json and output_format not in {None, JSON}:
        raise click.UsageError(f"--json and --format {output_format} contradict each other")
    return JSON if as_json else output_format or TEXT


def print_document(document: Document) -> None:
    """Print a document as JSON in which nothing moves a cursor."""
    from wt_git import files  # noqa: PLC0415 - `--help` costs nothing
    from wt_git.text import json_characters  # noqa: PLC0415

    click.echo(json_characters(files.json_document(document.as_document())))


def print_answer(command: str, lines: Iterable[str], remarks: Iterable[str]) -> None:
    """Print the lines of an answer, then on stderr what it leaves out."""
    from wt_git.cli import printing  # noqa: PLC0415

    for line in lines:
        printing.data(line)
    for remark in remarks:
        printing.talk(command, remark)
