"""Results from a runs directory: which runs count, and what is said about the others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.saved_runs import edit_json, run_id, save_row, save_run

from wt_git.errors import UsageError
from wt_git.records.layout import sidecar_path
from wt_git.records.ledger.ledger import Ledger
from wt_git.records.ledger.row import ScenarioLabel
from wt_git.records.runs.run_files import run_files
from wt_git.records.runs.saved_runs import load_run
from wt_git.reports.results import load_results
from wt_git.reports.run_groups.groups import groups_of
from wt_git.reports.run_groups.totals import scenario_totals

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.records.documents.results import ScenarioTotals


@pytest.fixture
def runs(tmp_path) -> Path:
    return tmp_path / "runs"


def only(runs_dir: Path, **asked: Any) -> ScenarioTotals:
    (found,) = load_results(runs_dir, **asked).document.results
    return found


def counted(totals: ScenarioTotals) -> list[str]:
    return [run.run_id for run in totals.traces]


def refused(runs_dir: Path, **asked: Any) -> UsageError:
    with pytest.raises(UsageError) as found:
        load_results(runs_dir, **asked)
    return found.value


def test_a_reused_label_shows_its_latest_sweep(runs):
    """A focused sweep after a regression takes the place of that one scenario."""
    for number in (1, 2, 3):
        save_run(runs, number, layers={"outcome": number == 3})
    save_run(runs, 4, scenario="refund_flow")
    save_row(runs, [1, 2], verdict="FAIL")
    save_row(runs, [4], scenario="refund_flow")
    save_row(runs, [3], tier="focused", sweep_id="aaaaaaaaaaaa")
    first, second = load_results(runs).document.results
    assert (counted(first), first.verdict, first.tier) == ([run_id(3)], "PASS", "focused")
    assert (first.selection, first.sweep_id) == ("latest_aggregate", "aaaaaaaaaaaa")
    assert (counted(second), second.tier) == ([run_id(4)], "regression")


def test_without_a_row_all_runs_of_the_label_count_by_their_start(runs):
    """A directory of copied traces has no ledger."""
    for number in (3, 1, 2):
        save_run(runs, number, layers={"outcome": number != 2})
    found = only(runs)
    assert counted(found) == [run_id(number) for number in (1, 2, 3)]
    assert (found.selection, found.verdict, found.tier) == ("all_traces", "FAIL", None)
    assert (found.runs, found.passed, found.failed, found.invalid) == (3, 2, 1, 0)


def test_a_row_whose_runs_are_gone_is_no_row(runs):
    """Its verdict would be about nothing that can be looked at."""
    save_run(runs, 1)
    save_row(runs, [8, 9], verdict="FAIL")
    found = only(runs)
    assert (found.selection, found.verdict) == ("all_traces", "PASS")


def test_runs_of_a_row_that_are_gone_are_counted_aloud(runs):
    """The verdict is still that of all of them."""
    save_run(runs, 1)
    save_row(runs, [1, 2, 3], verdict="FAIL")
    loaded = load_results(runs)
    assert loaded.document.results[0].verdict == "FAIL"
    assert "2 run(s) that the ledger names are not there any more" in loaded.remarks[0]


def test_a_probe_does_not_stand_for_its_scenario(runs):
    """It replays one step. Its row is passed over while there is another, whatever their order."""
    save_run(runs, 1, layers={"outcome": False})
    save_run(runs, 2, probe=True)
    save_row(runs, [1], verdict="FAIL")
    save_row(runs, [2], tier="probe")
    found = only(runs)
    assert (counted(found), found.verdict, found.tier) == ([run_id(1)], "FAIL", "regression")


def test_where_there_is_only_a_probe_it_is_shown_as_one(runs):
    """That is something, and says what it is."""
    save_run(runs, 1, probe=True)
    save_row(runs, [1], tier="probe")
    assert only(runs).tier == "probe"
    save_run(runs, 2, label="other", probe=True)
    found = only(runs, labels=["other"])
    assert (found.tier, found.selection) == ("probe", "all_traces")


def test_without_a_row_probes_count_only_where_there_is_nothing_else(runs):
    """A replayed turn that passes says nothing about the scenario."""
    save_run(runs, 1, layers={"outcome": False})
    save_run(runs, 2, probe=True)
    assert (counted(only(runs)), only(runs).tier) == ([run_id(1)], None)


def test_scenarios_of_one_name_in_two_packs_are_kept_apart(runs):
    """Each has its own latest row; a row without a pack is replaced by any that has one."""
    for number in (1, 2, 3, 4):
        save_run(runs, number, layers={"outcome": number != 2})
    save_row(runs, [4], pack=None)
    save_row(runs, [3], pack="b")
    save_row(runs, [1], pack="b")
    save_row(runs, [2], pack="a", verdict="FAIL")
    found = load_results(runs).document.results
    assert [(one.pack, one.verdict, counted(one)) for one in found] == [
        ("a", "FAIL", [run_id(2)]),
        ("b", "PASS", [run_id(1)]),
    ]


def test_rows_of_a_newer_version_are_passed_over_and_counted(runs):
    """What their keys mean is not known here; the oldest rows have no version at all."""
    save_run(runs, 1)
    save_run(runs, 2)
    save_row(runs, [1], experiment=None, windtunnel_ledger=0)
    save_row(runs, [2], windtunnel_ledger=2)
    with (runs / "ledger.ndjsonl").open("a") as stream:
        stream.write('{"scenario_id": "lookup_or')
    loaded = load_results(runs)
    assert counted(loaded.document.results[0]) == [run_id(1)]
    assert "2 line(s) of ledger.ndjsonl were passed over" in loaded.remarks[-1]


def test_a_rescored_group_shows_the_verdict_of_today(runs):
    """The ledger says what the scorer said when the sweep ran."""
    save_run(runs, 1, origin="rescore")
    save_run(runs, 2)
    save_row(runs, [1, 2], verdict="FAIL", experiment={"counts_as_failure": True})
    found = only(runs)
    assert (found.verdict, found.rescored, found.counts_as_failure) == ("PASS", True, None)
    save_run(runs, 2, layers={"outcome": False})
    assert (only(runs).verdict, only(runs).counts_as_failure) == ("FAIL", True)
    save_row(runs, [1, 2], verdict="PASS_WITH_VARIANCE")
    assert only(runs).verdict == "PASS_WITH_VARIANCE"
    save_run(runs, 2, layers={"integrity": False})
    assert only(runs).verdict == "INVALID"


@pytest.mark.parametrize("origin", ["selftest", "replay"])
def test_selftests_and_replays_take_no_part(runs, origin):
    """A reference case that has to fail is no failure of the agent."""
    save_run(runs, 1, origin=origin, layers={"outcome": False})
    error = refused(runs)
    assert error.specific_code == "no-scored-runs"
    assert error.hints == ("1 run(s) of selftests and replays are not counted",)
    save_run(runs, 2)
    assert counted(only(runs)) == [run_id(2)]


def test_a_run_that_is_stored_twice_counts_once(runs):
    """Somebody kept a copy below the directory."""
    path = save_run(runs, 1)
    copies = runs / "before"
    copies.mkdir()
    for file in (path, sidecar_path(path)):
        (copies / file.name).write_bytes(file.read_bytes())
    assert only(runs).runs == 1
    save_row(runs, [1])
    assert only(runs).runs == 1


def test_what_cannot_be_read_is_counted_and_named(runs):
    """It hides no other run, and runs that did not end are something else."""
    good = save_run(runs, 1)
    broken = [save_run(runs, number) for number in (2, 3, 4, 5)]
    for path in broken:
        path.write_text("{torn")
    sidecar_path(save_run(runs, 6)).unlink()
    (runs / "report.json").write_text("{}")
    (runs / "report.html.json").write_text("{}")
    loaded = load_results(runs)
    assert [run.path for run in loaded.document.results[0].traces] == [str(good)]
    unreadable, unfinished = loaded.remarks
    assert unreadable.startswith("4 saved run(s) cannot be read and are not counted: ")
    assert f"{broken[0]} (trace is not JSON)" in unreadable
    assert unreadable.endswith(", and 1 more")
    assert unfinished == "1 run(s) have no score and are not counted: they did not end"


def test_a_score_whose_trace_is_gone_is_named(runs):
    """Somebody deleted a trace; the verdict beside it is that of nothing."""
    save_run(runs, 1)
    gone = save_run(runs, 2)
    gone.unlink()
    (runs / "notes.score.json").write_text("{}")  # no name of ours
    (said,) = load_results(runs).remarks
    where = f"{sidecar_path(gone)} (score without its trace)"
    assert said == f"1 saved run(s) cannot be read and are not counted: {where}"
    save_run(runs, 3, label="other")
    assert load_results(runs, labels=["other"]).remarks == ()


def test_labels_are_exact_in_the_order_asked_for_and_each_once(runs):
    """Two labels may share a folder, since not every character can be in a folder's name."""
    for number, label in enumerate(["a b", "a_b", "c"]):
        save_run(runs, number, label=label)
    loaded = load_results(runs, labels=["a_b", "a b", "a_b"])
    assert loaded.document.labels == ["a_b", "a b"]
    assert [one.label for one in loaded.document.results] == ["a_b", "a b"]
    assert load_results(runs).document.labels == ["a b", "a_b", "c"]


