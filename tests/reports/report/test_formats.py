"""The report as Markdown and JSON: whole texts, and nothing in them that anybody could obey."""

from __future__ import annotations

import io
import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.experiment_lines import finished, usd, write_experiments
from kit.saved_runs import edit_json, save_row, save_run
from kit.traces import assistant, json_values, user

from wt_git import files
from wt_git.api.score import FailureCost
from wt_git.records.layout import sidecar_path
from wt_git.reports.report.load import is_report_file, json_parts, load_report, write_report

NOW = datetime(2026, 1, 3, 4, 5, 6, tzinfo=UTC)
CRITICAL = FailureCost("critical", customer_visible=True, reversible=False)


@pytest.fixture
def runs(tmp_path) -> Path:
    return tmp_path / "runs"


def written(runs_dir: Path, form: Any) -> str:
    stream = io.StringIO()
    write_report(load_report(runs_dir, now=NOW), form, stream)
    return stream.getvalue()


def test_the_whole_report_as_markdown(runs, monkeypatch):
    """Every table that it can have."""
    monkeypatch.chdir(runs.parent)
    here = runs.relative_to(runs.parent)
    calls = [{"name": "refund"}, {"name": "lookup"}]
    asked = {"turns": [user(), assistant("done", *calls)], "cost": CRITICAL}
    for number, passed in enumerate((True, False, True, True), 1):
        save_run(here, number, scenario="refund", layers={"constraint": passed}, **asked)
    save_row(here, [1, 2, 3, 4], scenario="refund", verdict="FAIL")
    save_run(here, 5, label="main", scenario="refund", block={"has_perturbations": True})
    save_run(here, 6, layers={"integrity": False, "trajectory": False}, gates=["outcome"])
    write_experiments(here, finished(1, cost_usd=usd()), finished(2, tier="regression"))
    save_run(here, 7).write_text("torn")
    assert written(here, "markdown") == (
        """\
# Wind Tunnel report: latest run 2026-01-02T12:00:06.123456+00:00

2 scenario(s), 2 label(s), 6 run(s) under runs

## Pass rates

| Layer | Passed |
| --- | --- |
| outcome | 100% |
| trajectory | 67% |
| constraint | 92% |
| integrity | 67% |
| Robustness cases | 1 (100%) |
| Failure risk | 17.50 |

## Verdicts

| Scenario | candidate | main |
| --- | --- | --- |
| lookup_order | INVALID n=0 | — |
| refund | FAIL n=2 [critical] | PASS n=0 |
| **passed** | **0/2** | **1/1** |

## Layers

| Scenario | Label | Rests on | outcome | trajectory | constraint | integrity |
| --- | --- | --- | --- | --- | --- | --- |
| lookup_order | candidate | all saved runs | 100% | 0% (diagnostic) | 100% (diagnostic) | 0% |
| refund | candidate | regression | 100% | 100% | 75% | 100% |
| refund | main | all saved runs | 100% | 100% | 100% | 100% |

## Failures by risk

| Risk | Scenario | Label | Verdict | Passed | Decided by | Run | Detail |
| --- | --- | --- | --- | --- | --- | --- | --- |
| 17.50 | refund | candidate | FAIL | 3/4 (30-95%) | constraint | 00000002 | constraint: constraint |
| 0.00 | lookup_order | candidate | INVALID | 0/1 | integrity | 00000006 | integrity: integrity |

## Flaky scenarios

| Scenario | Label | Passed of valid runs |
| --- | --- | --- |
| refund | candidate | 3/4 (30-95%) |

## Cost by tier

| Tier | Sweeps | Wall time | Tokens in / out | Cost | Predictions held |
| --- | --- | --- | --- | --- | --- |
| focused | 1 | 10 s | 100 / 7 | 0.0504 | 1/1 |
| regression | 1 | 10 s | 100 / 7 | no price | 1/1 |

## Left out

- 1 saved run(s) cannot be read and are not counted: runs/lookup_order/agent/candidate/some-model/q4/20260102T120007123456Z_00000007.json (trace is not JSON)
"""
    )


def test_what_a_cell_rests_on_is_always_said(runs):
    """A probe certifies nothing, and a score of today is not what the sweep saw."""
    save_run(runs, 1, probe=True)
    save_row(runs, [1], tier="probe")
    save_run(runs, 2, label="again", origin="rescore")
    save_row(runs, [2], label="again", tier="focused")
    save_run(runs, 3, label="old")
    save_row(runs, [3], label="old", experiment=None, tier=None)
    shown = written(runs, "markdown")
    assert "| lookup_order | candidate | probe |" in shown
    assert "| lookup_order | again | focused, rescored |" in shown
    assert "| lookup_order | old | tier not recorded |" in shown


