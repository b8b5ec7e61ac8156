"""The report of a runs directory: its cells, what failed, what was left out, and every run of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.experiment_lines import finished, usd, write_experiments
from kit.saved_runs import edit_json, run_id, save_row, save_run
from kit.traces import assistant, user

from wt_git.api.score import FailureCost
from wt_git.errors import UsageError
from wt_git.records.documents.report import Report, RunDetail
from wt_git.records.layout import sidecar_path
from wt_git.reports.report.load import LoadedReport, json_parts, load_report
from wt_git.reports.results import load_results

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 1, 3, 4, 5, 6, tzinfo=UTC)
CRITICAL = FailureCost("critical", customer_visible=True, reversible=False)
RATES = {"outcome": 0.5, "trajectory": 1.0, "constraint": 1.0, "integrity": 1.0}


@pytest.fixture
def runs(tmp_path) -> Path:
    return tmp_path / "runs"


def loaded(runs_dir: Path, **asked: Any) -> LoadedReport:
    return load_report(runs_dir, now=NOW, **asked)


def document(runs_dir: Path, **asked: Any) -> dict[str, Any]:
    """The document as it is written, checked against its declared shape."""
    found = json.loads("".join(json_parts(loaded(runs_dir, **asked).document)))
    assert msgspec.convert(found, Report, strict=True).as_document() == found
    return found


def cell(runs_dir: Path, **asked: Any) -> dict[str, Any]:
    """The only cell."""
    (row,) = document(runs_dir, **asked)["scenarios"]
    ((_, only),) = row["cells"].items()
    return only


def details(runs_dir: Path, **asked: Any) -> list[dict[str, Any]]:
    found = list(loaded(runs_dir, **asked).details)
    for one in found:
        assert msgspec.convert(one, RunDetail, strict=True) == one
    return found


def test_one_run_is_its_own_cell(runs):
    """Rates are 1 or 0, and what its layers said stands there as it was said."""
    turns = [user("refund it"), assistant("done", {"name": "refund"}, {"name": "lookup"})]
    save_run(runs, 1, layers={"constraint": False}, turns=turns, cost=CRITICAL)
    found = cell(runs)
    assert found["verdict"] == "FAIL"
    assert found["gate_layers"] == ["outcome", "trajectory", "constraint"]
    assert (found["gate_pass_rate"], found["tool_call_count"]) == (0.0, 2)
    assert found["layers"]["outcome"] == {"passed": True, "pass_rate": 1.0, "detail": "outcome"}
    assert found["layers"]["constraint"]["passed"] is False
    assert found["robustness"] == {"applicable": False, "passed": False, "pass_rate": None}
    assert found["failure_cost"] == {
        "severity": "critical",
        "customer_visible": True,
        "reversible": False,
        "side_effect_performed": False,
        "risk_weight": 70,
    }
    assert (found["failure_risk"], found["aggregate"], found["selection"]) == (
        *(70.0, None, "all_traces"),
    )
    trace = found["trace"]
    assert (trace["run_id"], trace["model"], trace["quant"]) == (run_id(1), "some-model", "q4")
    assert trace["started_at"] == "2026-01-02T12:00:01.123456+00:00"
    assert [turn["content"] for turn in trace["turns"]] == ["refund it", "done"]


def test_a_row_states_the_rates_and_the_latest_run_is_the_sample(runs):
    """The detail says what is a rate over all runs and what one run said."""
    save_run(runs, 1, layers={"outcome": False}, model="old")
    save_run(runs, 2, model="new")
    save_row(
        *(runs, [1, 2]),
        verdict="PASS_WITH_VARIANCE",
        pass_rate=0.5,
        layer_pass_rates=RATES,
        failure_risk=0.5,
    )
    found = cell(runs)
    assert (found["verdict"], found["gate_pass_rate"]) == ("PASS_WITH_VARIANCE", 0.5)
    assert found["layers"]["outcome"] == {
        "passed": False,
        "pass_rate": 0.5,
        "detail": "50% of runs passed; the latest run: outcome",
    }
    assert (found["failure_risk"], found["trace"]["model"]) == (0.5, "new")
    assert found["aggregate"]["sweep_id"] == found["sweep_id"] == "9c1d0e77ab42"
    assert (found["tier"], found["pack"]) == ("regression", "my_pack")
    assert [run["data"] for run in found["run_list"]] == ["run-1", "run-2"]


def test_rates_are_counted_where_no_row_has_them(runs):
    """Over all the runs that count, as results count them, and not by the latest run alone."""
    for number, passed in enumerate([False, True, True, True], 1):
        save_run(runs, number, layers={"outcome": passed, "trajectory": number != 4})
    found = cell(runs)
    assert (found["verdict"], found["gate_pass_rate"]) == ("FAIL", 0.5)
    assert [found["layers"][name]["pass_rate"] for name in RATES] == [0.75, 0.75, 1.0, 1.0]
    save_row(runs, [1, 2, 3, 4], verdict="FAIL")
    assert [cell(runs)["layers"][name]["pass_rate"] for name in RATES] == [0.75, 0.75, 1.0, 1.0]


def test_a_rescored_group_speaks_for_itself(runs):
    """The row's rates are those of the scores that were replaced."""
    save_run(runs, 1, origin="rescore")
    save_row(runs, [1], verdict="FAIL", pass_rate=0.0, layer_pass_rates=dict.fromkeys(RATES, 0.0))
    found = cell(runs)
    assert (found["verdict"], found["gate_pass_rate"], found["rescored"]) == ("PASS", 1.0, True)
    assert found["layers"]["outcome"]["pass_rate"] == 1.0
    assert found["aggregate"]["verdict"] == "FAIL"