def test_a_label_that_is_not_there_is_named_with_those_that_are(runs):
    """The others are shown; with none of them there is nothing to show."""
    save_run(runs, 1, label="one")
    save_run(runs, 2, label="two")
    loaded = load_results(runs, labels=["onne", "two"])
    assert loaded.document.labels == ["two"]
    assert loaded.remarks == ("no runs with label(s): onne; labels present: one, two",)
    error = refused(runs, labels=["onne"])
    assert error.specific_code == "label-unknown"
    assert str(error) == "no runs with label(s): onne; labels present: one, two"
    assert error.facts == {"missing": ["onne"], "present": ["one", "two"]}


def test_a_label_is_found_where_somebody_moved_it(runs):
    """The folder was renamed; what the traces say holds."""
    save_run(runs, 1, label="one")
    (runs / "lookup_order/agent/one").rename(runs / "lookup_order/agent/old")
    assert counted(only(runs, labels=["one"])) == [run_id(1)]
    assert refused(runs, labels=["old"]).specific_code == "label-unknown"


def test_a_label_that_was_not_asked_for_is_not_even_opened(runs):
    """What a label costs does not grow with the others."""
    save_run(runs, 1)
    for number in range(2, 6):
        save_run(runs, number, label="other").write_text("not a trace")
    assert load_results(runs, labels=["candidate"]).remarks == ()
    assert "4 saved run(s) cannot be read" in load_results(runs).remarks[0]


