"""The file itself: one style, one script, nothing from elsewhere, and data that cannot get out."""

from __future__ import annotations

import io
import json
import re
import zipfile
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.installation import build_wheel
from kit.report_documents import ReportDocument, a_report, turn
from kit.traces import json_values, texts

from wt_git.reports.page import page
from wt_git.reports.page.page import embedded_json, environment, write_page
from wt_git.reports.page.values import (
    UNSEEN,
    dollars,
    duration,
    interval,
    name,
    percent,
    visible,
)
from wt_git.reports.page.values import time as time_text


def page_text(report):
    stream = io.StringIO()
    write_page(report.document, report.details, stream)
    return stream.getvalue()


def island(text, mark):
    """What the script element that `mark` names holds, as a regular expression finds it."""
    found = re.findall(rf'<script type="application/json" {mark}>(.*?)</script>', text, re.DOTALL)
    return [json.loads(one) for one in found]


class Tags(HTMLParser):
    """The tags of a page with their attributes' names, but for what shows unseen and line ends."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag != "wbr" and dict(attrs).get("class") != "unseen":
            self.found.append((tag, *(name for name, _ in attrs)))


def test_the_matrix_adds_up_what_each_label_flew():
    """A scenario that was not run under a label is none that it failed; a variance passed."""
    report = ReportDocument()
    for scenario, label, verdict in [
        ("a", "x", "PASS"),
        ("a", "y", "FAIL"),
        ("b", "x", "PASS_WITH_VARIANCE"),
        ("c", "x", "INVALID"),
    ]:
        report.cell(scenario, label, ["PASS"], verdict=verdict)
    foot = page_text(report).partition("<tfoot>")[2].partition("</tfoot>")[0]
    assert re.findall(r"<strong>(.*?)</strong>", foot) == ["2/3", "0/1"]


def test_the_page_is_one_file_of_its_own():
    """A doctype, one style, one script, a policy, and no address of anything else."""
    text = page_text(a_report())
    assert text.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert text.count("<style") == text.count("</style>") == 1
    assert len(re.findall(r"<script>", text)) == 1
    assert text.count("Content-Security-Policy") == 1
    assert not re.search(
        r"https?:|//[a-z]|@import|url\(|\bsrc=|<link|<base", _without_comments(text)
    )
    assert {href[0] for href in re.findall(r'href="([^"]*)"', text)} == {"#"}
    assert not re.search(r"<(td|th)\b[^>]*>[^\n]*?<(br|sub)\b", text)


def _without_comments(text):
    return re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)


def test_the_script_never_makes_elements_from_strings():
    """The policy forbids it; the words for it do not occur either, nor handlers in attributes."""
    words = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser"
    )
    assert not re.search(words, page.page_script())
    assert not re.search(r"\son[a-z]+=", page_text(a_report()).split("<script")[0])


def test_the_data_is_the_document():
    """What a program reads from the page is what `--format json` says, and each run is there."""
    report = a_report()
    text = page_text(report)
    assert island(text, 'id="bench-data"') == [report.document]
    assert island(text, 'class="run-data" id="[^"]*"') == report.details


@given(texts())
def test_any_text_is_only_text(text):
    """The page has the same tags and attributes whatever stands in it, and its data comes back."""
    plain, hostile = page_about("x"), page_about(text)
    assert Tags(hostile).found == Tags(plain).found
    (document,) = island(hostile, 'id="bench-data"')
    assert document["runs_dir"] == text
    (run,) = island(hostile, 'class="run-data" id="run-0"')
    assert run["turns"][0]["content"] == text


def page_about(text):
    name = f"a{text}"  # a name has at least one character
    report = ReportDocument(runs_dir=text, remarks=[name])
    run = {"turns": [turn("assistant", text)]}
    report.cell(name, name, ["FAIL"], detail=name, severity=name, run=run, tier=name)
    return page_text(report)


@given(json_values())
def test_an_island_holds_any_json(value):
    """It is ASCII without `<`, `>` and `&`, and means the same."""
    text = embedded_json(value)
    assert text.isascii()
    assert not set(text) & set("<>&")
    assert json.loads(text) == value


def test_an_island_holds_what_json_cannot():
    """NaN, and nesting beyond measure: written so that a browser can read the rest."""
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert json.loads(embedded_json({"a": float("nan"), "b": float("inf")})) == {
        "a": "nan",
        "b": "inf",
    }
    assert "nested too deeply" in embedded_json(deep)


def test_runs_are_written_as_they_come():
    """One run is let go before the next is read: memory does not grow with their number."""
    report = ReportDocument()
    report.cell("s", "l", ["PASS"] * 50)
    stream = io.StringIO()
    written = []

    def details():
        for detail in report.details:
            written.append(stream.tell())
            yield detail

    write_page(report.document, details(), stream)
    assert written == sorted(set(written))
    assert written[-1] - written[0] > 48 * 1000


def test_rows_may_be_made_one_at_a_time():
    """The document's rows need only be something that can be gone through again."""
    report = a_report()

    class Rows:
        def __iter__(self):
            return iter(report.document["scenarios"])

    stream = io.StringIO()
    write_page({**report.document, "scenarios": Rows()}, report.details, stream)
    assert stream.getvalue() == page_text(report)


