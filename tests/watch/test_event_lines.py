"""The line that shows an event, whatever the event holds."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.watching import event, finished, started

from wt_git.text import one_line
from wt_git.watch.events import line_of


@pytest.fixture(autouse=True)
def _in_another_zone(monkeypatch):
    monkeypatch.setenv("TZ", "Etc/GMT-2")  # two hours east
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


CASES = [
    (
        started("9c1d", scenarios=["a", "b"], runs_per_scenario=3),
        "sweep 9c1d started: label round, runtime in_memory, 2 scenario(s) x 3 run(s)",
    ),
    (event("run_started", "9c1d", scenario_id="refund", run=1, runs=3), "refund run 1/3 started"),
    (
        event(
            "run_finished",
            "9c1d",
            scenario_id="refund",
            run=1,
            runs=3,
            verdict="FAIL",
            duration_s=8.66,
            layers={"outcome": False, "trajectory": False, "constraint": True, "integrity": True},
            metrics={"outcome.refunded": False, "outcome.note": "late"},
        ),
        (
            "refund run 1/3 FAIL (8.7s) failed: outcome, trajectory outcome.refunded=False "
            "outcome.note=late"
        ),
    ),
    (
        event(
            "run_finished",
            "9c1d",
            scenario_id="refund",
            run=2,
            runs=3,
            verdict="PASS",
            duration_s=None,
            layers={"outcome": True, "trajectory": False},
            metrics={"outcome.revisions": 6},
        ),
        "refund run 2/3 PASS outcome.revisions=6",
    ),
    (
        event("scenario_finished", "9c1d", scenario_id="refund", verdict="FAIL", passed=2, total=3),
        "refund FAIL 2/3 pass",
    ),
    (
        event("scenario_error", "9c1d", scenario_id="r", kind="world_mismatch", error="no file"),
        "r WORLD no file",
    ),
    (
        event("scenario_error", "9c1d", scenario_id="r", kind="error", error="x" * 300),
        "r ERROR " + "x" * 200,
    ),
    (
        event("lock_waiting", "9c1d", lock="http://h", holder={"pid": 42}),
        "sweep 9c1d waiting for runtime 'http://h' held by pid 42",
    ),
    (event("lock_waiting", "9c1d", lock="k", holder=None), "sweep 9c1d waiting for runtime 'k'"),
    (
        event("lock_acquired", "9c1d", lock="k", waited_s=2.345),
        "sweep 9c1d acquired runtime 'k' after 2.3s",
    ),
    (
        finished("9c1d", 1, scenarios=2, completed=2),
        "sweep 9c1d finished: exit 1 (completed; 2/2 scenario(s), 0 error(s))",
    ),
    (
        finished("9c1d", None, status="error"),
        "sweep 9c1d finished: exit none (error; 1/1 scenario(s), 0 error(s))",
    ),
    (event("landed", "9c1d", where=["x", 1]), 'sweep 9c1d landed {"where": ["x", 1]}'),
]


@pytest.mark.parametrize(("record", "line"), CASES, ids=lambda case: str(case)[:30])
def test_each_event_has_its_line(record, line):
    """Behind the local time."""
    assert line_of(record) == f"02:00:00 {line}"


@pytest.mark.parametrize(
    ("ts", "shown"),
    [
        ("2026-03-04T23:30:00.25Z", "01:30:00"),
        ("2026-03-04T10:00:00", "12:00:00"),
        ("2026-03-04T10:00:00+05:00", "07:00:00"),
        ("9999-12-31T23:59:59Z", "--:--:--"),
        ("0001-01-01T00:00:00+12:00", "--:--:--"),
        ("soon", "--:--:--"),
        (None, "--:--:--"),
    ],
)
def test_times_are_local(ts, shown):
    """Whatever zone they were written in; what is no time is left open."""
    assert line_of(event("landed", "9c1d", ts=ts)).split()[0] == shown


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inside: st.lists(inside, max_size=2) | st.dictionaries(st.text(), inside, max_size=2),
    max_leaves=4,
)


@given(
    st.sampled_from([record["event"] for record, _ in CASES]),
    st.dictionaries(
        st.sampled_from(sorted({key for record, _ in CASES for key in record})), values
    ),
)
def test_whatever_an_event_holds_is_one_inert_line(kind, fields):
    """Other writers, older versions, hostile text: nothing breaks, nothing moves the cursor."""
    record = {**event(kind, "9c1d"), **fields, "event": kind, "sweep_id": "9c1d"}
    line = line_of(json.loads(json.dumps(record)))
    assert one_line(line) == line
