"""Reading one saved run: what it came to, or what is wrong with it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.saved_runs import edit_json, run_id, save_run
from kit.traces import json_values

from wt_git.api.replay import REPLAY_PREFIX_MARKER
from wt_git.records.layout import sidecar_path
from wt_git.records.runs.run_files import UnreadableRunError
from wt_git.records.runs.saved_runs import REPLAY_PREFIX, SavedRun, load_run

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


def loaded(path: Path) -> SavedRun:
    return load_run(str(path))


def test_a_run_is_what_its_trace_and_its_score_say(tmp_path):
    """Metrics stand under the name of their layer."""
    path = save_run(tmp_path, 3, layers={"outcome": False}, metrics={"revisions": 11, "ok": False})
    assert loaded(path) == SavedRun(
        path=str(path),
        run_id=run_id(3),
        scenario="lookup_order",
        label="candidate",
        started_at="2026-01-02T12:00:03.123456+00:00",
        verdict="FAIL",
        metrics={"outcome.revisions": 11, "outcome.ok": False},
        failed_layers=("outcome",),
        diagnostic_failures=(),
        risk_weight=1.0,
        is_probe=False,
        origin=None,
    )


@pytest.mark.parametrize(
    ("layers", "gates", "verdict", "diagnostic"),
    [
        ({}, ["outcome"], "PASS", ()),
        ({"outcome": False}, ["outcome"], "FAIL", ()),
        ({"integrity": False}, ["outcome"], "INVALID", ()),
        ({"outcome": False, "constraint": False}, [], "PASS", ("outcome", "constraint")),
        ({"trajectory": False}, ["outcome"], "PASS", ("trajectory",)),
    ],
)
def test_the_verdict_follows_from_the_layers_and_the_gate(
    tmp_path, layers, gates, verdict, diagnostic
):
    """Layers that do not gate decide nothing, and are named when they failed."""
    run = loaded(save_run(tmp_path, 1, layers=layers, gates=gates))
    assert (run.verdict, run.diagnostic_failures) == (verdict, diagnostic)


@pytest.mark.parametrize("said", [None, "outcome", ["nonsense"], [7], {}])
def test_without_a_known_gate_all_layers_decide(tmp_path, said):
    """The strictest reading, for older files and for those of newer writers."""
    path = save_run(tmp_path, 1, layers={"constraint": False}, gates=["outcome"])
    edit_json(sidecar_path(path), gate_layers=said)
    assert loaded(path).verdict == "FAIL"
    edit_json(sidecar_path(path), scenario={"gate_layers": ["trajectory"]})
    assert loaded(path).verdict == "PASS"


def test_a_probe_and_the_origin_of_a_score_are_seen(tmp_path):
    """By the warning that its replayed turns leave, and by what the score says of itself."""
    assert loaded(save_run(tmp_path, 1, probe=True)).is_probe
    assert loaded(save_run(tmp_path, 2, origin="rescore")).origin == "rescore"
    assert REPLAY_PREFIX == REPLAY_PREFIX_MARKER


def test_the_oldest_files_are_read(tmp_path):
    """Traces without a version, scores whose fourth layer has another name."""
    path = save_run(tmp_path, 1, metrics={"steps": 2})
    edit_json(path, windtunnel_trace=None, run_id=None, worker_warnings=None)
    score = json.loads(sidecar_path(path).read_text())
    layers = {name: score[name] for name in ("outcome", "trajectory", "constraint")}
    sidecar_path(path).write_text(json.dumps({**layers, "robustness": score["integrity"]}))
    run = loaded(path)
    assert (run.verdict, run.run_id, run.is_probe) == ("PASS", "", False)
    assert run.metrics == {"outcome.steps": 2}


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda path: path.write_text("{"), "trace is not JSON"),
        (lambda path: path.write_bytes(b'"\xff"'), "trace is not JSON"),
        (lambda path: path.write_text("[" * 100_000), "trace is not JSON"),
        (lambda path: path.write_text("[]"), "trace is not an object"),
        (lambda path: path.unlink(), "trace: No such file"),
        (lambda path: edit_json(path, windtunnel_trace=2), "trace of another version"),
        (lambda path: edit_json(path, windtunnel_trace=True), "trace of another version"),
        (lambda path: edit_json(path, scenario_id=7), "without scenario and label"),
        (lambda path: edit_json(path, variant_id=None), "without scenario and label"),
        (lambda path: edit_json(path, turns=None), "trace without turns"),
        (lambda path: sidecar_path(path).write_text(""), "score is not JSON"),
        (lambda path: sidecar_path(path).write_text("null"), "score is not an object"),
        (lambda path: edit_json(sidecar_path(path), windtunnel_score=3), "score: unsupported"),
        (lambda path: edit_json(sidecar_path(path), score=None, outcome=None), "score: outcome"),
    ],
)
def test_what_is_no_run_says_which_file_is_wrong_and_why(tmp_path, break_it, said):
    """It is counted and named, and hides no other run."""
    path = save_run(tmp_path, 1)
    break_it(path)
    with pytest.raises(UnreadableRunError, match=said):
        loaded(path)


@given(
    st.sampled_from(["trace", "score"]),
    st.dictionaries(
        st.sampled_from(
            [
                "run_id",
                "scenario_id",
                "variant_id",
                "turns",
                "started_at",
                "worker_warnings",
                "outcome",
                "integrity",
                "score",
                "gate_layers",
                "scenario",
                "origin",
                "failure_cost",
            ]
        ),
        json_values(),
    ),
)
def test_no_content_breaks_the_reader(tmp_path_factory, which, changes: dict[str, Any]):
    """A run is read, or it is unreadable."""
    path = save_run(tmp_path_factory.mktemp("runs"), 1)
    target = path if which == "trace" else sidecar_path(path)
    target.write_text(json.dumps({**json.loads(target.read_text()), **changes}))
    try:
        run = loaded(path)
    except UnreadableRunError:
        return
    assert run.verdict in {"PASS", "FAIL", "INVALID"}
    assert isinstance(run.run_id, str)
