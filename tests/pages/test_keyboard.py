"""Everything can be reached and left without a mouse, and it is visible where one is."""

from __future__ import annotations

import pytest
from kit.browser import a_visit
from kit.report_documents import a_report

OUTLINED = """() => {
  const style = getComputedStyle(document.activeElement);
  const box = document.activeElement.getBoundingClientRect();
  const inView = box.bottom > 0 && box.top < innerHeight;
  return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 && inView;
}"""
SECTIONS = ["verdicts", "failures", "flaky", "compare", "costs", "predictions"]
FOCUSABLE = "a[href], button, input, select, summary, [tabindex='0']"


@pytest.fixture
def visit(browser, page_of):
    """The page, just opened."""
    with a_visit(browser, page_of(a_report())) as opened:
        opened.go()
        yield opened


def test_the_first_stop_leads_past_the_head(visit):
    """The skip link appears when it is reached, and goes to the verdicts."""
    visit.page.keyboard.press("Tab")
    assert visit.focused() == "a Skip to the verdicts"
    assert visit.page.locator(".skip").bounding_box()["y"] >= 0
    visit.page.keyboard.press("Enter")
    visit.page.wait_for_url(f"{visit.url}#verdicts")


def test_a_walk_meets_every_control_and_shows_where_it_is(visit):
    """As many stops as there are controls, in the order of the page, each with a visible ring."""
    page = visit.page
    expected = page.locator(f"body > :not(dialog) >> {FOCUSABLE}").evaluate_all(
        "all => all.filter(e => e.checkVisibility()).length"
    )
    skip = page.locator("body > a.skip").count()
    places = []
    for _ in range(expected + skip):
        page.keyboard.press("Tab")
        assert page.evaluate(OUTLINED), visit.focused()
        places.append(page.evaluate("document.activeElement.closest('section')?.id"))
    assert list(dict.fromkeys(place for place in places if place)) == SECTIONS
    page.keyboard.press("Tab")
    assert visit.focused().startswith(("body", "a Skip"))


def test_a_cell_opens_and_closes_by_keyboard_and_gives_the_focus_back(visit):
    """Enter opens it, the focus goes in and stays in, Escape brings it back to the link."""
    page = visit.page
    link = page.locator("#matrix tbody a").nth(3)
    link.focus()
    page.keyboard.press("Enter")
    page.locator("#detail[open]").wait_for()
    assert visit.focused() == "detail-title"
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate(
            "document.activeElement === document.body || "
            "document.activeElement.closest('dialog') !== null"
        )
    page.keyboard.press("Escape")
    page.locator("#detail").wait_for(state="hidden")
    assert link.evaluate("e => e === document.activeElement")
    page.wait_for_url(visit.url)


def test_from_a_cell_to_a_run_and_on(visit):
    """The run is a link away, the next run too, and closing still returns to where it began."""
    page = visit.page
    link = page.locator("#matrix tbody a", has_text="1/3")
    link.focus()
    page.keyboard.press("Enter")
    page.locator("dialog table a").first.focus()
    page.keyboard.press("Enter")
    page.locator(".turn.failed").wait_for()
    assert visit.focused().startswith("h4 Turn 4")
    page.locator("dialog a", has_text="Next run").focus()
    page.keyboard.press("Enter")
    page.locator("dialog a", has_text="Previous run").wait_for()
    assert visit.focused() == "detail-title"
    page.locator("#detail-close").focus()
    page.keyboard.press("Enter")
    assert link.evaluate("e => e === document.activeElement")


def test_the_selectors_and_the_search_work_by_keyboard(visit):
    """Choosing a label compares at once and says what it found; so does typing a name."""
    page = visit.page
    page.locator("#compare-b").focus()
    page.keyboard.press("ArrowDown")
    said = page.locator("#compare-summary")
    assert said.get_attribute("role") == "status"
    assert said.inner_text() == "2 regressions, 0 improvements, 1 the same, 2 on one side only."
    page.locator("#matrix-search").focus()
    page.keyboard.type("Order")
    page.keyboard.press("Enter")
    assert page.locator("#matrix-count").inner_text() == "1 of 5 shown"
    assert page.locator("#matrix tbody tr:visible").count() == 1
