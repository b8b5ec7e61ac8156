"""The page that `wt report` makes of real runs, in a real browser."""

from __future__ import annotations

from pathlib import Path

from kit.browser import a_visit
from kit.commands import write_pack, wt

ASKED = ("--question", "does it still answer?", "--expect", "pass")


def test_a_reader_gets_from_a_sweep_to_the_turn_that_failed(browser):
    """Sweeps of two labels, the page, the failure, its run, the answer that was wrong."""
    write_pack()
    for more in (("--label", "base"), ("--label", "candidate", "--scenario", "fails")):
        wt("run", "--pack-source", "pack.py:PACK", *more, "--runs", "2", *ASKED)
    assert wt("report").code == 0
    with a_visit(browser, Path("report.html").resolve()) as visit:
        visit.go()
        page = visit.page
        rows = page.locator("#matrix tbody tr").all_inner_texts()
        assert [row.split()[:3] for row in rows] == [
            ["fails", "FAIL", "0/2"],
            ["passes", "PASS", "2/2"],
        ]
        said = "0 regressions, 0 improvements, 1 the same, 1 on one side only."
        assert page.locator("#compare-summary").inner_text() == said
        assert page.locator("#costs .strip line").count() == 2
        visit.axe("the page of two sweeps")
        page.locator("#failures a").first.click()
        failed = page.locator(".turn.failed")
        failed.wait_for()
        assert "missing facts" in failed.locator(".because").inner_text()
        assert "transcript" in page.locator(".decision").inner_text()
        visit.axe("the run that failed")