def test_runs_of_older_sweeps_of_a_label_are_not_read(runs):
    """A label that is always used again has thousands of them; their heads say enough."""
    for number in (1, 2, 3):
        path = save_run(runs, number)
        if number < 3:
            sidecar_path(path).write_text("torn")
    save_row(runs, [3])
    loaded = load_results(runs)
    assert counted(loaded.document.results[0]) == [run_id(3)]
    assert loaded.remarks == ()


def test_scenarios_are_patterns_and_labels_are_not_narrowed_by_them(runs):
    """A pattern that matches nothing is named beside those that do."""
    save_run(runs, 1, scenario="lookup_order", label="one")
    save_run(runs, 2, scenario="refund", label="two")
    loaded = load_results(runs, scenarios=["look*", "nothing?"])
    assert loaded.document.labels == ["one", "two"]
    assert [one.scenario_id for one in loaded.document.results] == ["lookup_order"]
    assert loaded.remarks == ("no scenario matched nothing?",)
    loaded = load_results(runs, labels=["one", "two"], scenarios=["look*"])
    assert loaded.remarks == ("no scenario matched under label(s): two",)


@pytest.mark.parametrize("labels", [[], ["one"]])
def test_a_scenario_that_is_not_there_is_named_as_what_is_missing(runs, labels):
    """With or without a label: there are runs, and none of them is this scenario's."""
    save_run(runs, 1, scenario="lookup_order", label="one")
    error = refused(runs, scenarios=["Lookup_order"], labels=labels)
    assert error.specific_code == "scenario-unmatched"
    assert str(error) == "no scenario matched Lookup_order; there is: lookup_order"


