"""Freezing a probe's snapshot."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.agents import RecordingProbe

from wt_git.runner.evidence import capture_observations

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


@given(st.dictionaries(st.text(), json_values, max_size=4))
def test_json_is_kept_verbatim_as_a_copy(snapshot):
    """Equal, and no longer the probe's object."""
    observations, warning = capture_observations(RecordingProbe(snapshot))
    assert observations == snapshot
    assert observations is not snapshot
    assert warning is None


def test_leaves_that_are_not_json_become_their_repr():
    """NaN too: no strict reader could load it."""
    snapshot = {"db": {"at": {1}, "n": float("nan"), "rows": (1, 2)}, 7: "seven"}
    observations, warning = capture_observations(RecordingProbe(snapshot))
    assert observations == {"db": {"at": "{1}", "n": "nan", "rows": [1, 2]}, "7": "seven"}
    assert warning is None
    json.dumps(observations, allow_nan=False)


@pytest.mark.parametrize("snapshot", [[1], "text", 3, ()])
def test_a_snapshot_that_is_no_object_is_reported_by_its_type(snapshot):
    """Observations are keyed by source."""
    observations, warning = capture_observations(RecordingProbe(snapshot))
    assert observations == {}
    assert warning.startswith("probe_error: ")
    assert type(snapshot).__name__ in warning


def test_a_capture_that_raises_gives_nothing_and_says_so():
    """The run is scored without observations."""
    observations, warning = capture_observations(RecordingProbe(fails={"capture": OSError("down")}))
    assert observations == {}
    assert warning == "probe_error: capture failed: OSError: down"


def test_a_snapshot_that_contains_itself_gives_nothing_and_says_so():
    """However it is entangled."""
    snapshot = {}
    snapshot["a"] = snapshot["b"] = [snapshot]
    observations, warning = capture_observations(RecordingProbe(snapshot))
    assert observations == {}
    assert warning.startswith("probe_error: ")
