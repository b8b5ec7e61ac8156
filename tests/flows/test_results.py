"""`wt results`, as a user meets it: after real sweeps, and over directories of every kind."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from kit.commands import ledger, traces, write_pack, write_plugin, wt
from kit.saved_runs import run_id, save_row, save_run

from wt_git.records.layout import sidecar_path

ASKED = ("--question", "does it still answer?", "--expect", "pass")


def document(*arguments: str) -> dict[str, Any]:
    ran = wt("results", "--json", *arguments)
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def swept(*arguments: str) -> None:
    """Run, with a declaration; the first sweep of a directory may have one too."""
    ran = wt("run", "--pack-source", "pack.py:PACK", *ASKED, *arguments)
    assert ran.code in {0, 1}, ran.err


def test_what_is_working_is_answered_from_what_is_on_disk() -> None:
    """The latest sweep of each scenario, with its tier, and nothing is run for it."""
    write_pack()
    swept("--label", "base", "--runs", "2")
    swept("--label", "base", "--scenario", "fails", "--runs", "3")
    before = sorted(Path("runs").rglob("*"))
    ran = wt("results", "--label", "base")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "label base: 2 scenario(s), 5 run(s) under runs\n"
        "  fails                                    FAIL               0/3 pass (0%)"
        "  0-56% (95% interval), pass^3 0%  [focused]\n"
        "  passes                                   PASS               2/2 pass (100%)"
        "  34-100% (95% interval), pass^2 100%  [regression]\n"
    )
    assert sorted(Path("runs").rglob("*")) == before


def test_the_document_leads_to_the_traces(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the next step can open the run that failed; paths are as the directory was typed."""
    write_pack()
    swept("--runs-dir", "here/kept")
    found = document("--runs", "here/kept/")
    assert list(found) == ["windtunnel_results", "runs_dir", "labels", "results"]
    assert (found["windtunnel_results"], found["runs_dir"]) == (1, "here/kept")
    assert found["labels"] == ["cli_run"]
    assert list(found["results"][0]) == [
        *("scenario_id", "label", "verdict", "runs", "passed", "failed", "invalid", "pass_rate"),
        *("selection", "metrics", "traces", "tier", "pack", "sweep_id", "budget_exhausted"),
        *("interrupted", "counts_as_failure", "rescored", "diagnostic_failures"),
        *("failure_risk", "interval", "pass_hat_k", "data"),
    ]
    shown = sorted(run["path"] for one in found["results"] for run in one["traces"])
    assert shown == sorted(map(str, traces("here/kept")))
    rows = {row["scenario_id"]: row for row in ledger("here/kept")}
    for one in found["results"]:
        row = rows[one["scenario_id"]]
        assert [run["run_id"] for run in one["traces"]] == row["run_ids"]
        assert (one["sweep_id"], one["pack"]) == (row["sweep_id"], "demo")
    monkeypatch.chdir("here")
    assert document("--runs", "kept")["results"][0]["traces"][0]["path"].startswith("kept/")


def test_the_document_of_the_guide() -> None:
    """A metric's summary has the keys of its kind and no others."""
    for number, revisions in enumerate((6, 7, 8, 9, 11), 1):
        save_run(
            Path("runs"),
            number,
            layers={"outcome": revisions != 11},
            metrics={"final_correct": revisions != 11, "revisions": revisions, "way": "x"},
        )
    save_row(Path("runs"), range(1, 6), verdict="FAIL")
    (one,) = document("--label", "candidate")["results"]
    assert one["metrics"] == {
        "outcome.final_correct": {"kind": "bool", "count": 5, "true_count": 4, "rate": 0.8},
        "outcome.revisions": {"kind": "number", "count": 5, "mean": 8.2, "min": 6, "max": 11},
        "outcome.way": {"kind": "string", "count": 5, "counts": {"x": 5}},
    }
    assert (one["runs"], one["passed"], one["failed"], one["invalid"]) == (5, 4, 1, 0)
    assert (one["verdict"], one["pass_rate"], one["selection"]) == ("FAIL", 0.8, "latest_aggregate")
    assert one["interval"] == {
        "low": pytest.approx(0.3755, abs=1e-4),
        "high": pytest.approx(0.9638, abs=1e-4),
        "confidence": 0.95,
        "method": "wilson",
    }
    assert (one["pass_hat_k"], one["failure_risk"]) == ({"k": 3, "value": 0.4}, pytest.approx(0.2))
    last = one["traces"][-1]
    assert list(last) == ["path", "run_id", "started_at", "verdict", "metrics"]
    assert (last["run_id"], last["verdict"]) == (run_id(5), "FAIL")
    assert last["metrics"] == {
        "outcome.final_correct": False,
        "outcome.revisions": 11,
        "outcome.way": "x",
    }


def test_packs_that_own_one_scenario_name_are_kept_apart() -> None:
    """In one sweep, under one label."""
    for pack, fact in (("a", "ok"), ("b", "no")):
        write_pack(f"{pack}.py", name=pack, scenarios=[("refund", fact, [])])
    wt("run", "--pack-source", "a.py:PACK", "--pack-source", "b.py:PACK")
    shown = [line.split()[:2] for line in wt("results").out.splitlines()[1:]]
    assert shown == [["a/refund", "PASS"], ["b/refund", "FAIL"]]


