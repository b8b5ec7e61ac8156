"""`windtunnel.report`: reports from notebooks and scripts."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from kit.saved_runs import edit_json, run_id, save_row, save_run
from kit.traces import user
from windtunnel import report

import wt_git.report
from wt_git.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def runs(tmp_path) -> Path:
    return tmp_path / "runs"


def test_its_names_are_these(runs):
    """Under both import names."""
    assert report is wt_git.report
    assert report.__all__ == [
        *("compute_diff", "compute_metric_deltas", "generate_html", "generate_json"),
        *("generate_markdown", "load_run_groups", "load_runs", "summarize_group"),
    ]
    assert all(callable(getattr(report, name)) for name in report.__all__)


def test_importing_it_costs_little():
    """Nothing of ours is loaded before it is asked for, and nothing from elsewhere."""
    program = (
        "import sys, windtunnel.report\n"
        "print(*(m for m in sys.modules if m.startswith(('wt_git.', 'pydantic', 'msgspec'))))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    assert printed.split() == ["wt_git.report"]


def test_the_latest_runs_are_as_their_files_have_them(runs):
    """With whatever the files hold beside what this version knows, and the ledger row."""
    save_run(runs, 1)
    path = save_run(runs, 2, turns=[user("hi")])
    edit_json(path, added_by_a_hook={"x": [1]})
    save_run(runs, 3, scenario="refund", label="other")
    save_row(runs, [1, 2], verdict="FAIL", extra=7)
    found = report.load_runs(str(runs))
    assert list(found) == [("lookup_order", "candidate"), ("refund", "other")]
    latest = found["lookup_order", "candidate"]
    assert latest["trace"] == json.loads(path.read_text())
    assert latest["trace"]["added_by_a_hook"] == {"x": [1]}
    assert latest["score"]["_aggregate"]["verdict"] == "FAIL"
    assert latest["score"]["_aggregate"]["extra"] == 7
    assert latest["score"]["verdict"] == "PASS"
    assert "_aggregate" not in found["refund", "other"]["score"]


def test_groups_are_summarised_as_results_are(runs):
    """By scenario and label; by pack too, where two own a scenario of one name."""
    save_run(runs, 1, layers={"outcome": False}, metrics={"steps": 3})
    save_run(runs, 2, metrics={"steps": 5})
    groups = report.load_run_groups(runs)
    summary = report.summarize_group(groups["lookup_order", "candidate"])
    assert (summary["runs"], summary["passed"], summary["pass_rate"]) == (2, 1, 0.5)
    assert summary["metrics"]["outcome.steps"]["mean"] == 4
    assert [run.run_id for run in groups["lookup_order", "candidate"].runs] == [
        run_id(1),
        run_id(2),
    ]
    save_row(runs, [1], pack="a")
    save_row(runs, [2], pack="b")
    assert list(report.load_run_groups(runs)) == [
        ("a/lookup_order", "candidate"),
        ("b/lookup_order", "candidate"),
    ]


def test_two_labels_are_compared_as_wt_compare_does(runs):
    """Verdicts that changed, and how metrics moved."""
    save_run(runs, 1, label="main", metrics={"steps": 3})
    save_run(runs, 2, label="candidate", layers={"outcome": False}, metrics={"steps": 4})
    (change,) = report.compute_diff(runs, "main", "candidate")
    assert (change["scenario_id"], change["direction"]) == ("lookup_order", "regression")
    assert (change["verdict_a"], change["verdict_b"], change["risk_delta"]) == ("PASS", "FAIL", 1.0)
    groups = report.load_run_groups(runs)
    (delta,) = report.compute_metric_deltas(groups, "main", "candidate")
    assert (delta["metric"], delta["delta"]) == ("outcome.steps", 1.0)
    assert report.compute_metric_deltas(groups, "main", "nowhere") == []
    with pytest.raises(UsageError, match="nowhere"):
        report.compute_diff(runs, "main", "nowhere")


def test_documents_go_to_a_stream_or_to_standard_output(runs, capsys):
    """Whichever is asked for."""
    save_run(runs, 1)
    stream = io.StringIO()
    report.generate_json(runs, stream)
    document = json.loads(stream.getvalue())
    assert (document["windtunnel_report"], document["scenario_count"]) == (1, 1)
    report.generate_json(runs)
    assert json.loads(capsys.readouterr().out)["scenarios"] == document["scenarios"]
    report.generate_markdown(runs, stream)
    report.generate_markdown(runs)
    shown = capsys.readouterr().out
    assert shown.startswith("# Wind Tunnel report: latest run ")
    assert stream.getvalue().endswith(shown)


def test_the_page_goes_to_a_file_that_is_remembered(runs, tmp_path):
    """It may be replaced by the next one, and nobody else's file is."""
    save_run(runs, 1)
    out = tmp_path / "pages" / "report.html"
    assert report.generate_html(runs, str(out)) == out
    assert out.read_text().startswith("<!DOCTYPE html>")
    assert (runs / ".wt-outputs").read_text().splitlines() == [str(out)]
    report.generate_html(runs, out)
    notes = tmp_path / "notes.html"
    notes.write_text("mine")
    with pytest.raises(UsageError, match="exists and no earlier wt command"):
        report.generate_html(runs, notes)
    assert notes.read_text() == "mine"


def test_a_directory_without_runs_is_empty_and_a_missing_one_is_refused(runs):
    """Nothing is created by looking."""
    with pytest.raises(UsageError, match="runs directory not found"):
        report.load_runs(runs)
    assert not runs.exists()
    runs.mkdir()
    assert (report.load_runs(runs), report.load_run_groups(runs)) == ({}, {})
