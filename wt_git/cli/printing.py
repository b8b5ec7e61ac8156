"""Printing: data on stdout, messages on stderr, and no text of an agent moves the cursor."""

from __future__ import annotations

import sys

import click

from wt_git.cli import streams
from wt_git.text import log_line, many_lines


def data(text: str) -> None:
    """Print a line of data."""
    click.echo(many_lines(text))


def talk(command: str, text: str) -> None:
    """Print a sentence for people behind `wt <command>: `, further lines of it as they are.

    So a command on a line of its own can be pasted with that line. What was sent to us may have lines
    too, and none of them is a command for a CI service. Nobody listening is no failure: what matters
    is in files and in the exit code.
    """
    first, *others = text.split("\n")
    talk_plainly(log_line(f"wt {command}: {first}"))
    for line in others:
        talk_plainly(log_line(line if line.startswith(" ") else f"  {line}"))


def talk_plainly(line: str) -> None:
    """Print one line on stderr as it is."""
    try:
        click.echo(line, err=True)
    except OSError:
        streams.discard_output(sys.stderr)


def is_terminal() -> bool:
    """Return whether stderr, where progress goes, is a terminal that can redraw a line."""
    return sys.stderr.isatty()
