"""Printing: data on stdout, messages on stderr, and no text of an agent moves the cursor."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from wt_git import files
from wt_git.cli import process
from wt_git.text import json_characters, log_line, many_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wt_git.records.documents.document import Document


def data(text: str) -> None:
    """Print a line of data."""
    click.echo(many_lines(text))


def print_document(document: Document) -> None:
    """Print a document as JSON."""
    click.echo(json_characters(files.json_document(document.as_document())))


def print_answer(command: str, lines: Iterable[str], remarks: Iterable[str]) -> None:
    """Print the lines of an answer, then on stderr what it leaves out."""
    for line in lines:
        data(line)
    for remark in remarks:
        talk(command, remark)


def talk(command: str, text: str) -> None:
    """Print a message on stderr: its first line behind `wt <command>: `, the others indented.

    A command on a line of its own can so be pasted with that line. No line of foreign text becomes a
    command for a CI service. A closed stderr is no failure: results are in files and the exit code.
    """
    first, *others = text.split("\n")
    talk_plainly(log_line(f"wt {command}: {first}"))
    for line in others:
        talk_plainly(log_line(line if line.startswith(" ") else f"  {line}"))


def talk_plainly(line: str) -> None:
    """Print one line on stderr without changing it."""
    try:
        click.echo(line, err=True)
    except OSError:
        process.discard_output(sys.stderr)
