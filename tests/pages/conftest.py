"""One browser for all modules, and pages made from report documents."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from kit.browser import a_browser

from wt_git.reports.page.page import write_page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kit.report_documents import ReportDocument
    from playwright.sync_api import Browser

_UNTIL_IT_IS_CLOSED = ExitStack()
_STARTED: list[Browser] = []


@pytest.fixture
def browser() -> Browser:
    """A browser that tests in a row share, of whatever module."""
    if not _STARTED:
        _STARTED.append(_UNTIL_IT_IS_CLOSED.enter_context(a_browser()))
    return _STARTED[0]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> None:
    """Close the browser before a test that needs none: its event loop would be in the way."""
    if "browser" not in getattr(nextitem, "fixturenames", ()):
        _STARTED.clear()
        _UNTIL_IT_IS_CLOSED.close()


@pytest.fixture
def page_of(tmp_path: Path) -> Callable[[ReportDocument], Path]:
    """Writes the page of a report and returns its file."""

    def write(report: ReportDocument) -> Path:
        path = tmp_path / "report.html"
        with path.open("w", encoding="utf-8") as stream:
            write_page(report.document, report.details, stream)
        return path

    return write
