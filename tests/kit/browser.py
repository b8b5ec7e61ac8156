"""A real headless Chromium, and visits to pages during which nothing may go wrong unnoticed."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

_COMMANDS = ("chromium", "chromium-browser", "google-chrome", "chrome")
# Chromium asks its maker for news unless it is told not to.
_QUIET = ("--disable-background-networking", "--disable-component-update", "--disable-sync")
# Everything that WCAG 2.2 asks for at levels A and AA, and what axe's authors advise.
_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# It takes every `#` link below the fold for a skip link, where a page has no other links.
_NOT_RULES = {"skip-link": {"enabled": False}}

AXE = Axe().axe_script

DESK = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


def chromium() -> str:
    """Where Chromium is. Without one the test is skipped, except in CI, where it has to be."""
    found = next((path for name in _COMMANDS if (path := shutil.which(name))), None)
    if found is None and os.environ.get("CI"):
        pytest.fail("there is no Chromium: .ci/run has to install it")
    if found is None:
        pytest.skip("there is no Chromium; Debian has it as the package `chromium`")
    return found


@contextmanager
def a_browser() -> Iterator[Browser]:
    """A browser until the end of the block.

    Playwright has an event loop in the thread that starts it, so no other test may run meanwhile.
    """
    path = chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_QUIET))
        yield browser
        browser.close()


class Visit:
    """A page that is open. Errors, requests and pop-ups are noted as `problems`."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self.url = url
        self.problems: list[str] = []
        page.set_default_timeout(30_000)
        page.on("console", lambda said: self._note(f"console {said.type}: {said.text}"))
        page.on("pageerror", lambda error: self._note(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self._request(request.url))
        page.context.on("page", lambda _: self._note("another page was opened"))

    def _note(self, what: str) -> None:
        self.problems.append(what)

    def _dialog(self, dialog: Any) -> None:
        self._note(f"pop-up: {dialog.message}")
        dialog.dismiss()

    def _request(self, url: str) -> None:
        if url.partition("#")[0] != self.url:
            self._note(f"request: {url[:200]}")

    def go(self, place: str = "") -> None:
        """Open the page at `place`, which is what stands behind the `#`."""
        self.page.goto(f"{self.url}#{place}" if place else self.url)

    def axe(self, state: str) -> None:
        """Check what is shown now against the rules for accessible pages."""
        options = {"runOnly": _RULES, "rules": _NOT_RULES, "resultTypes": ["violations"]}
        if not self.page.evaluate("'axe' in window"):  # half a megabyte of script, once a page
            self.page.evaluate(AXE)
        found = self.page.evaluate("options => axe.run(document, options)", options)
        wrong = [
            f"{one['id']}: {one['help']}: {[node['html'][:200] for node in one['nodes'][:5]]}"
            for one in found["violations"]
        ]
        assert not wrong, f"{state}: {wrong}"

    def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        return self.page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )

    def focused(self) -> str:
        """The element that has the keyboard: its id, else its tag and text."""
        return self.page.evaluate(
            "(e => e.id || `${e.tagName.toLowerCase()} ${e.textContent.trim()}`)(document.activeElement)"
        )


@contextmanager
def a_visit(browser: Browser, file: Path, **options: Any) -> Iterator[Visit]:
    """A visit to the page in `file`, off the network; whatever went wrong fails the test."""
    settings = {"viewport": DESK, "offline": True, "reduced_motion": "reduce", **options}
    context = browser.new_context(**settings)
    visit = Visit(context.new_page(), file.as_uri())
    try:
        yield visit
        assert visit.problems == []
    finally:
        context.close()