def test_an_empty_report_is_one(runs):
    """Without tables of nothing."""
    runs.mkdir()
    shown = written(runs, "markdown")
    assert shown.startswith("# Wind Tunnel report: no runs\n\n0 scenario(s), 0 label(s), 0 run(s)")
    assert "| outcome | — |" in shown
    assert "## Verdicts" not in shown
    assert "no scored runs found" in shown
    assert json.loads(written(runs, "json"))["scenarios"] == []
    assert "<!DOCTYPE html>" in written(runs, "html")


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "a|b\n| c | d |",
    "\n\n# Heading\n",
    "[click](javascript:alert(1))",
    "![](https://evil.example/x.png)",
    "\x1b[2J\u202e\u2028::error::",
    "`code` *bold* <!-- hidden -->",
    "&lt;b&gt;",
]


@pytest.mark.parametrize("bad", HOSTILE)
def test_what_others_wrote_is_plain_text_in_markdown(runs, bad):
    """Wherever a name, a label, a detail or a time of theirs stands."""
    save_run(
        *(runs, 1),
        scenario=bad,
        label=bad,
        layers={"outcome": False},
        cost=CRITICAL,
        model=bad,
        turns=[user(bad), assistant(bad, {"name": bad})],
    )
    path = save_run(runs, 2, scenario=bad, label=bad)
    edit_json(path, started_at=f"2026{bad}", run_id=bad)
    for score in (sidecar_path(path), sidecar_path(save_run(runs, 3, scenario=bad, label=bad))):
        edit_json(score, score=None, outcome={"passed": False, "detail": bad})
    write_experiments(runs, finished(1, tier=bad, label=bad))
    save_row(runs, [1, 2, 3], scenario=bad, label=bad, verdict=bad)
    shown = written(runs, "markdown")
    tables = [line for line in shown.splitlines() if line.startswith("|")]
    by_table = {line.count(" | ") for line in tables}
    assert by_table <= {1, 2, 5, 6, 7}
    assert not re.search(r"<[a-z!/]", shown)
    assert not re.search(r"(?<!\\)\]\(", shown)
    assert not set(shown) & set("\x1b\u202e\u2028")
    headings = [line for line in shown.splitlines() if line.startswith("#")]
    assert [line for line in headings if line.startswith("# ")] == headings[:1]
    assert headings[1:] == [
        *("## Pass rates", "## Verdicts", "## Layers", "## Failures by risk", "## Cost by tier"),
        "## Left out",
    ]


@given(
    st.dictionaries(
        st.text(st.characters(codec="ascii"), max_size=5).filter(lambda key: key != "scenarios"),
        json_values(),
        max_size=3,
    ),
    st.lists(json_values(), max_size=3),
)
def test_the_pieces_are_the_document(head, rows):
    """Two-space indented, as every other document, however the rows come."""
    document = {**head, "scenarios": rows}
    text = "".join(json_parts({**head, "scenarios": iter(rows)}))
    assert json.loads(text) == json.loads(files.json_document(document))
    if rows and text.isascii():
        assert text == files.json_document(document)


def test_no_piece_holds_more_than_a_row(runs):
    """Rows are read as they are written."""
    for number in range(20):
        save_run(runs, number, scenario=f"s{number}", turns=[user("x" * 1000)])
    parts = list(json_parts(load_report(runs, now=NOW).document))
    assert max(map(len, parts)) < 10_000
    assert sum(map(len, parts)) > 20_000


def test_what_a_terminal_would_obey_is_escaped_in_json(runs):
    """And means the same."""
    bad = "\x1b[2J\u202ex"
    save_run(runs, 1, scenario=bad, turns=[user(bad)])
    text = written(runs, "json")
    assert not {"\x1b", "\u202e"} & set(text)
    (row,) = json.loads(text)["scenarios"]
    assert row["scenario_id"] == bad
    assert text.endswith("}\n")


@pytest.mark.parametrize("form", ["html", "json", "markdown"])
def test_a_report_is_known_by_its_look(runs, tmp_path, form):
    """So that it may be replaced by that of another runs directory."""
    save_run(runs, 1)
    path = tmp_path / "report"
    path.write_text(written(runs, form))
    assert is_report_file(path)


def test_links_pipes_and_devices_are_no_reports(tmp_path):
    """What is renamed over them would not go where they lead, and a pipe keeps its reader waiting."""
    empty = tmp_path / "empty"
    empty.write_text("")
    link = tmp_path / "link"
    link.symlink_to(empty)
    assert not is_report_file(link)
    assert not is_report_file(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/full")):
        with pytest.raises(OSError, match="not a regular file"):
            is_report_file(path)


@pytest.mark.parametrize("text", ["# Notes", "{}", "<!DOCTYPE html><title>Mine</title>", "\n"])
def test_other_documents_are_not_taken_for_reports(tmp_path, text):
    """They are somebody's."""
    path = tmp_path / "file"
    path.write_text(text)
    assert not is_report_file(path)
    path.write_text("")
    assert is_report_file(path)
