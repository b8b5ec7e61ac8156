"""What a reader finds on the page, and what a link to a part of it opens."""

from __future__ import annotations

from urllib.parse import quote

from kit.browser import a_visit
from kit.report_documents import ReportDocument, a_report, sweep_cost, turn


def test_a_link_to_a_run_opens_it_at_the_turn_that_failed(browser, page_of):
    """The turn is marked, in view, has the focus, and says why; what decided is named above."""
    report = ReportDocument()
    turns = [turn("user" if number % 2 else "assistant", "word " * 80) for number in range(30)]
    run = {"turns": turns, "failed_turn": 20, "failed_because": "said 57, not 75"}
    report.cell("long_one", "main", ["FAIL"], run=run)
    with a_visit(browser, page_of(report)) as visit:
        visit.go(f"run={report.details[0]['run_id']}")
        page = visit.page
        failed = page.locator(".turn.failed")
        assert failed.count() == 1
        assert failed.locator("h4").inner_text().split() == [
            *("Turn", "21", "·", "assistant"),
            *("failed", "here"),
        ]
        assert failed.locator(".because").inner_text() == "said 57, not 75"
        box = failed.bounding_box()
        assert 0 < box["y"] < 300
        assert visit.focused().startswith("h4 Turn 21")
        decision = page.locator(".decision").inner_text()
        assert "said 57, not 75" in decision
        assert "Evidence of tool calls: what the tool servers logged." in decision
        page.locator("#detail").evaluate("e => e.scrollTop = 0")
        page.get_by_text("Go to turn 21, where it failed").click()
        assert 0 < failed.bounding_box()["y"] < 300


def test_back_closes_what_a_link_opened(browser, page_of):
    """The browser's own Back and Forward work; closing leaves no step behind."""
    with a_visit(browser, page_of(a_report())) as visit:
        visit.go()
        page = visit.page
        page.locator("#failures a").first.click()
        page.locator("#detail[open]").wait_for()
        page.go_back()
        page.locator("#detail").wait_for(state="hidden")
        page.go_forward()
        page.locator(".turn.failed").wait_for()
        page.keyboard.press("Escape")
        page.wait_for_url(visit.url)


def test_what_is_opened_right_after_something_closed_stays_open(browser, page_of):
    """The browser tells of the closing only later; what was opened meanwhile must not suffer."""
    report = a_report()
    with a_visit(browser, page_of(report)) as visit:
        visit.go(f"run={report.details[0]['run_id']}")
        visit.page.evaluate(
            """next => new Promise(done => {
              const panel = document.getElementById('detail');
              panel.close();
              location.hash = next;
              dispatchEvent(new HashChangeEvent('hashchange'));
              panel.addEventListener('close', () => setTimeout(done), { once: true });
            })""",
            f"run={report.details[1]['run_id']}",
        )
        assert visit.page.locator("#detail .turns").is_visible()
        assert visit.page.url.endswith(report.details[1]["run_id"])


def test_a_click_beside_the_panel_closes_it(browser, page_of):
    """And a click into it does not."""
    with a_visit(browser, page_of(a_report())) as visit:
        visit.go()
        visit.page.locator("#matrix tbody a").first.click()
        visit.page.locator("#detail .lead").click()
        assert visit.page.locator("#detail").is_visible()
        visit.page.mouse.click(20, 400)
        visit.page.locator("#detail").wait_for(state="hidden")


def test_links_to_what_is_not_there_say_so(browser, page_of):
    """A link from an older report, and one that somebody mistyped."""
    with a_visit(browser, page_of(a_report())) as visit:
        for place, told in (
            ("run=gone", "This report has no run gone."),
            ("scenario=gone&label=main", "gone has no runs under main."),
            (
                "scenario=refund_partial&label=toString",
                "refund_partial has no runs under toString.",
            ),
            ("run=%E0%A4%A", None),
            ("compare=main&with=gone", None),
        ):
            visit.go("verdicts")
            visit.go(place)
            if told:
                visit.page.locator("#detail-body").get_by_text(told, exact=True).wait_for()


def test_names_of_any_characters_have_working_links(browser, page_of):
    """Spaces, signs of addresses, other scripts."""
    scenario, label = "a&b=c #?/%20+\\ ünï 日本", "x+y z/%"
    report = ReportDocument()
    report.cell(scenario, label, ["FAIL"])
    with a_visit(browser, page_of(report)) as visit:
        visit.go()
        visit.page.locator("#matrix tbody a").click()
        assert visit.page.locator("#detail-title").inner_text() == scenario
        visit.page.locator("dialog table a").click()
        visit.page.locator("dialog a", has_text="All 1 run").click()
        assert visit.page.locator("#detail-title").inner_text() == scenario
        visit.go("verdicts")
        visit.go(f"scenario={quote(scenario, safe='')}&label={quote(label, safe='')}")
        assert visit.page.locator("#detail-title").inner_text() == scenario


def test_runs_that_share_an_id_are_told_apart(browser, page_of):
    """Each has a link of its own: a copied trace must not hide the other."""
    report = ReportDocument()
    report.cell("twice", "main", ["PASS", "FAIL"])
    for run in (*report.document["scenarios"][0]["cells"]["main"]["run_list"], *report.details):
        run["run_id"] = "same"
    with a_visit(browser, page_of(report)) as visit:
        visit.go("scenario=twice&label=main")
        hrefs = visit.page.locator("dialog table a").evaluate_all("all => all.map(e => e.href)")
        assert len(set(hrefs)) == 2
        visit.page.locator("dialog table a").nth(1).click()
        assert "FAIL" in visit.page.locator("dialog .lead").inner_text()