def test_an_invalid_run_is_no_risk_and_no_evidence(runs):
    """It says nothing about the agent, so it is in no interval either."""
    save_run(runs, 1, layers={"integrity": False, "outcome": False}, cost=CRITICAL)
    save_run(runs, 2, cost=CRITICAL)
    found = cell(runs)
    assert (found["verdict"], found["failure_risk"]) == ("INVALID", 0.0)
    assert (found["runs"], found["passed"], found["invalid"]) == (2, 1, 1)
    assert found["interval"]["high"] == 1.0
    assert found["interval"]["low"] == pytest.approx(0.2065, abs=1e-4)
    assert found["pass_hat_k"] == {"k": 1, "value": 1.0}
    save_run(runs, 2, layers={"integrity": False})
    assert (cell(runs)["interval"], cell(runs)["pass_hat_k"]) == (None, None)


@pytest.mark.parametrize(
    ("layers", "held"),
    [
        ({}, {"applicable": True, "passed": True, "pass_rate": 1.0}),
        ({"outcome": False}, {"applicable": True, "passed": False, "pass_rate": 0.0}),
        ({"integrity": False}, {"applicable": True, "passed": False, "pass_rate": None}),
    ],
)
def test_robustness_is_the_gates_rate_where_the_disturbance_happened(runs, layers, held):
    """Where it did not, nobody knows."""
    save_run(runs, 1, layers=layers, block={"has_perturbations": True})
    assert cell(runs)["robustness"] == held
    assert document(runs)["summary"]["robustness_pass_rate"] == held["pass_rate"]


@pytest.mark.parametrize(
    ("said", "gates"),
    [
        (["constraint"], ["constraint"]),
        ("outcome", ["outcome", "trajectory", "constraint"]),
        (["whatever"], ["outcome", "trajectory", "constraint"]),
        (None, ["outcome", "trajectory", "constraint"]),
    ],
)
def test_the_gate_is_the_sidecars(runs, said, gates):
    """All layers, where it does not say it in a way that is known."""
    path = sidecar_path(save_run(runs, 1, block={"gate_layers": said}))
    edit_json(path, gate_layers=None)
    assert cell(runs)["gate_layers"] == gates


def test_the_summary_is_over_all_cells(runs):
    """Means of the layers, robustness where it is known, and the sum of the risks."""
    save_run(runs, 1, layers={"outcome": False}, block={"has_perturbations": True}, cost=CRITICAL)
    save_run(runs, 2, scenario="refund")
    save_run(runs, 3, scenario="refund", label="other", layers={"trajectory": False})
    found = document(runs)
    assert found["summary"] == {
        "outcome_pass_rate": pytest.approx(2 / 3),
        "trajectory_pass_rate": pytest.approx(2 / 3),
        "constraint_pass_rate": 1.0,
        "integrity_pass_rate": 1.0,
        "robustness_pass_rate": 0.0,
        "total_failure_risk": 71.0,
    }
    assert found["verdict_totals"] == {
        "PASS": 1,
        "PASS_WITH_VARIANCE": 0,
        "FAIL": 2,
        "INVALID": 0,
    }
    assert (found["scenario_count"], found["variants"]) == (2, ["candidate", "other"])
    assert found["latest_run_ts"] == "2026-01-02T12:00:03.123456+00:00"
    assert (found["windtunnel_report"], found["generated_at"]) == (1, "2026-01-03T04:05:06Z")
    assert found["runs_dir"] == str(runs)


