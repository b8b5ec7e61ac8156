"""Writing a report in one of its formats, and telling such a file when it is met again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TextIO, assert_never

from wt_git import files
from wt_git.reports.report.json_parts import json_parts
from wt_git.reports.report.markdown import report_lines
from wt_git.text import json_characters

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.reports.report.load import LoadedReport

ReportFormat = Literal["html", "markdown", "json"]

_BEGIN = 4096
_SIGNS = (b"<title>Wind Tunnel report</title>", b'{\n  "windtunnel_report": ')
_TITLE = b"# Wind Tunnel report: "


def write_report(report: LoadedReport, form: ReportFormat, stream: TextIO) -> None:
    """Write `report` to `stream`. Conversations are read on the way, one at a time."""
    match form:
        case "html":
            from wt_git.reports.page.page import write_page  # noqa: PLC0415 - only for pages

            write_page(report.document, report.details, stream)
        case "json":
            stream.writelines(map(json_characters, json_parts(report.document)))
            stream.write("\n")
        case "markdown":
            lines = report_lines(report.head, report.rows.without_turns())
            stream.writelines(f"{line}\n" for line in lines)
        case _:
            assert_never(form)


def is_a_report(path: Path) -> bool:
    """Say whether the file at `path` is a report, or holds nothing.

    A link is none: what is written in its place would be the file that it leads to no longer.
    Raises `OSError`, also for a pipe and a device.
    """
    if path.is_symlink():
        return False
    descriptor = files.open_regular(path)
    if descriptor is None:
        return False
    with os.fdopen(descriptor, "rb") as stream:
        begin = stream.read(_BEGIN)
    return not begin or begin.startswith(_TITLE) or any(sign in begin for sign in _SIGNS)
