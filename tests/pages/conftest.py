"""One browser for all modules, and pages made from report documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kit.browser import a_browser

from wt_git.reports.page.page import write_page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kit.report_documents import ReportDocument
    from playwright.sync_api import Browser


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A browser that the tests of this folder share."""
    with a_browser() as started:
        yield started


@pytest.fixture
def page_of(tmp_path: Path) -> Callable[[ReportDocument], Path]:
    """Writes the page of a report and returns its file."""

    def write(report: ReportDocument) -> Path:
        path = tmp_path / "report.html"
        with path.open("w", encoding="utf-8") as stream:
            write_page(report.document, report.details, stream)
        return path

    return write