def test_a_probe_of_a_failing_step_leaves_the_failure_standing() -> None:
    """It replays one step and certifies nothing."""
    Path("pack.py").write_text(
        "from windtunnel.api import Scenario, ScenarioPack\n"
        "PACK = ScenarioPack('p', [Scenario(name='s', user_turns=['a', 'b'],"
        " target_facts=[['no']])])\n"
    )
    swept("--label", "base")
    wt(
        *("run", "--pack-source", "pack.py:PACK", "--from-trace", str(traces()[0])),
        *("--label", "base", *ASKED),
    )
    assert ledger()[-1]["experiment"]["tier"] == "probe"
    (one,) = document()["results"]
    assert (one["tier"], one["runs"]) == ("focused", 1)


def test_a_killed_sweep_shows_what_it_finished() -> None:
    """Its runs are on disk, and no row claims them."""
    write_pack()
    swept("--scenario", "passes")
    Path("runs/ledger.ndjsonl").unlink()
    assert "1/1 pass (100%)  21-100% (95% interval)  [all saved runs]" in wt("results").out


def test_an_invalid_run_is_counted_apart() -> None:
    """The agent broke; that is no verdict on the scenario."""
    write_pack()
    runtime = write_plugin(send="raise RuntimeError('down')")
    swept("--runtime", runtime, "--scenario", "passes", "--runs", "2")
    assert "INVALID            0/2 pass (0%), 2 invalid  [focused]" in wt("results").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "runs directory not found: 'runs'"),
        (["--runs", "."], "no scored runs found under '.'"),
        (["--runs", "some", "--label", "x"], "no runs with label(s): x; labels present: candidate"),
        (["--runs", "some", "--scenario", "x"], "no scenario matched x; there is: lookup_order"),
    ],
)
def test_nothing_to_summarise_is_exit_2(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing on stdout, also for programs, and nothing written."""
    monkeypatch.chdir(tmp_path)
    if "some" in arguments:
        save_run(Path("some"), 1)
    before = sorted(tmp_path.rglob("*"))
    for more in ([], ["--json"]):
        ran = wt("results", *arguments, *more)
        assert (ran.code, ran.out) == (2, "")
        assert f"wt results: {said}" in ran.err
    assert sorted(tmp_path.rglob("*")) == before


def test_what_is_broken_is_counted_on_stderr_and_hides_nothing() -> None:
    """A torn trace, a run without a score, torn lines, a stranger's files."""
    write_pack()
    swept("--runs", "3", "--scenario", "passes")
    first, second, _ = traces()
    first.write_bytes(first.read_bytes()[:100])
    Path(str(second).replace(".json", ".score.json")).unlink()
    Path("runs/notes.json").write_text("[1]")
    with Path("runs/ledger.ndjsonl").open("ab") as stream:
        stream.write(b'{"scenario_id": "pas\xff')
    ran = wt("results")
    assert ran.code == 0
    assert "PASS               1/1 pass (100%)  21-100% (95% interval)  [focused]" in ran.out
    assert ran.err.splitlines() == [
        "wt results: 2 run(s) that the ledger names are not there any more, or cannot be read",
        f"wt results: 1 saved run(s) cannot be read and are not counted: {first} (trace is not JSON)",
        "wt results: 1 run(s) have no score and are not counted: they did not end",
        (
            "wt results: 1 line(s) of ledger.ndjsonl were passed over: broken, or written by "
            "another version"
        ),
    ]


def test_what_agents_wrote_moves_no_cursor() -> None:
    """Neither as text nor in the document, which people look at too."""
    bad = "\x1b[2J\u202ex"
    save_run(Path("runs"), 1, scenario=bad, label=bad, metrics={bad: bad})
    for more in ([], ["--json"]):
        ran = wt("results", *more)
        assert ran.code == 0
        assert not {"\x1b", "\u202e"} & set(ran.out)
    assert document()["results"][0]["scenario_id"] == bad
    assert not {"\x1b", "\u202e"} & set(wt("results", "--label", bad, "--label", "y\x1b").err)


def test_half_a_surrogate_pair_is_no_reason_to_show_nothing() -> None:
    """Agents send such text; UTF-8 cannot hold it."""
    save_run(Path("runs"), 1, metrics={"said": "\ud83d"})
    assert document()["results"][0]["metrics"]["outcome.said"]["counts"] == {"\ufffd": 1}
    assert "\ufffd=1" in wt("results").out


@pytest.mark.parametrize("name", ["ledger.ndjsonl", "experiments.ndjsonl"])
@pytest.mark.parametrize("asked", [["results"], ["results", "--ladder"],
                                   ["review", "9c1d0e77ab42", "--no-change"]])  # fmt: skip
def test_a_pipe_in_the_place_of_a_file_keeps_nobody_waiting(name: str, asked: list[str]) -> None:
    """What needs the file says that it is none; what does not, does its work."""
    save_run(Path("runs"), 1)
    os.mkfifo(Path("runs", name))
    ran = wt(*asked)
    needs = "ledger.ndjsonl" if asked == ["results"] else "experiments.ndjsonl"
    if name == needs:
        assert (ran.code, "it is not a regular file" in ran.err) == (2, True)
    else:
        assert "not a regular file" not in ran.err
    assert "Traceback" not in ran.err


def test_a_pipe_in_the_place_of_a_score_is_named() -> None:
    """The other runs count."""
    save_run(Path("runs"), 1)
    sidecar = sidecar_path(save_run(Path("runs"), 2))
    sidecar.unlink()
    os.mkfifo(sidecar)
    ran = wt("results")
    assert ran.code == 0
    assert "1 saved run(s) cannot be read and are not counted" in ran.err