def test_long_lists_wait_behind_a_click():
    """The 25 failures of most risk are open to view; the others are counted and one click away."""
    report = ReportDocument()
    for number in range(40):
        report.cell(f"s{number:02}", "main", ["FAIL"])
    text = page_text(report)
    assert text.count('class="failures"') == 2
    assert "<summary>15 more failures</summary>" in text
    assert '<ol class="failures" start="26">' in text


def test_a_document_of_the_contract_is_enough():
    """Only the keys that every report has are needed."""
    cell = {
        "verdict": "PASS",
        "gate_layers": ["outcome"],
        "gate_pass_rate": 1.0,
        "tool_call_count": 0,
        "layers": {"outcome": {"passed": True, "pass_rate": 1.0, "detail": ""}},
        "robustness": {"applicable": False, "passed": False, "pass_rate": None},
        "failure_cost": {},
        "failure_risk": 0.0,
        "trace": {"run_id": "r", "turns": []},
        "aggregate": None,
    }
    document = {
        "latest_run_ts": "",
        "scenario_count": 1,
        "variants": ["main"],
        "scenarios": [{"scenario_id": "s", "cells": {"main": cell}}],
        "summary": {"outcome_pass_rate": 1.0, "total_failure_risk": 0.0},
    }
    stream = io.StringIO()
    write_page(document, [], stream)
    assert island(stream.getvalue(), 'id="bench-data"') == [document]


def test_values_are_escaped_in_texts_and_attributes():
    """Markup stays markup, text stays text, None is nothing."""
    template = environment().from_string(
        '<p class="{{ given }}"{{ " hidden" if hidden }}>{{ tag }}<i>{{ sign }}</i>{{ nothing }}{{ 5 }}</p>'
    )
    made = template.render(given='a"b', hidden=True, tag="<b>", sign="&", nothing=None)
    assert made == '<p class="a&#34;b" hidden>&lt;b&gt;<i>&amp;</i>5</p>'
    assert visible("a\u202eb") == 'a<span class="unseen">U+202E</span>b'
    titled = environment().from_string('<a title="{{ title|in_attribute }}"></a>')
    assert titled.render(title="x\x00\x00y") == '<a title="xU+0000\u00d72y"></a>'
    assert name("a_b__c") == "<bdi>a_<wbr>b__<wbr>c</bdi>"
    assert name("n" * 300, 10) == "<bdi>nnnnnnnnnn … (300 characters)</bdi>"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (percent(1), "100%"),
        (percent(0.999), ">99%"),
        (percent(0.001), "<1%"),
        (percent(0), "0%"),
        (percent(None), "—"),
        (interval({"low": 0.061, "high": 0.792}), "6\u201379%"),
        (interval(None), ""),
        (dollars(0.0042), "$0.0042"),
        (dollars(1234.5), "$1,234.50"),
        (dollars(None), "—"),
        (duration(42.13), "42.1 s"),
        (duration(3725), "1 h 2 min"),
        (time_text("2026-01-02T13:30:00+01:00"), "12:30"),
        (visible(time_text("yesterday <b>")), "yesterday &lt;b&gt;"),
    ],
)
def test_numbers_and_times_are_written_for_people(shown, expected):
    """Rates that are not quite 0 or 1 say so; times are in UTC; what is none stays as it is."""
    assert expected in shown


@given(st.text())
def test_a_shown_number_is_never_a_text(text):
    """A document made by others may hold a text where a number belongs."""
    assert percent(text) == dollars(text) == duration(text) == "—"


def test_unseen_characters_are_the_same_in_both_languages():
    """The script and the writer of the page have one list."""
    script = re.search(r"UNSEEN =\s*/\[(.*?)\]\+/gu", page.page_script()).group(1)
    python = re.sub(r"\\u\{(\w+)\}", lambda found: f"\\U{int(found[1], 16):08x}", script)
    every = "".join(map(chr, range(0x110000)))
    in_script = re.compile(f"[{python}]+")
    assert "".join(in_script.findall(every)) == "".join(UNSEEN.findall(every))


def test_the_page_is_in_the_wheel(tmp_path):
    """Users get the template, the styles and the scripts with the package."""
    names = zipfile.ZipFile(build_wheel(tmp_path)).namelist()
    templates = {path.name for path in (page.HERE / "templates").iterdir()}
    assert {f"wt_git/reports/page/templates/{one}" for one in templates} <= set(names)
    assert "page.html" in templates
    for kind, ending in (("style", "css"), ("script", "js")):
        inside = {name.rpartition("/")[2] for name in names if f"reports/page/{kind}/" in name}
        assert inside == {f"{one}.{ending}" for one in page.FILES[kind]}