def test_failures_are_ranked_by_their_risk(runs):
    """With the first run that failed, and what decided it."""
    save_run(runs, 1, layers={"outcome": False})
    save_run(runs, 2, scenario="refund", cost=CRITICAL)
    save_run(runs, 3, scenario="refund", cost=CRITICAL, layers={"constraint": False})
    save_run(runs, 4, scenario="refund", cost=CRITICAL, layers={"constraint": False})
    save_run(runs, 5, scenario="broken", layers={"integrity": False, "outcome": False})
    save_run(runs, 6, scenario="fine")
    refund, lookup, broken = document(runs)["failures"]
    assert (refund["scenario_id"], refund["run_id"], refund["severity"]) == (
        *("refund", run_id(3), "critical"),
    )
    assert (refund["decided_by"], refund["detail"]) == (["constraint"], "constraint: constraint")
    assert (refund["passed"], refund["runs"]) == (1, 3)
    assert refund["failure_risk"] == pytest.approx(70 * 2 / 3)
    assert (lookup["scenario_id"], lookup["failure_risk"]) == ("lookup_order", 1.0)
    assert (broken["verdict"], broken["failure_risk"]) == ("INVALID", 0.0)
    assert broken["decided_by"] == ["integrity"]


def test_a_failure_whose_run_is_gone_is_still_one(runs):
    """The ledger knows that it failed; nothing is left to open."""
    save_run(runs, 1)
    save_row(runs, [1, 2], verdict="FAIL", failure_risk=4.0)
    found = document(runs)
    (failure,) = found["failures"]
    assert (failure["run_id"], failure["decided_by"], failure["detail"]) == (None, [], "")
    assert failure["failure_risk"] == 4.0
    assert "1 run(s) that the ledger names are not there any more" in found["remarks"][0]


def test_what_passes_only_sometimes_is_flaky(runs):
    """Of the valid runs; what always passes or always fails is not."""
    for number in range(1, 5):
        save_run(runs, number, scenario="sometimes", layers={"outcome": number != 1})
        save_run(runs, number + 10, scenario="never", layers={"outcome": False})
        save_run(runs, number + 20, scenario="always")
        invalid = number == 1
        save_run(runs, number + 30, scenario="invalid once", layers={"integrity": not invalid})
    (only,) = document(runs)["flaky"]
    assert (only["name"], only["runs"], only["passed"]) == ("sometimes", 4, 3)
    assert only["pass_rate"] == 0.75
    assert only["interval"]["low"] < 0.75 < only["interval"]["high"]


def test_verdicts_and_counts_are_those_of_results(runs):
    """Whoever looks at both sees one truth."""
    save_run(runs, 1, layers={"outcome": False})
    save_run(runs, 2)
    save_run(runs, 3, scenario="refund", probe=True)
    save_run(runs, 4, label="other", layers={"integrity": False})
    save_row(runs, [1, 2], verdict="FAIL")
    save_row(runs, [3], scenario="refund", tier="probe")
    shown = {
        (row["scenario_id"], label): (of["verdict"], of["runs"], of["passed"], of["tier"])
        for row in document(runs)["scenarios"]
        for label, of in row["cells"].items()
    }
    results = load_results(runs).document.results
    assert shown == {
        (one.scenario_id, one.label): (one.verdict, one.runs, one.passed, one.tier)
        for one in results
    }


def test_labels_and_scenarios_narrow_the_report(runs):
    """Exact labels and patterns for scenarios; what was not asked for is not in it at all."""
    for number, label in enumerate(["a", "b", "c"], 1):
        save_run(runs, number, label=label)
        save_run(runs, number + 10, label=label, scenario="refund")
    found = document(runs, labels=["c", "a"], scenarios=["look*"])
    assert (found["variants"], found["scenario_count"]) == (["a", "c"], 1)
    assert [one["run_id"] for one in details(runs, labels=["c"], scenarios=["look*"])] == [
        run_id(3)
    ]
    with pytest.raises(UsageError, match=r"no runs with label\(s\): x"):
        loaded(runs, labels=["x"])
    with pytest.raises(UsageError, match="no scenario matched x"):
        loaded(runs, scenarios=["x"])


