"""Printing the outcome of scoring again as it comes: a line or an object for each trace."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Protocol, TypeVar, assert_never

import click

from wt_git import files
from wt_git.cli import printing, streams
from wt_git.records.documents.rescore import (
    RESCORE_VERSION,
    NotScored,
    Rescored,
    Unresolved,
)
from wt_git.reports.rescore import RescoreComment
from wt_git.text import json_characters, log_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wt_git.records.documents.document import Document
    from wt_git.records.documents.rescore import Entry, RescoreSummary

T = TypeVar("T")


class Printer(Protocol):
    """How entries are shown."""

    def entry(self, entry: Entry) -> None:
        """Show what came of one trace."""
        ...

    def end(self, summary: RescoreSummary) -> None:
        """Show what all of them amount to."""
        ...


class Lines:
    """A line for each trace, and one at the end."""

    def entry(self, entry: Entry) -> None:
        """Print the line of one trace."""
        click.echo(entry_line(entry))

    def end(self, summary: RescoreSummary) -> None:
        """Print the summary."""
        counts = summary.as_document().items()
        click.echo(f"summary: {' '.join(f'{name}={count}' for name, count in counts)}")


class JsonDocument:
    """One document, written part by part: it may be larger than anybody wants to hold."""

    def __init__(self) -> None:
        self._is_begun = False

    def entry(self, entry: Entry) -> None:
        """Print one entry, with the beginning of the document before the first."""
        click.echo(f"{self._before()}\n{_indented(entry, 4)}", nl=False)

    def _before(self) -> str:
        if self._is_begun:
            return ","
        self._is_begun = True
        return f'{{\n  "windtunnel_rescore": {RESCORE_VERSION},\n  "traces": ['

    def end(self, summary: RescoreSummary) -> None:
        """Print the end of the document."""
        end = "\n  ]" if self._is_begun else f"{self._before()}]"
        click.echo(f'{end},\n  "summary": {_indented(summary, 2).lstrip()}\n}}')


class Markdown:
    """A comment on a pull request; `remarks` are asked for at the end."""

    def __init__(self, remarks: Callable[[], Sequence[str]]) -> None:
        self._comment = RescoreComment()
        self._remarks = remarks

    def entry(self, entry: Entry) -> None:
        """Print the row of one trace, if there is something to say."""
        for line in self._comment.lines(entry):
            click.echo(line)

    def end(self, summary: RescoreSummary) -> None:
        """Print what all of them amount to."""
        for line in self._comment.end(summary, self._remarks()):
            click.echo(line)


def _indented(part: Document, by: int) -> str:
    text = json_characters(files.json_document(part.as_document()))
    return "\n".join(" " * by + line for line in text.split("\n"))


def entry_line(entry: Entry) -> str:
    """Return the line of one trace, in which nothing that anybody wrote moves the cursor."""
    match entry:
        case Rescored():
            layers = " | ".join(
                f"{name} {layer.old} -> {layer.new}" for name, layer in entry.layers.items()
            )
            metrics = ", ".join(f"{name}={value}" for name, value in entry.metrics.new.items())
            said = f"scenario={entry.scenario_id} {layers}"
            said += f" | metrics {metrics}" if metrics else ""
            said += " [sidecar written]" if entry.written else ""
        case Unresolved() | NotScored():
            said = f"ERROR {entry.error}"
        case _:
            assert_never(entry)
    return log_line(f"{entry.trace}: {said}")


def print_entry(printer: Printer, entry: Entry, *, to_the_end: bool) -> None:
    """Show one entry. `to_the_end`: the work goes on when nobody reads any more."""
    try:
        printer.entry(entry)
    except OSError as error:
        if not to_the_end:
            raise
        streams.discard_output(sys.stdout)
        printing.talk(
            "rescore", f"stdout cannot be written to any more ({error.strerror or error})"
        )


def stdout_to_stderr(items: Iterator[T]) -> Iterator[T]:
    """Yield `items`; what the code that makes them prints goes to stderr, for stdout is data."""
    while True:
        with contextlib.redirect_stdout(sys.stderr):
            try:
                item = next(items)
            except StopIteration:
                return
        yield item
