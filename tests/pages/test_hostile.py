"""Whatever an agent wrote is text: it runs nothing, loads nothing, hides nothing, freezes nothing."""

from __future__ import annotations

import pytest
from kit.browser import PHONE, a_visit
from kit.report_documents import ReportDocument, turn

BIDI = "\u202egnp.exe\u2066 \u200fabc\u061c"
ATTACKS = {
    "closing tags": "</script></style></title></textarea></table><script>window.pwned=1</script>",
    "handlers": "<img src=x onerror=window.pwned=1><svg onload=window.pwned=1><b onclick=pwned>",
    "comments": "<!--<script> --!> ]]> <!-- the runs --> <!-- the document -->",
    "attributes": '" \' ` onmouseover=window.pwned=1 x="',
    "addresses": "javascript:window.pwned=1 https://example.test/a.png //example.test",
    "templates": "$style $script ${policy} {{window.pwned=1}}",
    "entities": "&lt;script&gt; &#x3c;b&#x3e; &nbsp;",
    "controls": "\x00\x07\x1b[31m\x1b]0;title\x07\x08\x7f\x9b",
    "direction": BIDI,
    "separators": "a\u2028b\u2029c\x85d",
    "half pairs": "\ud83d and \udc00",
    "prototype": "__proto__",
    "loads": "<link rel=stylesheet href=//example.test><base href=//example.test><iframe src=x>"
    "<meta http-equiv=refresh content='0;url=//example.test'><form action=//example.test>",
}
COUNTS = """() => Object.fromEntries(['script', 'style', 'img', 'iframe', 'link', 'base', 'b', 'object']
  .map(tag => [tag, document.getElementsByTagName(tag).length]))"""


def hostile(*attacks):
    """A report in which everything that can be any text is one of `attacks`, a scenario for each."""
    # Names in a document can be written as UTF-8; what a run says may be anything.
    names = [text.encode("utf-8", "replace").decode() for text in attacks]
    report = ReportDocument(runs_dir=names[0], remarks=names)
    for text, name in zip(attacks, names, strict=True):
        attack(report, text, name)
    return report


def attack(report, text, name):
    told = [
        turn("user", text),
        turn(
            text,
            text,
            tool_calls=[
                {"name": text, "args": {text: [text]}},
                {"function": {"name": text, "arguments": text}},
                text,
            ],
            tool_results=[{"content": text}, {text: text}],
        ),
    ]
    run = {
        "turns": told,
        "failed_turn": 1,
        "failed_because": text,
        "warnings": [text],
        "evidence": text,
        "model": text,
        "metrics": {text: text},
        "mcp_calls": [{"tool_name": text, "args": text, "result": text}],
        "layers": {text: {"passed": False, "detail": text, "gate": True, "evidence": text}},
    }
    report.cell(
        name,
        "main",
        ["FAIL", "PASS"],
        severity=name,
        detail=text,
        run=run,
        tier=name,
        pack=name,
        sweep_id=name,
        diagnostic_failures=[name],
        layers={text: {"passed": False, "pass_rate": 0.5, "detail": text}},
    )
    report.cell("the same", name, [name], detail=text)


def open_run(visit, number=0):
    """Go from a row of the matrix to its first run; return what elements the page has then."""
    page = visit.page
    if number == 0:
        visit.go()
    page.locator("#matrix tbody tr").nth(number).locator("a").first.click()
    page.locator("dialog table a").first.click()
    page.locator(".turn.failed").wait_for()
    return page.evaluate(COUNTS)


def test_hostile_text_is_inert(browser, page_of):
    """No script runs, nothing is asked of the network, and the page has the elements it always has."""
    with a_visit(browser, page_of(hostile(*(f"plain{one}" for one in ATTACKS)))) as visit:
        plain = open_run(visit)
    with a_visit(browser, page_of(hostile(*ATTACKS.values())), viewport=PHONE) as visit:
        rows = len(ATTACKS)
        for number in range(rows):
            assert open_run(visit, number) == plain, number
            assert visit.page.locator("dialog").evaluate("e => e.scrollWidth - e.clientWidth") <= 0
            visit.page.keyboard.press("Escape")
        assert visit.page.evaluate("'pwned' in window") is False
        assert visit.page.title() == "Wind Tunnel report"
        assert visit.overflow() <= 0


def test_hostile_text_does_not_lock_anybody_out(browser, page_of):
    """With all of it on one page, axe still finds nothing."""
    with a_visit(browser, page_of(hostile(" ".join(ATTACKS.values())))) as visit:
        open_run(visit)
        visit.axe("a hostile run")


