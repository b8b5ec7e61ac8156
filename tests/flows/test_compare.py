"""`wt compare`, as a user meets it: after real sweeps, and over directories of every kind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from kit.commands import write_pack, wt
from kit.saved_runs import edit_json, save_row, save_run

from wt_git.records.layout import sidecar_path

RUNS = Path("runs")
SHOWN_OF_RATES = "Pass rates (vs baseline):"


def document(*arguments: str, code: int = 0) -> dict[str, Any]:
    ran = wt("compare", "--json", *arguments)
    assert ran.code == code, ran.err
    return json.loads(ran.out)


def the_guides_directory() -> None:
    """Two labels, two scenarios, five runs each, with the numbers that the guide shows."""
    revisions = {"baseline": (8, 9, 9, 10, 11), "candidate": (6, 7, 8, 9, 11)}
    correct = {"baseline": 3, "candidate": 4}
    number = 0
    for label, values in revisions.items():
        for place, value in enumerate(values, 1):
            good = place <= correct[label]
            save_run(
                RUNS,
                number + place,
                label=label,
                layers={"outcome": good},
                metrics={"final_correct": good, "revisions": value},
            )
            save_run(RUNS, number + 5 + place, label=label, scenario="refund_flow")
        save_row(RUNS, range(number + 1, number + 6), label=label, verdict="FAIL")
        save_row(RUNS, range(number + 6, number + 11), label=label, scenario="refund_flow")
        number += 10


def test_the_outputs_of_the_guide_are_reproduced() -> None:
    """Number for number; what is added stands behind them."""
    the_guides_directory()
    results = wt("results", "--runs", "runs/", "--label", "candidate")
    assert (results.code, results.err) == (0, "")
    assert results.out.splitlines() == [
        "label candidate: 2 scenario(s), 10 run(s) under runs",
        (
            "  lookup_order                             FAIL               4/5 pass (80%)"
            "  38-96% (95% interval), pass^3 40%  [regression]"
        ),
        "    outcome.final_correct  80% true (4/5)",
        "    outcome.revisions      mean 8.2  min 6  max 11  (n=5)",
        (
            "  refund_flow                              PASS               5/5 pass (100%)"
            "  57-100% (95% interval), pass^3 100%  [regression]"
        ),
    ]
    compared = wt("compare", "--labels", "baseline", "candidate")
    assert (compared.code, compared.err) == (0, "")
    assert compared.out.splitlines() == [
        "Scenario                                 baseline         candidate",
        "lookup_order                             FAIL             FAIL",
        "refund_flow                              PASS             PASS",
        "",
        "Metric deltas (vs baseline):",
        (
            "  candidate       lookup_order                             "
            "outcome.final_correct  rate 60% -> 80% (+20pp)"
        ),
        (
            "  candidate       lookup_order                             "
            "outcome.revisions      mean 9.4 -> 8.2 (-1.2)"
        ),
        "",
        SHOWN_OF_RATES,
        (
            "  candidate       lookup_order                             60% (3/5) -> 80% (4/5)  "
            "+20pp (-31 to +60pp)  adjusted p 1  cannot tell with 5 runs; about 110 would"
        ),
        (
            "  candidate       refund_flow                              100% (5/5) -> 100% (5/5)  "
            "+0pp (-43 to +43pp)  adjusted p 1  cannot tell with 5 runs; about 44 would see 20pp"
        ),
        (
            "  candidate       all 2 scenario(s), each counted once     "
            "mean +10pp (-45 to +55pp)  p 1  cannot tell with 2 scenario(s); about 51 would see 20pp"
        ),
    ]


def test_the_document_says_the_same() -> None:
    """Verdicts, changes and metric deltas as one document, for the next step."""
    the_guides_directory()
    found = document("--labels", "baseline", "candidate")
    assert (found["baseline"], found["labels"]) == ("baseline", ["baseline", "candidate"])
    assert [one["verdicts"] for one in found["scenarios"]] == [
        {"baseline": "FAIL", "candidate": "FAIL"},
        {"baseline": "PASS", "candidate": "PASS"},
    ]
    correct, revisions = found["metric_deltas"]
    assert (correct["metric"], correct["kind"]) == ("outcome.final_correct", "bool")
    assert correct["delta"] == pytest.approx(0.2)
    assert (revisions["baseline"]["mean"], revisions["candidate"]["mean"]) == (9.4, 8.2)
    assert revisions["delta"] == pytest.approx(-1.2)
    assert (found["changes"], found["regression"]) == ([], False)
    assert [one["runs_needed"] for one in found["pass_rates"]] == [110, 44]
    assert found["overall"]["candidate"]["scenarios"] == 2


def test_two_sweeps_and_a_change_that_broke_something() -> None:
    """Real ones: 1 for a verdict that became worse, with its risk; the way back is no regression."""
    asked = ("--question", "does it still answer?", "--expect", "pass")
    write_pack(scenarios=[("greets", "ok", []), ("counts", "three", [])])
    wt("run", "--pack-source", "pack.py:PACK", "--label", "before", *asked)
    write_pack(scenarios=[("greets", "hello", []), ("counts", "three", [])])
    wt("run", "--pack-source", "pack.py:PACK", "--scenario", "greets", "--label", "after", *asked)
    ran = wt("compare", "--labels", "before", "after")
    assert ran.code == 1
    assert ran.out.splitlines()[:6] == [
        "Scenario                                 before           after",
        "counts                                   FAIL             N/A",
        "greets                                   PASS             FAIL",
        "",
        "Risk-ranked changes:",
        "  REGRESSION  greets (before=PASS -> after=FAIL, risk 0.00 -> 1.00)",
    ]
    assert ran.err == (
        "wt compare: 1 scenario(s) of 'before' have no runs under 'after' and are not compared: "
        "'counts'\n"
    )
    back = wt("compare", "--labels", "after", "before")
    assert (back.code, back.err) == (0, "")
    assert "IMPROVEMENT greets (after=FAIL -> before=PASS, risk 1.00 -> 0.00)" in back.out


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("PASS", "PASS", 0),
        ("PASS", "PASS_WITH_VARIANCE", 1),
        ("PASS_WITH_VARIANCE", "FAIL", 1),
        ("FAIL", "INVALID", 1),
        ("FAIL", "FAIL", 0),
        ("INVALID", "FAIL", 0),
        ("FAIL", "PASS_WITH_VARIANCE", 0),
    ],
)
def test_only_a_worse_verdict_is_a_regression(before: str, after: str, code: int) -> None:
    """In whichever form the answer is printed."""
    save_run(RUNS, 1, label="a")
    save_row(RUNS, [1], label="a", verdict=before)
    save_run(RUNS, 2, label="b", metrics={"worse": 1})
    save_row(RUNS, [2], label="b", verdict=after)
    for form in ("text", "json", "markdown"):
        assert wt("compare", "--labels", "a", "b", "--format", form).code == code


def test_rates_and_metrics_never_change_the_exit_code() -> None:
    """However sure it is that they became worse."""
    for number in range(10):
        save_run(RUNS, number, label="a", layers={"outcome": number > 0}, metrics={"m": 1})
        save_run(RUNS, number + 10, label="b", layers={"outcome": False}, metrics={"m": 0})
    for label in "ab":
        save_row(RUNS, range(20), label=label, verdict="PASS_WITH_VARIANCE")
    ran = wt("compare", "--labels", "a", "b")
    assert (ran.code, "passes less often" in ran.out) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--labels needs at least 2 different labels, got none"),
        (["--labels", "a"], "at least 2 different labels, got only 'a'"),
        (["--labels", "a", "a"], "at least 2 different labels, got only 'a'"),
        (["--labels", "a", "bb"], "no runs with label(s): bb; labels present: a, b"),
        (["--labels", "x", "y"], "no runs with label(s): x, y; labels present: a, b"),
        (["--labels", "a", "b", "--runs", "nowhere"], "runs directory not found: 'nowhere'"),
        (["--labels", "a", "b", "--runs", "empty"], "no scored runs found under 'empty'"),
    ],
)
def test_nothing_to_compare_is_exit_2(arguments: list[str], said: str) -> None:
    """1 is for regressions alone. Nothing on stdout, also for programs, and nothing written."""
    Path("empty").mkdir()
    save_run(RUNS, 1, label="a")
    save_run(RUNS, 2, label="b")
    before = sorted(Path().rglob("*"))
    for more in ([], ["--json"]):
        ran = wt("compare", *arguments, *more)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err
        assert ran.err.startswith("wt compare: ")
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ["--labels", "a", "b", "c", "--runs", "runs"],
        ["--runs", "runs", "--labels", "a", "b", "c"],
        ["--labels", "a", "--labels", "b", "--labels", "c"],
        ["--labels", "a", "b", "--labels", "c", "a"],
    ],
)
def test_labels_stand_one_behind_the_other(arguments: list[str]) -> None:
    """Or each behind an option of its own; the first is the baseline, each counts once."""
    for number, label in enumerate("abc"):
        save_run(RUNS, number, label=label)
    assert document(*arguments)["labels"] == ["a", "b", "c"]


def test_two_forms_at_once_are_refused() -> None:
    """`--json` is `--format json`."""
    for number, label in enumerate("ab"):
        save_run(RUNS, number, label=label)
    for command in (["compare", "--labels", "a", "b"], ["results"]):
        plain = wt(*command, "--json").out
        assert wt(*command, "--json", "--format", "json").out == plain
        ran = wt(*command, "--json", "--format", "markdown")
        assert (ran.code, ran.out) == (2, "")
        assert "--json and --format markdown contradict each other" in ran.err
    assert wt("results", "--ladder", "--format", "markdown").code == 2


def test_a_comment_for_a_pull_request_names_what_it_leaves_out() -> None:
    """In the comment itself, since nobody sees stderr there."""
    save_run(RUNS, 1, label="a")
    save_run(RUNS, 2, label="a", scenario="gone")
    save_run(RUNS, 3, label="b")
    save_run(RUNS, 4, label="b").write_text("{")
    ran = wt("compare", "--labels", "a", "b", "--format", "markdown")
    assert ran.code == 0
    assert ran.out.startswith("**No verdict regression**: b against a\n\n| Scenario | a | b |")
    assert "- 1 scenario(s) of 'a' have no runs under 'b' and are not compared: 'gone'" in ran.out
    assert "- 1 saved run(s) cannot be read and are not counted" in ran.out
    assert "1 saved run(s) cannot be read" in wt("results", "--format", "markdown").out


def test_a_rescored_scenario_is_judged_by_its_scores() -> None:
    """Its row's verdict and risk are those of another day."""
    save_run(RUNS, 1, label="a")
    save_row(RUNS, [1], label="a")
    sidecar = sidecar_path(save_run(RUNS, 2, label="b", layers={"outcome": False}))
    save_row(RUNS, [2], label="b", failure_risk=9.5)
    assert document("--labels", "a", "b")["changes"] == []
    edit_json(sidecar, origin={"kind": "rescore"})
    found = document("--labels", "a", "b", code=1)
    (change,) = found["changes"]
    assert (change["verdict_b"], change["risk_b"]) == ("FAIL", 1.0)
    assert found["scenarios"][0]["rescored"] == ["b"]
    assert "1 scenario(s) of 'b' were scored again" in wt("compare", "--labels", "a", "b").err


