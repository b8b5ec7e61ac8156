"""The page is usable by everyone: axe finds nothing, in both colour schemes, on a desk and on a phone."""

from __future__ import annotations

import pytest
from kit.browser import DESK, PHONE, a_visit
from kit.report_documents import ReportDocument, a_report

VIEWS = [
    pytest.param({"color_scheme": scheme, "viewport": viewport}, id=f"{scheme}-{name}")
    for scheme in ("light", "dark")
    for name, viewport in (("desk", DESK), ("phone", PHONE))
]


@pytest.mark.parametrize("view", VIEWS)
def test_every_state_passes_axe(browser, page_of, view):
    """The page, its tables opened, a comparison, a cell and a run: no violation, nothing too wide."""
    report = a_report()
    with a_visit(browser, page_of(report), **view) as visit:
        page = visit.page

        def check(state):
            visit.axe(state)
            assert visit.overflow() <= 0, state

        visit.go()
        page.locator("main details").evaluate_all("all => all.forEach(one => one.open = true)")
        page.locator("#compare-all").check()
        page.locator("#matrix-unclean").check()
        check("the page with everything shown")
        page.locator("#matrix tbody a:visible").first.click()
        page.locator("#detail").wait_for()
        check("a cell")
        visit.go(f"run={report.details[-1]['run_id']}")
        page.locator(".turn.failed").wait_for()
        page.locator("dialog details").evaluate_all("all => all.forEach(one => one.open = true)")
        check("a run that failed")


def test_an_empty_report_says_so(browser, page_of):
    """Without a single run every section has a sentence, and nothing breaks."""
    with a_visit(browser, page_of(ReportDocument())) as visit:
        visit.go()
        assert "There are no scored runs here yet." in visit.page.locator("#verdicts").inner_text()
        assert visit.page.locator("main table").count() == 0
        visit.axe("the empty page")


def test_without_javascript_the_tables_are_there(browser, page_of):
    """A mail program or a strict browser shows every verdict; what needs the script is hidden."""
    with a_visit(browser, page_of(a_report()), java_script_enabled=False) as visit:
        visit.go()
        page = visit.page
        cells = page.locator("#matrix tbody tr:has-text('refund_partial') td").all_inner_texts()
        assert [cell.split()[:2] for cell in cells] == [
            ["PASS", "3/3"],
            ["VARIANCE", "1/3"],
            ["FAIL", "0/3"],
        ]
        assert not page.locator("form").first.is_visible()
        assert page.get_by_text("Without its script").is_visible()


def test_severities_and_verdicts_do_not_rely_on_colour(browser, page_of):
    """Each has a word, and a sign before it that no other has."""
    with a_visit(browser, page_of(a_report())) as visit:
        visit.go()
        for kind, expected in (("severity", 3), ("verdict", 4)):
            seen = visit.page.locator(f"main .{kind}").evaluate_all(
                "all => all.map(e => [e.textContent, getComputedStyle(e, '::before').content])"
            )
            signs = {(word, sign) for word, sign in seen}
            assert len(signs) == len({sign for _, sign in signs}) == expected


def test_print_shows_everything_and_no_controls(browser, page_of):
    """On paper nothing scrolls; with a run open, the run is what is printed."""
    report = a_report()
    with a_visit(browser, page_of(report)) as visit:
        visit.go()
        visit.page.emulate_media(media="print")
        assert not visit.page.locator("body > nav").is_visible()
        frames = visit.page.locator("main .frame:visible").evaluate_all(
            "all => all.map(e => getComputedStyle(e).overflow)"
        )
        assert set(frames) == {"visible"}
        visit.go(f"run={report.details[0]['run_id']}")
        visit.page.locator("dialog .turns").wait_for()
        assert not visit.page.locator("main").is_visible()