def test_an_empty_directory_has_an_empty_report(runs):
    """It says that there is nothing; a missing directory, or a label in one, is asked wrongly."""
    with pytest.raises(UsageError, match="runs directory not found"):
        loaded(runs)
    assert not runs.exists()
    runs.mkdir()
    found = document(runs)
    assert (found["scenarios"], found["variants"], found["latest_run_ts"]) == ([], [], "")
    assert found["summary"]["outcome_pass_rate"] == 0.0
    assert found["summary"]["robustness_pass_rate"] is None
    assert (found["predictions"], found["cost_history"]) == (None, [])
    assert found["remarks"] == [f"no scored runs found under '{runs}'"]
    assert details(runs) == []
    with pytest.raises(UsageError, match=r"no runs with label\(s\): x"):
        loaded(runs, labels=["x"])


def test_costs_and_predictions_come_from_finished_sweeps(runs):
    """Also where no run is left of them."""
    write_experiments(runs, finished(1, cost_usd=usd(), prediction_held=False), "{torn")
    found = document(runs)
    assert [one["cost_usd"] for one in found["cost_history"]] == [0.0504]
    assert found["predictions"]["focused"]["predictions"] == 1
    assert found["predictions"]["focused"]["predictions_held"] == 0
    assert "1 line(s) of experiments.ndjsonl were passed over" in found["remarks"][-1]


def test_an_experiments_file_that_is_none_hides_no_run(runs):
    """It is said, and the runs are shown."""
    save_run(runs, 1)
    (runs / "experiments.ndjsonl").mkdir()
    found = document(runs)
    assert found["scenario_count"] == 1
    assert found["remarks"] == ["experiments.ndjsonl cannot be read: it is a folder"]


def test_every_run_that_counts_can_be_opened(runs):
    """With its layers, its conversation, and the turn that failed."""
    turns = [user("refund it"), assistant("done", {"name": "refund"})]
    save_run(
        *(runs, 1),
        layers={"trajectory": False, "constraint": False},
        gates=("outcome", "trajectory"),
        turns=turns,
        mcp_calls=[{"tool_name": "refund", "args": {}, "result": "", "timestamp_ms": 1}],
        warnings=["mcp_evidence: available"],
        block={"forbidden_calls": ["refund", 7]},
        metrics={"steps": 3},
    )
    save_run(runs, 2, label="other")
    first, second = details(runs)
    assert (first["data"], first["run_id"], first["verdict"]) == ("run-1", run_id(1), "FAIL")
    assert (first["failed_turn"], first["failed_because"]) == (1, "trajectory: trajectory")
    assert (first["evidence"], first["frozen_turns"]) == ("server-witnessed", 0)
    assert first["layers"]["trajectory"] == {
        "passed": False,
        "detail": "trajectory",
        "gate": True,
        "evidence": "server-witnessed",
    }
    assert [name for name, of in first["layers"].items() if of["gate"]] == [
        *("outcome", "trajectory", "integrity"),
    ]
    assert first["metrics"] == {"outcome.steps": 3}
    assert first["turns"][1]["tool_calls"] == [{"name": "refund"}]
    assert (second["data"], second["failed_turn"], second["failed_because"]) == (
        *("run-2", None, None),
    )


def test_keys_of_details_are_those_of_the_cells(runs):
    """Over packs, labels and runs."""
    for number, (scenario, label) in enumerate(
        [("b", "x"), ("a", "y"), ("a", "x"), ("b", "x"), ("a", "x")], 1
    ):
        save_run(runs, number, scenario=scenario, label=label)
    named = {
        run["data"]: run["path"]
        for row in document(runs)["scenarios"]
        for of in row["cells"].values()
        for run in of["run_list"]
    }
    assert {one["data"]: one["path"] for one in details(runs)} == named
    assert list(named) == [f"run-{number}" for number in range(1, 6)]


def test_the_frozen_part_of_a_probe_is_told_apart(runs):
    """It was sent as history and nobody is blamed for it."""
    turns = [user(), assistant("old"), user(), assistant("new")]
    save_run(runs, 1, probe=True, turns=turns, layers={"outcome": False})
    (only,) = details(runs)
    assert (only["frozen_turns"], only["failed_turn"]) == (2, 3)


def test_a_run_that_vanishes_meanwhile_is_left_out(runs):
    """The keys of the others stay as they are, and its cell is still there."""
    paths = [save_run(runs, number) for number in (1, 2, 3)]
    report = loaded(runs)
    paths[1].unlink()
    sidecar_path(paths[2]).unlink()
    assert [one["data"] for one in report.details] == ["run-1"]
    paths[2].unlink()
    (row,) = list(report.rows)
    assert row["cells"]["candidate"]["trace"]["turns"] == []