def test_a_probe_is_no_pass_of_its_scenario() -> None:
    """It is compared, for there is nothing else, and said to be one in every form."""
    save_run(RUNS, 1, label="a", layers={"outcome": False})
    save_row(RUNS, [1], label="a", verdict="FAIL")
    save_run(RUNS, 2, label="b", probe=True)
    save_row(RUNS, [2], label="b", tier="probe")
    (one,) = document("--labels", "a", "b")["scenarios"]
    assert one["tiers"] == {"a": "regression", "b": "probe"}
    for form in ("text", "json", "markdown"):
        ran = wt("compare", "--labels", "a", "b", "--format", form)
        assert ran.code == 0
        assert "1 scenario(s) of 'b' rest on a probe" in ran.err
    assert "| PASS 1/1 (probe) |" in ran.out


def test_packs_that_own_one_scenario_name_are_compared_pack_by_pack() -> None:
    """From real sweeps: only one of the two became worse."""
    asked = ("--question", "does it still answer?", "--expect", "pass")
    sources = ("--pack-source", "a.py:PACK", "--pack-source", "b.py:PACK")
    for label, facts in (("before", ("ok", "ok")), ("after", ("ok", "no"))):
        for pack, fact in zip("ab", facts, strict=True):
            write_pack(f"{pack}.py", name=pack, scenarios=[("refund", fact, [])])
        for pack in "ab" if label == "after" else [""]:
            chosen = ("--pack", pack) if pack else ()
            wt("run", *sources, *chosen, "--label", label, *asked)
    ran = wt("compare", "--labels", "before", "after")
    assert (ran.code, ran.err) == (1, "")
    assert [line.split() for line in ran.out.splitlines()[1:3]] == [
        ["a/refund", "PASS", "PASS"],
        ["b/refund", "PASS", "FAIL"],
    ]