def test_hostile_text_is_shown_as_it_is(browser, page_of):
    """The reader sees every character of an answer, tags and quotes included."""
    text = ATTACKS["closing tags"] + ATTACKS["attributes"]
    with a_visit(browser, page_of(hostile(text))) as visit:
        open_run(visit)
        assert visit.page.locator(".turn .text").first.inner_text() == text


def test_what_cannot_be_seen_is_written_out(browser, page_of):
    """Direction marks, controls and tag characters appear by number, on the page and in the panel."""
    unseen = "\x00\x1b\x7f\x85\xad\u061c\u200b\u200e\u202e\u2028\u2060\u2069\ufeff\U000e0041\ud800"
    text = "".join(f"{one}x" for one in unseen) + "\u200b" * 3
    report = ReportDocument()
    report.cell("s", "l", ["FAIL"], detail=text, run={"turns": [turn("assistant", text)]})
    numbers = [f"U+{ord(one):04X}" for one in unseen]
    repeated = "U+200B\u00d73"  # times three
    with a_visit(browser, page_of(report)) as visit:
        visit.go(f"run={report.details[0]['run_id']}")
        visit.page.locator("#detail[open]").wait_for()
        for where in ("#failures .detail", ".turn .text"):
            shown = visit.page.locator(where).first
            assert shown.locator(".unseen").all_inner_texts() == [*numbers, repeated], where
            assert shown.inner_text() == "".join(f"{one}x" for one in numbers) + repeated, where


def test_what_changes_direction_changes_only_itself(browser, page_of):
    """An answer in Hebrew reads from the right; the word beside it, and the verdict, stay."""
    report = ReportDocument()
    report.cell("שלום", "main", ["FAIL"], run={"turns": [turn("assistant", "שלום עולם 57")]})
    with a_visit(browser, page_of(report)) as visit:
        visit.go(f"run={report.details[0]['run_id']}")
        body = visit.page.locator(".turn .text").first
        assert body.evaluate("e => getComputedStyle(e).direction") == "rtl"
        assert (
            visit.page.locator(".turn h4").evaluate("e => getComputedStyle(e).direction") == "ltr"
        )
        assert visit.page.locator("dialog .lead bdi").first.inner_text() == "שלום"


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        pytest.param("x" * 1_000_000, 1_000_000, id="letters"),
        pytest.param("\u202e\x1b<b>" * 200_000, 3_000_000, id="marks"),
    ],
)
def test_a_line_of_a_megabyte_does_not_freeze_the_page(browser, page_of, line, shown):
    """Its beginning is shown; the rest comes at a click, wraps, and adds few elements."""
    report = ReportDocument()
    report.cell("s", "l", ["FAIL"], detail=line, run={"turns": [turn("assistant", line)]})
    with a_visit(browser, page_of(report), viewport=PHONE) as visit:
        visit.go(f"run={report.details[0]['run_id']}")
        page = visit.page
        more = page.locator(".turn button.more")
        assert more.inner_text() == f"Show all {len(line):,} characters"
        assert page.evaluate("document.body.innerText.length") < 150_000
        more.click()
        assert more.get_attribute("aria-expanded") == "true"
        assert page.locator(".turn .text").evaluate("e => e.textContent.length") >= shown
        assert page.evaluate("document.getElementsByTagName('*').length") < 10_000
        assert page.locator("#detail").evaluate("e => e.scrollWidth - e.clientWidth") <= 0
        more.click()
        assert page.evaluate("document.body.innerText.length") < 150_000


def test_the_policy_forbids_what_the_page_never_does(browser, page_of):
    """Were there a hole, the browser would still not run a script, take markup, or send anything."""
    with a_visit(browser, page_of(hostile("plain"))) as visit:
        visit.go()
        tried = visit.page.evaluate(
            """async () => {
              const fails = async (what) => { try { await what(); return false; } catch { return true; } };
              const script = document.createElement('script');
              const blocked = await fails(() => { script.text = 'window.pwned = 1'; });
              return {
                markup: await fails(() => { document.body.insertAdjacentHTML('beforeend', '<i>x</i>'); }),
                script: blocked,
                fetch: await fails(() => fetch('https://example.test/')),
              };
            }"""
        )
        assert tried == {"markup": True, "script": True, "fetch": True}
        expected = [one for one in visit.problems if "Content Security Policy" in one]
        assert expected
        visit.problems = [one for one in visit.problems if not one.startswith("console error")]
