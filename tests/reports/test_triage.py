"""Triage of a directory: which runs, in which order, and as Markdown."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.saved_runs import edit_json, run_id, save_run

from wt_git.errors import UsageError
from wt_git.records.layout import sidecar_path
from wt_git.reports.triage import (
    TriageCategory,
    TriagedRun,
    TriageFix,
    TriageReport,
    TriageTotals,
    load_triage,
    triage_lines,
)
from wt_git.triage import FailureClassification, FixSuggestion, RuleBasedClassifier

RUNS = Path("runs")
WRONG = {"outcome": False}


def loaded(classify=None, **narrowed):
    return load_triage(
        RUNS, classify or RuleBasedClassifier().classify, classifier="rule_based", **narrowed
    )


def totals(found):
    of = found.document.totals
    return (of.failed, of.passed, of.invalid, of.skipped)


def ids(found):
    return {one.category: [r.run_id for r in one.failures] for one in found.document.categories}


def test_every_scored_run_is_counted_as_what_it_is():
    """Not only those of the latest sweep; integrity goes before the gate."""
    save_run(RUNS, 1)
    save_run(RUNS, 2, layers=WRONG)
    save_run(RUNS, 3, layers={"constraint": False}, label="other")
    save_run(RUNS, 4, layers={"outcome": False, "integrity": False})
    save_run(RUNS, 5, layers={"trajectory": False}, gates=["outcome"])
    save_run(RUNS, 6, layers=WRONG, probe=True)
    found = loaded()
    assert totals(found) == (3, 2, 1, 0)
    assert ids(found) == {"policy": [run_id(3)], "unknown": [run_id(2), run_id(6)]}
    assert found.remarks == ()


def test_what_cannot_be_judged_is_skipped_and_named():
    """No score, no trace or score that can be read, no scenario; and what is no flight is left out."""
    save_run(RUNS, 1, layers=WRONG)
    sidecar_path(save_run(RUNS, 2, layers=WRONG)).unlink()
    save_run(RUNS, 3, layers=WRONG).write_text("{")
    sidecar_path(save_run(RUNS, 4, layers=WRONG)).write_text("[]")
    edit_json(sidecar_path(save_run(RUNS, 5, layers=WRONG)), scenario=None)
    edit_json(save_run(RUNS, 6, layers=WRONG), finished_at=None)
    for number, origin in enumerate(("selftest", "replay"), 7):
        save_run(RUNS, number, layers=WRONG, origin=origin)
    save_run(RUNS, 9, layers=WRONG, origin="rescore")
    Path("runs/package.json").write_text("{}")
    found = loaded()
    assert totals(found) == (2, 0, 0, 5)
    (broken, unfinished, others) = found.remarks
    assert broken.startswith("4 saved run(s) cannot be read and are not counted: runs/")
    assert "(trace is not JSON)" in broken
    assert "(scenario must be an object, got null)" in broken
    assert broken.endswith("and 1 more")
    assert unfinished == "1 run(s) have no score and are not counted: they did not end"
    assert others == "2 run(s) of selftests and replays are not counted"


def test_a_run_that_is_stored_twice_counts_once():
    """A folder of copies adds nothing."""
    trace = save_run(RUNS, 1, layers=WRONG)
    copies = RUNS / "copies"
    copies.mkdir()
    for path in (trace, sidecar_path(trace)):
        shutil.copy(path, copies)
    assert totals(loaded()) == (1, 0, 0, 0)


def test_it_is_narrowed_to_labels_and_scenarios():
    """Labels exactly, scenarios by pattern; alternatives within one option."""
    for number, (label, scenario) in enumerate(
        [("a", "refund"), ("a", "refuse"), ("b", "refund"), ("b", "lookup")], 1
    ):
        save_run(RUNS, number, layers=WRONG, label=label, scenario=scenario)
    assert totals(loaded(labels=["a"])) == (2, 0, 0, 0)
    assert totals(loaded(labels=["a", "b"], scenarios=["ref*"])) == (3, 0, 0, 0)
    assert totals(loaded(scenarios=["lookup", "refuse"])) == (2, 0, 0, 0)
    assert loaded(labels=["a"], scenarios=["lookup"]).remarks == (
        "no scenario matched lookup; there is: refund, refuse",
    )
    missing = loaded(labels=["a", "c"])
    assert totals(missing) == (2, 0, 0, 0)
    assert missing.remarks == ("no runs with label(s): c; labels present: a, b",)


def test_runs_of_other_labels_are_not_opened():
    """A label costs what it holds, whatever else there is."""
    save_run(RUNS, 1, layers=WRONG, label="a")
    save_run(RUNS, 2, layers=WRONG, label="b").write_text("{")
    assert loaded(labels=["a"]).remarks == ()
    moved = RUNS / "elsewhere"
    moved.mkdir()
    trace = save_run(RUNS, 3, layers=WRONG, label="c")
    for path in (trace, sidecar_path(trace)):
        shutil.move(path, moved)
    assert totals(loaded(labels=["c"])) == (1, 0, 0, 0)


def test_only_failed_runs_are_asked_about_and_with_the_scenario_of_the_sidecar():
    """The packs of today are not loaded."""
    seen = []

    def classify(scenario, trace, score):
        seen.append((scenario.name, scenario.tags, trace.run_id, score.outcome.passed))
        return FailureClassification("planning", 0.5, [])

    save_run(RUNS, 1)
    edit_json(
        sidecar_path(save_run(RUNS, 2, layers=WRONG)), scenario={"name": "as_scored", "tags": ["t"]}
    )
    loaded(classify)
    assert seen == [("as_scored", ["t"], run_id(2), False)]


def test_where_nothing_is_known_the_layers_have_their_say():
    """Those that the run failed by, in their order; a classifier's own words stand alone."""
    wrong = {"outcome": False, "trajectory": False, "constraint": False}
    save_run(RUNS, 1, layers=wrong, gates=["outcome", "constraint"])
    said = {
        "nothing": lambda *_: FailureClassification("unknown", 0.0, []),
        "something": lambda *_: FailureClassification("unknown", 0.0, ["seen"]),
    }
    evidence = {
        name: loaded(classify).document.categories[0].failures[0].evidence
        for name, classify in said.items()
    }
    assert evidence == {
        "nothing": ["outcome: outcome", "constraint: constraint"],
        "something": ["seen"],
    }