def test_what_agents_wrote_moves_no_cursor() -> None:
    """Neither as text, nor in the document, nor as Markdown, nor in a refusal."""
    bad = "\x1b[2J\u202e|<b>@x"
    for number, label in enumerate((f"a{bad}", f"b{bad}")):
        save_run(RUNS, number, scenario=bad, label=label, metrics={bad: f"{bad}{number}"})
    save_run(RUNS, 9, scenario=f"{bad}2", label=f"a{bad}")
    labels = ("--labels", f"a{bad}", f"b{bad}")
    for form in ("text", "json", "markdown"):
        ran = wt("compare", *labels, "--format", form)
        assert ran.code == 0
        assert not {"\x1b", "\u202e"} & set(ran.out + ran.err)
    assert document(*labels)["scenarios"][0]["scenario_id"] == bad
    refused = wt("compare", *labels, f"c{bad}")
    assert (refused.code, {"\x1b", "\u202e"} & set(refused.err)) == (2, set())


COUNTING = """
import sys
opened = {}
def hook(event, arguments):
    if event == "open" and str(arguments[0]).endswith(".json"):
        opened[arguments[0]] = opened.get(arguments[0], 0) + 1
sys.addaudithook(hook)
from wt_git.cli import main
main(sys.argv[1:])
ours = {name.split(".")[1] for name in sys.modules if name.startswith("wt_git.")}
print(max(opened.values()), len(opened), sorted(ours & {"sweep", "runner", "git", "evidence"}))
"""


def test_the_directory_is_read_once_however_many_labels_there_are() -> None:
    """And nothing is loaded that could make more runs."""
    for number in range(8):
        save_run(RUNS, number, label="abcd"[number % 4])
    for place, label in enumerate("abcd"):
        save_row(RUNS, [place, place + 4], label=label)
    most = []
    for labels in ("ab", "abcd"):
        done = subprocess.run(
            [sys.executable, "-c", COUNTING, "compare", "--labels", *labels],
            check=True,
            capture_output=True,
            text=True,
        )
        opened, files, loaded = done.stdout.splitlines()[-1].split(maxsplit=2)
        assert loaded == "[]"
        assert int(files) == 4 * len(labels)
        most.append(opened)
    assert most[0] == most[1]
