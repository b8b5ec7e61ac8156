"""`wt rescore`: scoring again, and printing a line or an object for each trace as it comes."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, assert_never

import click

from wt_git import files
from wt_git.cli import printing, process
from wt_git.cli.options import JSON, MARKDOWN
from wt_git.clock import SystemClock
from wt_git.errors import os_reason
from wt_git.records.documents.rescore import RESCORE_VERSION, NotScored, Rescored, Unresolved
from wt_git.reports.rescore import RescoreComment
from wt_git.rescore import RescoreRequest, Rescoring, definitions_of
from wt_git.sweep.selection import Selectors
from wt_git.text import json_characters, log_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wt_git.records.documents.document import Document
    from wt_git.records.documents.rescore import Entry, RescoreSummary

T = TypeVar("T")


def rescore(options: dict[str, Any], output_format: str) -> int:
    """Score the traces that `options` name, print each result, and return the exit code."""
    names = ("runs_dir", "traces", "labels", "pack_sources", "write")
    request = RescoreRequest(
        selectors=Selectors(
            **{name: options[name] for name in ("scenarios", "tags", "packs", "owners")}
        ),
        **{name: options[name] for name in names},
    )
    with contextlib.redirect_stdout(sys.stderr):  # a pack may print while it is loaded
        definitions = definitions_of(request, _say)
    rescoring = Rescoring(request, definitions, SystemClock())
    printer: _Printer = _Lines()
    if output_format == JSON:
        printer = _JsonDocument()
    elif output_format == MARKDOWN:
        printer = _Markdown(lambda: rescoring.remarks)
    for entry in _stdout_to_stderr(rescoring.entries()):
        _print_entry(printer, entry, to_the_end=request.write)
    printer.end(rescoring.summary)
    for remark in rescoring.remarks:
        _say(remark)
    return rescoring.exit_code


def _say(text: str) -> None:
    printing.talk("rescore", text)


class _Printer(Protocol):
    def entry(self, entry: Entry) -> None: ...
    def end(self, summary: RescoreSummary) -> None: ...


class _Lines:
    def entry(self, entry: Entry) -> None:
        click.echo(_entry_line(entry))

    def end(self, summary: RescoreSummary) -> None:
        counts = summary.as_document().items()
        click.echo(f"summary: {' '.join(f'{name}={count}' for name, count in counts)}")


class _JsonDocument:
    """One document, written part by part: it may be too large for memory."""

    def __init__(self) -> None:
        self._is_begun = False

    def entry(self, entry: Entry) -> None:
        click.echo(f"{self._before()}\n{_indented(entry, 4)}", nl=False)

    def _before(self) -> str:
        if self._is_begun:
            return ","
        self._is_begun = True
        return f'{{\n  "windtunnel_rescore": {RESCORE_VERSION},\n  "traces": ['

    def end(self, summary: RescoreSummary) -> None:
        end = "\n  ]" if self._is_begun else f"{self._before()}]"
        click.echo(f'{end},\n  "summary": {_indented(summary, 2).lstrip()}\n}}')


class _Markdown:
    """A comment on a pull request; `remarks` are asked for at the end."""

    def __init__(self, remarks: Callable[[], Sequence[str]]) -> None:
        self._comment = RescoreComment()
        self._remarks = remarks

    def entry(self, entry: Entry) -> None:
        for line in self._comment.lines(entry):
            click.echo(line)

    def end(self, summary: RescoreSummary) -> None:
        for line in self._comment.end(summary, self._remarks()):
            click.echo(line)


def _indented(part: Document, by: int) -> str:
    text = json_characters(files.json_document(part.as_document()))
    return "\n".join(" " * by + line for line in text.split("\n"))


def _entry_line(entry: Entry) -> str:
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


def _print_entry(printer: _Printer, entry: Entry, *, to_the_end: bool) -> None:
    """Print one entry. `to_the_end`: the work goes on although stdout is closed."""
    try:
        printer.entry(entry)
    except OSError as error:
        if not to_the_end:
            raise
        process.discard_output(sys.stdout)
        _say(f"stdout cannot be written to any more ({os_reason(error)})")


def _stdout_to_stderr(items: Iterator[T]) -> Iterator[T]:
    """Yield `items`; what is printed while they are made goes to stderr: stdout is data."""
    while True:
        with contextlib.redirect_stdout(sys.stderr):
            try:
                item = next(items)
            except StopIteration:
                return
        yield item