def test_a_label_that_is_not_there_is_named_although_a_scenario_is_not_there_either(runs):
    """The scenario may be under the label that was meant."""
    save_run(runs, 1, scenario="lookup_order", label="one")
    error = refused(runs, scenarios=["refund"], labels=["two", "one"])
    assert str(error) == "no scenario matched refund; there is: lookup_order"
    assert error.hints == ("no runs with label(s): two; labels present: one",)


def test_a_directory_without_runs_is_said_to_be_one(runs):
    """Missing, empty, and holding only runs that did not end."""
    assert refused(runs).specific_code == "runs-dir-missing"
    assert "runs directory not found" in str(refused(runs))
    assert not runs.exists()
    runs.mkdir()
    assert str(refused(runs)) == f"no scored runs found under '{runs}'"
    sidecar_path(save_run(runs, 1)).unlink()
    error = refused(runs, labels=["x"])
    assert str(error) == f"no runs with label(s): x; no scored runs found under '{runs}'"
    assert error.hints == ()
    assert "1 run(s) have no score" in refused(runs).hints[0]


def test_files_in_the_place_of_folders_are_refused(runs):
    """Not a traceback."""
    runs.write_text("a file")
    assert refused(runs).specific_code == "runs-dir-missing"
    runs.unlink()
    save_run(runs, 1)
    (runs / "ledger.ndjsonl").mkdir()
    assert refused(runs).specific_code == "ledger-unreadable"


def test_diagnostic_layers_that_failed_are_named(runs):
    """They decide nothing, and somebody wanted to know."""
    save_run(runs, 1, gates=["outcome"], layers={"constraint": False, "trajectory": False})
    save_run(runs, 2, gates=["outcome"], layers={"constraint": False})
    found = only(runs)
    assert (found.verdict, found.diagnostic_failures) == ("PASS", ["trajectory", "constraint"])


def test_what_an_invalid_run_failed_is_no_finding(runs):
    """One that broke fails everything, and says nothing about the agent."""
    everything = ("outcome", "trajectory", "constraint", "integrity")
    save_run(runs, 1, gates=["outcome"], layers=dict.fromkeys(everything, False))
    found = only(runs)
    assert (found.verdict, found.diagnostic_failures) == ("INVALID", [])
    save_run(runs, 2, gates=["outcome"], layers={"trajectory": False})
    assert only(runs).diagnostic_failures == ["trajectory"]


def test_a_truncated_or_interrupted_row_is_marked(runs):
    """It answered a smaller question than it asked."""
    save_run(runs, 1)
    save_row(runs, [1], experiment={"budget_exhausted": True, "interrupted": True})
    found = only(runs)
    assert (found.budget_exhausted, found.interrupted) == (True, True)