def test_most_failures_come_first_and_unknown_last():
    """With the first fix that a run of the category has; lines of evidence have an end."""
    order = iter(["unknown", "memory", "policy", "memory", "unknown", "unknown", "clarification"])
    fixes = iter([None, None, None, FixSuggestion("other", {"x": 1}, "why", "- a\n+ b")])

    def classify(scenario, trace, score):
        return FailureClassification(next(order), 0.5, ["é" * 5000], next(fixes, None))

    for number in range(7):
        save_run(RUNS, number, layers=WRONG)
    document = loaded(classify).document
    assert [(one.category, one.runs) for one in document.categories] == [
        ("memory", 2),
        ("clarification", 1),
        ("policy", 1),
        ("unknown", 3),
    ]
    memory = document.categories[0]
    assert memory.suggested_fix == memory.failures[1].suggested_fix
    assert memory.failures[0].suggested_fix is None
    assert memory.failures[0].evidence == ["é" * 1000 + "..."]
    fix = {"fix_vector": "other", "target": {"x": 1}, "rationale": "why", "diff_text": "- a\n+ b"}
    assert document.as_document()["categories"][0]["suggested_fix"] == fix


def test_a_directory_that_is_not_there_is_refused():
    """The command says so and goes on."""
    with pytest.raises(UsageError, match="runs directory not found: 'runs'"):
        loaded()


def shown(report):
    return list(triage_lines(report))


