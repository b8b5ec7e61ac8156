"""`wt triage` and the categories in JUnit, as a user meets them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from kit.commands import DECLARED, traces, wt
from kit.saved_runs import save_run

REFERENCE = Path(__file__).parents[1] / "triage/reference"

PACK = """
from windtunnel.api import Policy, Scenario, ScenarioPack

PACK = ScenarioPack("desk", [
    Scenario("stock", "How many?", requires_tool_use=True),
    Scenario("refund", "Refund it.", policies=[Policy("asks_first", lambda trace: False)]),
    Scenario("odd", "Say it.", target_facts=[["nobody says this"]]),
    Scenario("fine", "Say it.", target_facts=[["ok"]]),
])
"""


def flown(*arguments: str) -> None:
    Path("desk.py").write_text(PACK)
    ran = wt("run", "--pack-source", "desk.py:PACK", *arguments)
    assert ran.code == 1, ran.err


def test_failed_runs_are_sorted_by_what_went_wrong() -> None:
    """After a real sweep: categories, counts, and which run; nothing is run or written for it."""
    flown("--runs", "2", "--label", "a")
    before = sorted(Path("runs").rglob("*"))
    ran = wt("triage")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[2].startswith("**Failed runs:** 6 | **Passed:** 2 | **Invalid:** 0 |")
    assert [line for line in lines if line.startswith("## ")] == [
        "## policy (2)",
        "## tool_affordance (2)",
        "## unknown (2)",
    ]
    shown = {line.split(" | ")[1] for line in lines if line.startswith(("| stock", "| refund"))}
    saved = {path.stem[-8:] for path in traces() if path.parts[1] in {"stock", "refund"}}
    assert shown == saved
    assert sorted(Path("runs").rglob("*")) == before


def test_the_document_leads_to_the_traces() -> None:
    """All lines of evidence, and paths as the directory was typed."""
    flown("--runs-dir", "here")
    ran = wt("triage", "--runs", "here/", "--json", "--scenario", "ref*")
    assert (ran.code, ran.err) == (0, "")
    document = json.loads(ran.out)
    assert list(document) == [
        *("windtunnel_triage", "runs_dir", "classifier", "totals", "categories")
    ]
    assert document["totals"] == {"failed": 1, "passed": 0, "invalid": 0, "skipped": 0}
    (category,) = document["categories"]
    assert list(category) == ["category", "runs", "suggested_fix", "failures"]
    assert (category["category"], category["runs"]) == ("policy", 1)
    (failure,) = category["failures"]
    assert list(failure) == [
        *("scenario_id", "label", "run_id", "path", "confidence", "evidence", "suggested_fix")
    ]
    assert failure["path"] in [str(path) for path in traces("here")]
    assert failure["evidence"] == ["constraint: constraint violations: asks_first"]
    assert failure["suggested_fix"] == category["suggested_fix"]
    assert list(failure["suggested_fix"]) == ["fix_vector", "target", "rationale", "diff_text"]


def test_the_scenario_of_the_run_decides_and_not_the_pack_of_today() -> None:
    """Which may have changed since, or be gone."""
    flown()
    Path("desk.py").unlink()
    assert "## tool_affordance (1)" in wt("triage").out


def test_triage_of_the_reference_set() -> None:
    """The labelled runs are a runs directory like any other."""
    ran = wt("triage", "--runs", str(REFERENCE))
    assert (ran.code, ran.err) == (0, "")
    assert "**Failed runs:** 12 |" in ran.out
    assert "## side_effect_safety_violation (2)" in ran.out


@pytest.mark.parametrize("more", [(), ("--json",), ("--label", "x")])
def test_a_directory_that_is_not_there_is_said_and_no_failure(more: tuple[str, ...]) -> None:
    """Triage informs, it does not gate."""
    ran = wt("triage", "--runs", "5", *more)
    assert (ran.code, ran.out) == (0, "")
    assert ran.err.startswith("wt triage: runs directory not found: '5'; --runs names a directory")


def test_an_empty_directory_and_one_without_failures() -> None:
    """Two different answers."""
    Path("empty").mkdir()
    ran = wt("triage", "--runs", "empty")
    assert (ran.code, ran.err, ran.out.splitlines()[-1]) == (0, "", "No runs found.")
    save_run(Path("runs"), 1)
    assert wt("triage").out.splitlines()[-1] == "No failures to triage."


def test_a_filter_that_matches_nothing_is_said() -> None:
    """On stderr, with what there is; an empty report alone would look like success."""
    save_run(Path("runs"), 1, layers={"outcome": False}, label="a\x1b[31m")
    ran = wt("triage", "--label", "b")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "No runs found.")
    assert ran.err == "wt triage: no runs with label(s): b; labels present: a\\x1b[31m\n"
    assert "no scenario matched x; there is: lookup_order" in wt("triage", "--scenario", "x").err


@pytest.mark.parametrize("name", ["llm_judge", "RULE_BASED", ""])
def test_another_classifier_is_refused(name: str) -> None:
    """Exit 2, and the one that there is."""
    ran = wt("triage", "--classifier", name)
    assert (ran.code, ran.out) == (2, "")
    assert "rule_based" in ran.err


def test_junit_names_the_categories_of_failed_runs() -> None:
    """In the message, as an attribute and in the text; those that passed have none."""
    flown("--format", "junit", "--out", "out.xml", "--runs", "2")
    cases = {
        case.get("name"): case.find("failure") for case in ET.parse("out.xml").iter("testcase")
    }
    said = {
        name: (failure.get("message"), failure.get("triage_category"), failure.get("type"))
        for name, failure in cases.items()
        if failure is not None
    }
    assert said == {
        name: (f"FAIL: 0/2 gate pass triage={category}", category, "windtunnel.FAIL")
        for name, category in (
            ("stock", "tool_affordance"),
            ("refund", "policy"),
            ("odd", "unknown"),
        )
    }
    text = cases["stock"].text.splitlines() if cases["stock"] is not None else []
    assert text.index("triage category: tool_affordance") == text.index("failure risk: 1") + 1


def test_junit_of_invalid_runs_names_no_category() -> None:
    """Whose condition never happened, nothing is known of."""
    Path("pack.py").write_text(
        "from windtunnel.api import InjectStaleMemory, Scenario, ScenarioPack\n"
        "PACK = ScenarioPack('p', [Scenario('s', 'hi', [['no']],"
        " perturbations=[InjectStaleMemory('k', 'v')])])\n"
    )
    Path("plugin.py").write_text(
        "class Handle:\n"
        "    def send(self, messages, session_id): raise RuntimeError('down')\n"
        "    def reset_state(self): pass\n"
        "    def teardown(self): pass\n"
        "class Runtime:\n"
        "    def provision(self, config, mcps=None): return Handle()\n"
        "class Plugin:\n"
        "    max_concurrency = None\n"
        "    def build(self, runtime_name, label, soul_path): return Runtime()\n"
        "PLUGIN = Plugin()\n"
    )
    ran = wt(
        *("run", "--pack-source", "pack.py:PACK", "--runtime", "plugin.py:PLUGIN"),
        *("--format", "junit", "--out", "out.xml"),
    )
    assert ran.code == 1
    (failure,) = ET.parse("out.xml").iter("failure")
    assert failure.get("type") == "windtunnel.INVALID"
    assert failure.get("triage_category") is None
    assert "triage" not in (failure.get("message") or "") + (failure.text or "")


def test_categories_are_named_once_in_the_order_of_the_runs() -> None:
    """An agent that fails in two ways."""
    Path("pack.py").write_text(
        "from itertools import count\n"
        "from windtunnel.api import Policy, Scenario, ScenarioPack\n"
        "seen = count()\n"
        "PACK = ScenarioPack('p', [Scenario('s', 'hi', [['no']],"
        " policies=[Policy('p', lambda trace: next(seen) % 2)])])\n"
    )
    wt(
        *("run", "--pack-source", "pack.py:PACK", "--runs", "4"),
        *("--format", "junit", "--out", "out.xml", *DECLARED),
    )
    (failure,) = ET.parse("out.xml").iter("failure")
    assert failure.get("triage_category") == "policy,unknown"
    assert (failure.get("message") or "").endswith("0/4 gate pass triage=policy,unknown")


def test_a_trace_that_is_gone_costs_its_category_and_nothing_else() -> None:
    """The document is about the verdict."""
    Path("pack.py").write_text(
        "import shutil\n"
        "from windtunnel.api import Policy, Scenario, ScenarioPack\n"
        "def tidy(trace):\n"
        "    shutil.rmtree('runs/first')\n"
        "PACK = ScenarioPack('p', [Scenario('first', 'hi', [['no']]),"
        " Scenario('second', 'hi', policies=[Policy('p', tidy)])])\n"
    )
    ran = wt("run", "--pack-source", "pack.py:PACK", "--format", "junit", "--out", "out.xml")
    assert ran.code == 1
    first, second = ET.parse("out.xml").iter("failure")
    assert (first.get("message"), first.get("triage_category")) == ("FAIL: 0/1 gate pass", None)
    assert second.get("triage_category") == "policy"