def test_a_run_shows_calls_results_and_the_servers_log(browser, page_of):
    """Calls of either shape with their arguments; frozen turns are marked; warnings are listed."""
    report = ReportDocument()
    turns = [
        turn("assistant", tool_calls=[{"function": {"name": "openai", "arguments": '{"a": 1}'}}]),
        turn("assistant", tool_calls=[{"name": "flat", "args": {"b": [2]}}, "odd"]),
        turn("tool", "plain result", tool_results=[{"content": "not json"}]),
    ]
    run = {"turns": turns, "frozen_turns": 1, "failed_turn": None}
    report.cell("calls", "main", ["FAIL"], run=run)
    with a_visit(browser, page_of(report)) as visit:
        visit.go(f"run={report.details[0]['run_id']}")
        page = visit.page
        shown = [one.inner_text() for one in page.locator(".turn").all()]
        assert "calls openai" in shown[0]
        assert '"a": 1' in shown[0]
        assert "replayed, not scored" in shown[0].lower()
        assert "calls flat" in shown[1]
        assert "a call of an unknown shape" in shown[1]
        assert "odd" in shown[1]
        assert "plain result" in shown[2]
        assert "not json" in shown[2]
        assert page.locator(".warnings li").all_inner_texts() == ["mcp_evidence: available"]
        page.get_by_text("What the tool servers logged (1)").click()
        assert '"orders": 75' in page.locator(".server-log").inner_text()
        assert page.locator(".turn.failed").count() == 0


def test_a_comparison_lists_regressions_first(browser, page_of):
    """What got worse stands first, by the risk that was added; what is the same comes on demand."""
    with a_visit(browser, page_of(a_report())) as visit:
        visit.go("compare=main&with=retry-limit")
        page = visit.page
        rows = page.locator("#compare-result tbody tr")
        first_words = [text.split("\t")[:2] for text in rows.all_inner_texts()]
        assert first_words == [
            ["never_sends_money_twice", "Regression"],
            ["refund_partial", "Regression"],
            ["lookup_order", "Improvement"],
            ["greets_politely", "Not run any more"],
        ]
        page.locator("#compare-all").check()
        assert rows.count() == 5
        page.locator("#compare-a").select_option(label="new-model")
        assert "compare=new-model&with=retry-limit" in page.url
        page.reload()
        assert page.locator("#compare-a").evaluate("e => e.selectedOptions[0].text") == "new-model"


def test_the_search_finds_rows_and_the_box_hides_what_passed(browser, page_of):
    """Both together, and the number of rows is said."""
    with a_visit(browser, page_of(a_report())) as visit:
        visit.go()
        page = visit.page
        page.locator("#matrix-unclean").check()
        names = page.locator("#matrix tbody tr:visible th bdi").all_inner_texts()
        assert names == ["lookup_order", "never_sends_money_twice", "refund_partial"]
        page.locator("#matrix-search").fill("REFUND")
        assert page.locator("#matrix tbody tr:visible").count() == 1
        assert page.locator("#matrix-count").inner_text() == "1 of 5 shown"


def test_costs_are_bars_and_the_same_numbers_are_a_table(browser, page_of):
    """A strip for each tier, a bar for each priced sweep; the table has the rest too."""
    with a_visit(browser, page_of(a_report())) as visit:
        visit.go()
        page = visit.page
        strips = page.locator("#costs .strip")
        assert [strip.split("\n")[0] for strip in strips.all_inner_texts()] == [
            *("probe", "focused", "regression"),
        ]
        counts = [strips.nth(number).locator("line").count() for number in range(3)]
        assert counts == [19, 9, 4]
        assert "1 of 33 sweeps have no price and no bar." in page.locator("#costs").inner_text()
        page.get_by_text("The same as a table (33)").click()
        rows = page.locator("#costs tbody tr")
        assert rows.count() == 33
        assert rows.first.inner_text().split("\t") == [
            *("2026-01-30 09:30", "focused", "main", "—", "1 min 10 s", "12,030 / 900"),
            *("interrupted", "none made"),
        ]


def test_without_prices_the_bars_are_wall_clock_time(browser, page_of):
    """Nobody has to configure prices to see where the time went."""
    report = ReportDocument(cost_history=[sweep_cost(day, "probe", None) for day in (1, 2, 3)])
    with a_visit(browser, page_of(report)) as visit:
        visit.go()
        assert visit.page.locator("#costs line").count() == 3
        assert "No sweep has a price" in visit.page.locator("#costs").inner_text()


def test_two_thousand_runs_open_at_once(browser, page_of):
    """The page of 2,000 runs shows its matrix and opens any of them; closed runs cost no elements."""
    report = ReportDocument()
    for number in range(100):
        for label in ("main", "retry-limit", "new-model", "old-model"):
            verdicts = ["PASS"] * 5 if number % 3 else ["FAIL", "PASS", "PASS", "PASS", "FAIL"]
            report.cell(f"scenario_{number:03}", label, verdicts)
    with a_visit(browser, page_of(report)) as visit:
        visit.go()
        page = visit.page
        assert page.locator("script.run-data").count() == 2_000
        assert page.locator("#matrix tbody td").count() == 400
        assert page.evaluate("document.getElementsByTagName('*').length") < 12_000
        assert page.locator("#failures > ol > li").count() == 25
        visit.go(f"run={report.details[-1]['run_id']}")
        page.locator("dialog .turns").wait_for()
        assert "scenario_099" in page.locator("dialog .lead").inner_text()