def test_what_is_broken_is_named_and_the_rest_is_shown(runs):
    """A torn last line, a truncated trace, newer versions, a score without its trace, strangers."""
    good = [save_run(runs, number) for number in (1, 2)]
    save_row(runs, [1, 2], pass_rate=1.0, layer_pass_rates=dict.fromkeys(RATES, 1.0))
    truncated = save_run(runs, 3)
    truncated.write_bytes(truncated.read_bytes()[:200])
    edit_json(save_run(runs, 4), windtunnel_trace=2)
    newer = save_run(runs, 5)
    edit_json(sidecar_path(newer), windtunnel_score=3, score=None)
    save_run(runs, 6).unlink()
    sidecar_path(save_run(runs, 7)).unlink()
    save_row(runs, [5], windtunnel_ledger=2, verdict="FAIL")
    with (runs / "ledger.ndjsonl").open("ab") as stream:
        stream.write(b'{"scenario_id": "lookup_or')
    (runs / "package.json").write_text('{"name": "somebody else"}')
    (runs / "coverage.json").write_text("[]")
    (runs / "notes.score.json").write_text("{}")
    (row,) = document(runs)["scenarios"]
    only = row["cells"]["candidate"]
    assert (only["verdict"], only["runs"]) == ("PASS", 2)
    assert [run["path"] for run in only["run_list"]] == [str(path) for path in good]
    assert "2 line(s) of ledger.ndjsonl were passed over" in "".join(document(runs)["remarks"])
    (runs / "ledger.ndjsonl").unlink()
    found = document(runs)
    assert found["scenarios"][0]["cells"]["candidate"]["runs"] == 2
    unreadable, unfinished = found["remarks"]
    assert unreadable.startswith("4 saved run(s) cannot be read and are not counted: ")
    assert f"{truncated} (trace is not JSON)" in unreadable
    assert unreadable.endswith(", and 1 more")
    assert unfinished == "1 run(s) have no score and are not counted: they did not end"
    assert [one["run_id"] for one in details(runs)] == [run_id(1), run_id(2)]


HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[2J\u202e\ud83d\x00"


def test_hostile_text_is_data_like_any_other(runs):
    """It is in the document as it was said; half a surrogate pair, which JSON cannot hold, is not."""
    save_run(
        *(runs, 1),
        scenario=HOSTILE,
        label=HOSTILE,
        layers={"outcome": False},
        model=HOSTILE,
        turns=[user(HOSTILE), assistant(HOSTILE, {"name": HOSTILE})],
        metrics={HOSTILE: HOSTILE},
    )
    plain = HOSTILE.replace("\ud83d", "\ufffd")
    found = document(runs)
    (row,) = found["scenarios"]
    assert (row["scenario_id"], list(row["cells"])) == (plain, [plain])
    turn = row["cells"][plain]["trace"]["turns"][1]
    assert (turn["content"], turn["tool_calls"]) == (plain, [{"name": plain}])
    (only,) = details(runs)
    assert only["metrics"] == {f"outcome.{plain}": plain}


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "scenario": st.sampled_from(["a", "b"]),
                "label": st.sampled_from(["x", "y"]),
                "layers": st.fixed_dictionaries(
                    {"outcome": st.booleans(), "integrity": st.booleans()}
                ),
                "block": st.fixed_dictionaries({"has_perturbations": st.booleans()}),
            }
        ),
        max_size=6,
    )
)
def test_whatever_was_recorded_the_numbers_agree(tmp_path_factory, saved):
    """Cells add up to the summary, and rates are shares of the runs that are listed."""
    runs_dir = tmp_path_factory.mktemp("runs")
    for number, run in enumerate(saved, 1):
        save_run(runs_dir, number, **run)
    found = document(runs_dir)
    cells = [of for row in found["scenarios"] for of in row["cells"].values()]
    assert sum(of["runs"] for of in cells) == len(saved)
    assert found["summary"]["total_failure_risk"] == sum(of["failure_risk"] for of in cells)
    assert sum(found["verdict_totals"].values()) == len(cells)
    for of in cells:
        verdicts = [run["verdict"] for run in of["run_list"]]
        assert of["passed"] == verdicts.count("PASS")
        assert of["gate_pass_rate"] == of["passed"] / of["runs"]
        assert (of["verdict"] == "PASS") == (set(verdicts) == {"PASS"})
        assert (of["interval"] is None) == (of["invalid"] == of["runs"])
    failing = [of for of in cells if of["verdict"] != "PASS"]
    assert len(found["failures"]) == len(failing)
    risks = [one["failure_risk"] for one in found["failures"]]
    assert risks == sorted(risks, reverse=True)