def a_report(*categories, failed=0, passed=0, invalid=0, skipped=0):
    counts = TriageTotals(failed=failed, passed=passed, invalid=invalid, skipped=skipped)
    return TriageReport(
        runs_dir="runs", classifier="rule_based", totals=counts, categories=list(categories)
    )


def a_run(*evidence, scenario="s", run="abcd1234-0000", confidence=0.9, fix=None):
    return TriagedRun(
        scenario_id=scenario,
        label="l",
        run_id=run,
        path="p",
        confidence=confidence,
        evidence=list(evidence),
        suggested_fix=fix,
    )


HEADER = "**Failed runs:** {} | **Passed:** {} | **Invalid:** {} | **Skipped (no score):** {} | **Classifier:** rule_based"


def test_the_whole_report():
    """As a reviewer reads it."""
    fix = TriageFix(fix_vector="add_policy", target={}, rationale="say so", diff_text=None)
    policy = TriageCategory(
        category="policy",
        runs=2,
        suggested_fix=fix,
        failures=[a_run("a", "b", "c", fix=fix), a_run("x" * 81, confidence=1.0)],
    )
    unknown = TriageCategory(
        category="unknown", runs=1, suggested_fix=None, failures=[a_run(confidence=0.0)]
    )
    assert shown(a_report(policy, unknown, failed=3, passed=1, invalid=2, skipped=4)) == [
        "# Wind Tunnel Triage Report",
        "",
        HEADER.format(3, 1, 2, 4),
        "",
        "## policy (2)",
        "",
        "**Fix:** `add_policy`: say so",
        "",
        "| Scenario | Run | Confidence | Evidence |",
        "| --- | --- | --- | --- |",
        "| s | abcd1234 | 90% | a; b |",
        f"| s | abcd1234 | 100% | {'x' * 80}... |",
        "",
        "## unknown (1)",
        "",
        "| Scenario | Run | Confidence | Evidence |",
        "| --- | --- | --- | --- |",
        "| s | abcd1234 | 0% |  |",
    ]


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({}, "No runs found."),
        ({"skipped": 2}, "No runs found."),
        ({"passed": 1}, "No failures to triage."),
        ({"invalid": 1}, "No failures to triage."),
    ],
)
def test_nothing_to_triage_is_said(counts, said):
    """And why."""
    assert shown(a_report(**counts))[-1] == said


HOSTILE = (
    "</td>|`x`\n| <script>alert(1)</script> [a](javascript:b) ![i](http://x) \x1b[31m \u202e @you"
)


def test_nothing_that_an_agent_wrote_is_markup():
    """No cell ends early, no link, no HTML, nothing that a terminal would obey."""
    fix = TriageFix(fix_vector="add_policy", target={}, rationale=HOSTILE, diff_text=None)
    run = a_run(HOSTILE, scenario=HOSTILE, run="|<b>|*`_")
    policy = TriageCategory(category="policy", runs=1, suggested_fix=fix, failures=[run])
    text = "\n".join(shown(a_report(policy, failed=1)))
    row = text.splitlines()[-1]
    assert row.count("|") == 5
    for bad in ("<", "\x1b", "\u202e", "@you"):
        assert bad not in text
    assert re.findall(r"(?<!\\)[\[\]`]", text) == ["`", "`"]  # around the fix vector


@given(st.text(), st.text(), st.lists(st.text(), max_size=3))
def test_any_text_makes_one_row_of_four_cells(scenario, run, evidence):
    """Whatever scenarios, runs and lines of evidence are called."""
    category = TriageCategory(
        category="policy",
        runs=1,
        suggested_fix=None,
        failures=[a_run(*evidence, scenario=scenario, run=run)],
    )
    lines = shown(a_report(category, failed=1))
    assert len(lines) == 9
    assert lines[-1].startswith("| ")
    assert lines[-1].count("|") == 5
    json.dumps(category.as_document())