@pytest.mark.parametrize("said", [10**400, 1e308, float("inf"), float("nan"), -1, True, "1", [1]])
def test_a_risk_that_is_none_is_counted_from_the_runs(runs, said):
    """A row may hold any number; sums and differences of risks must stay numbers."""
    save_run(runs, 1, layers={"outcome": False})
    save_row(runs, [1], verdict="FAIL")
    row = json.loads((runs / "ledger.ndjsonl").read_text())
    (runs / "ledger.ndjsonl").write_text(json.dumps({**row, "failure_risk": said}) + "\n")
    assert only(runs).failure_risk == 1.0


runs_on_disk = st.lists(
    st.fixed_dictionaries(
        {
            "number": st.integers(1, 8),
            "scenario": st.sampled_from(["s", "s t", "s_t"]),
            "label": st.sampled_from(["l", "l m", "l_m"]),
            "probe": st.booleans(),
            "origin": st.sampled_from([None, None, None, "rescore", "selftest", "replay"]),
            "layers": st.fixed_dictionaries({"outcome": st.booleans(), "integrity": st.booleans()}),
            "metrics": st.dictionaries(st.sampled_from(["a", "b"]), st.integers() | st.booleans()),
        }
    ),
    max_size=8,
)
rows_on_disk = st.lists(
    st.fixed_dictionaries(
        {
            "numbers": st.lists(st.integers(1, 9), max_size=3),
            "scenario": st.sampled_from(["s", "s t", "s_t"]),
            "label": st.sampled_from(["l", "l m", "l_m"]),
            "pack": st.sampled_from([None, "p", "q"]),
            "tier": st.sampled_from(["probe", "focused", "regression"]),
            "verdict": st.sampled_from(["PASS", "FAIL", "PASS_WITH_VARIANCE"]),
        }
    ),
    max_size=6,
)


@given(
    runs_on_disk,
    rows_on_disk,
    st.lists(st.sampled_from(["l", "l m", "x"]), max_size=2),
    st.lists(st.sampled_from(["s", "s*", "s_t"]), max_size=1),
    st.integers(0, 3),
)
def test_the_answer_is_that_of_reading_everything(
    tmp_path_factory, saved, rows, labels, scenarios, unscored
):
    """Whatever is skipped on the way would have changed nothing."""
    runs_dir = tmp_path_factory.mktemp("runs")
    for place, run in enumerate(saved):
        path = save_run(runs_dir, **run)
        if place < unscored:
            sidecar_path(path).unlink()
    for row in rows:
        save_row(runs_dir, **row)
    expected = naive(runs_dir, labels, scenarios)
    try:
        found = load_results(runs_dir, labels, scenarios).document.results
    except UsageError:
        found = []
    assert found == expected


def naive(runs_dir: Path, labels: list[str], scenarios: list[str]) -> list[ScenarioTotals]:
    """Read every run whole, group them all, and then leave out what was not asked for."""
    every = [load_run(file.path) for file in run_files(runs_dir) if file.is_scored]
    flights = [run for run in every if run.origin not in {"selftest", "replay"}]
    rows = Ledger(runs_dir).results(None).rows
    wanted = list(dict.fromkeys(labels)) or sorted({run.label for run in flights})
    glob = {"s": {"s"}, "s*": {"s", "s t", "s_t"}, "s_t": {"s_t"}}
    names = set().union(*(glob[one] for one in scenarios or ["s*"]))
    found: list[ScenarioTotals] = []
    for label in wanted:
        for name in sorted(names):
            of = [run for run in flights if (run.scenario, run.label) == (name, label)]
            groups = groups_of(of, rows.get(ScenarioLabel(name, label), ()))
            by_pack = sorted(groups, key=lambda one: (one.row.pack if one.row else "") or "")
            found += [scenario_totals(group) for group in by_pack]
    return found


def test_editing_a_trace_by_hand_does_not_hide_it(runs):
    """Keys in another order are read the long way."""
    path = save_run(runs, 1)
    edit_json(path, variant_id=None)
    edit_json(path, variant_id="candidate")
    save_row(runs, [1])
    assert counted(only(runs)) == [run_id(1)]
