"""Writes a report as HTML, Markdown or JSON, and recognises such a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, TextIO, assert_never

from wt_git import files
from wt_git.records.indented_json import indented_json
from wt_git.reports.report.markdown import report_lines
from wt_git.text import json_characters

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from wt_git.reports.report.load import LoadedReport

ReportFormat = Literal["html", "markdown", "json"]

_ROWS_KEY = "scenarios"
_BYTES_READ = 4096
_MARKERS = (b"<title>Wind Tunnel report</title>", b'{\n  "windtunnel_report": ')
_MARKDOWN_TITLE = b"# Wind Tunnel report: "


def json_parts(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text of `document` as two-space indented JSON, without a final newline.

    Its rows, under `scenarios`, may be any iterable.
    """
    before = "{"
    for key, value in document.items():
        yield f"{before}\n  {indented_json(key).decode()}: "
        if key == _ROWS_KEY:
            yield from _row_parts(value)
        else:
            yield _indented(value, "  ")
        before = ","
    yield "\n}"


def _row_parts(rows: Iterable[Any]) -> Iterator[str]:
    before = "["
    for row in rows:
        yield f"{before}\n    {_indented(row, '    ')}"
        before = ","
    yield "[]" if before == "[" else "\n  ]"


def _indented(value: object, indentation: str) -> str:
    """Return `value` as JSON with its further lines indented; strings in JSON hold no line breaks."""
    return indented_json(value).decode().replace("\n", f"\n{indentation}")


def write_report(report: LoadedReport, form: ReportFormat, stream: TextIO) -> None:
    """Write `report` to `stream`. Conversations are read on the way, one at a time."""
    match form:
        case "html":
            from wt_git.reports.page import page  # noqa: PLC0415 - loads Jinja

            page.write_page(
                report.document,
                report.details,
                stream,
                matrix_rows=(row.as_document() for row in report.rows.without_turns()),
                to_json=page.quick_embedded_json,
            )
        case "json":
            stream.writelines(map(json_characters, json_parts(report.document)))
            stream.write("\n")
        case "markdown":
            lines = report_lines(report.head, report.rows.without_turns())
            stream.writelines(f"{line}\n" for line in lines)
        case _:
            assert_never(form)


def is_report_file(path: Path) -> bool:
    """Return whether the file at `path` is a report or empty.

    A link is not: writing the report would replace the link. Raises `OSError`, also for a pipe and a
    device.
    """
    if path.is_symlink():
        return False
    descriptor = files.open_regular(path)
    if descriptor is None:
        return False
    with os.fdopen(descriptor, "rb") as stream:
        begin = stream.read(_BYTES_READ)
    return (
        not begin
        or begin.startswith(_MARKDOWN_TITLE)
        or any(marker in begin for marker in _MARKERS)
    )
