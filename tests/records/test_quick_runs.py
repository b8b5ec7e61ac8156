"""The quick reading of saved runs against the careful one, which says what is right."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kit.saved_runs import save_run
from kit.traces import json_values, texts

from wt_git.records.layout import sidecar_path
from wt_git.records.runs.run_files import UnreadableRunError
from wt_git.records.runs.saved_runs import SavedRun, SavedTrace, load_run
from wt_git.records.runs.saved_scores import SidecarFacts

if TYPE_CHECKING:
    from pathlib import Path

TRACE_KEYS = [
    "windtunnel_trace",
    "run_id",
    "scenario_id",
    "variant_id",
    "turns",
    "started_at",
    "worker_warnings",
]
SCORE_KEYS = [
    "windtunnel_score",
    "outcome",
    "integrity",
    "failure_cost",
    "score",
    "gate_layers",
    "scenario",
    "origin",
]
GONE = object()


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    return save_run(folder, 3, layers={"outcome": False}, metrics={"steps": 11, "ok": True})


def careful(path: Path) -> SavedRun | str:
    """Read the run from files that msgspec refuses, for they hold a NaN."""
    for file in (path, sidecar_path(path)):
        if file.read_text().lstrip().startswith("{"):
            rest = file.read_text().lstrip()[1:]
            file.write_text('{"nobody\'s": NaN' + ("," if rest.strip() != "}" else "") + rest)
            with pytest.raises(msgspec.DecodeError):
                msgspec.json.decode(file.read_bytes())
    return told(path)


def told(path: Path) -> SavedRun | str:
    try:
        return load_run(str(path))
    except UnreadableRunError as error:
        return str(error)


def changed(document: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    merged = {**document, **changes}
    return {name: value for name, value in merged.items() if value is not GONE}


def test_what_a_sweep_writes_is_read_the_quick_way(saved):
    """Or the careful reader would do all the work, and nobody would notice."""
    trace = msgspec.json.decode(saved.read_bytes(), type=SavedTrace)
    sidecar = msgspec.json.decode(sidecar_path(saved).read_bytes(), type=SidecarFacts)
    assert (trace.scenario, trace.label) == ("lookup_order", "candidate")
    assert sidecar.score.metrics == {"outcome.steps": 11, "outcome.ok": True}


@given(
    st.dictionaries(st.sampled_from(TRACE_KEYS), json_values() | st.just(GONE), max_size=3),
    st.dictionaries(st.sampled_from(SCORE_KEYS), json_values() | st.just(GONE), max_size=3),
)
@example({"worker_warnings": ["replay_prefix: source=x turns=2"]}, {"origin": {"kind": "replay"}})
@example({"turns": {}}, {})
@example({"run_id": 7}, {"gate_layers": []})
@example({"windtunnel_trace": 1.0}, {"windtunnel_score": True})
@example({"scenario_id": "\ud800"}, {"score": GONE})
def test_both_ways_say_the_same_of_any_document(saved, tmp_path_factory, trace, sidecar):
    """Whatever is missing from it, or of another type than promised."""
    path = tmp_path_factory.mktemp("changed") / saved.name
    path.write_text(json.dumps(changed(json.loads(saved.read_text()), trace)))
    score = changed(json.loads(sidecar_path(saved).read_text()), sidecar)
    sidecar_path(path).write_text(json.dumps(score))
    quick = told(path)
    assert quick == careful(path)


@given(
    st.dictionaries(texts(), json_values() | st.just(10**400), max_size=3),
    st.dictionaries(
        st.sampled_from(["severity", "reversible", "customer_visible"]),
        json_values() | st.sampled_from(["high", "critical", True]),
        max_size=2,
    ),
    st.lists(st.sampled_from(["outcome", "trajectory", "constraint", "other"]) | json_values()),
)
def test_both_ways_say_the_same_of_any_score(saved, tmp_path_factory, metrics, cost, gates):
    """Metrics of any name and value, costs of any severity, gates that nobody knows."""
    path = tmp_path_factory.mktemp("scored") / saved.name
    path.write_bytes(saved.read_bytes())
    document = json.loads(sidecar_path(saved).read_text())
    document["score"]["outcome"]["metrics"] = metrics
    document["score"]["failure_cost"].update(cost)
    document["gate_layers"] = gates
    sidecar_path(path).write_text(json.dumps(document))
    quick = told(path)
    assert quick == careful(path)


@given(st.data())
def test_torn_and_damaged_bytes_are_no_run_either_way(saved, tmp_path_factory, data):
    """A file cut anywhere, or with a byte that is another: never a run that the other way refuses."""
    path = tmp_path_factory.mktemp("torn") / saved.name
    whole = saved.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.binary(min_size=0, max_size=1))
    path.write_bytes(whole[:place] + byte + (whole[place + 1 :] if byte else b""))
    sidecar_path(path).write_bytes(sidecar_path(saved).read_bytes())
    read = told(path)
    if isinstance(read, SavedRun):
        json.loads(path.read_bytes().decode())
    assert isinstance(read, SavedRun | str)
