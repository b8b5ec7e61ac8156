"""Scores written to JSON and read back, by this version and by the one before."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_score, json_objects, json_values, texts

from wt_git.api.score import (
    FailureCost,
    LayerResult,
    Score,
    ScoreFormatError,
    score_from_dict,
    score_to_dict,
)


def layers():
    """Any layer result."""
    metrics = st.dictionaries(
        texts().filter(str.strip),
        st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts(),
        max_size=3,
    )
    return st.builds(LayerResult, st.booleans(), texts(), metrics)


def costs():
    """Any failure cost."""
    severities = st.sampled_from(["low", "medium", "high", "critical"])
    return st.builds(FailureCost, severities, st.booleans(), st.booleans(), st.booleans())


def test_a_score_is_written_in_a_fixed_form():
    """Keys stand in a fixed order, and metrics only where there are any."""
    score = a_score(trajectory=False, cost=FailureCost("high"), turns=2)
    written = score_to_dict(score)
    assert written == {
        "windtunnel_score": 2,
        "outcome": {"passed": True, "detail": "outcome", "metrics": {"turns": 2}},
        "trajectory": {"passed": False, "detail": "trajectory"},
        "constraint": {"passed": True, "detail": "constraint"},
        "integrity": {"passed": True, "detail": "integrity"},
        "failure_cost": {
            "severity": "high",
            "customer_visible": False,
            "reversible": True,
            "side_effect_performed": False,
            "risk_weight": 16,
        },
    }
    assert next(iter(written)) == "windtunnel_score"
    assert list(written)[-1] == "failure_cost"


@given(score=st.builds(Score, layers(), layers(), layers(), layers(), costs()))
def test_any_score_survives_json(score):
    """Written, sent through JSON and read, it is the same score."""
    assert score_from_dict(json.loads(json.dumps(score_to_dict(score)))) == score


def test_a_score_is_read_from_inside_a_sidecar():
    """A sidecar's nested score counts, not what stands around it."""
    score = a_score(outcome=False)
    sidecar = score_to_dict(a_score()) | {"verdict": "FAIL", "score": score_to_dict(score)}
    assert score_from_dict(sidecar) == score


def test_a_score_that_is_no_object_does_not_hide_the_flat_one():
    """Some sidecars have a number under `score`; then the outer object is the score."""
    assert score_from_dict(score_to_dict(a_score()) | {"score": 0.5}) == a_score()


def test_the_version_may_stand_inside():
    """The outer version wins, the nested one is the fallback."""
    nested = score_to_dict(a_score())
    assert score_from_dict({"score": nested}) == a_score()
    with pytest.raises(ScoreFormatError, match="unsupported"):
        score_from_dict({"score": nested, "windtunnel_score": 7})


@pytest.mark.parametrize("fourth", ["robustness", "integrity"])
@pytest.mark.parametrize("stated", [{}, {"windtunnel_score": 1}])
def test_the_first_version_is_read(stated, fourth):
    """It has no version or 1, and calls the fourth layer by either name."""
    layer = {"passed": True, "detail": "fine"}
    gates = dict.fromkeys(("outcome", "trajectory", "constraint"), layer)
    score = score_from_dict(stated | gates | {fourth: {"passed": False}})
    assert not score.integrity.passed
    assert score.integrity.detail == ""
    assert score.failure_cost == FailureCost()


def test_the_second_version_needs_integrity():
    """The old name is not enough any more."""
    written = score_to_dict(a_score())
    written["robustness"] = written.pop("integrity")
    with pytest.raises(ScoreFormatError, match="integrity is missing"):
        score_from_dict(written)


def test_the_stored_risk_weight_is_ignored():
    """It follows from the other fields."""
    written = score_to_dict(a_score())
    written["failure_cost"]["risk_weight"] = "rubbish"
    assert score_from_dict(written).failure_cost.risk_weight == 1


def test_other_versions_are_unsupported(subtests):
    """The message says which are known."""
    for version in [0, 3, -1, 1 << 20_000]:
        with (
            subtests.test(version=version),
            pytest.raises(ScoreFormatError, match=r"unsupported windtunnel_score .* 1 and 2"),
        ):
            score_from_dict(score_to_dict(a_score()) | {"windtunnel_score": version})


def test_a_wrong_part_is_named(subtests):
    """Nothing is coerced, and the message says which part has what instead of what."""
    for path, value, named in [
        (("windtunnel_score",), True, "windtunnel_score must be an integer, got true"),
        (("windtunnel_score",), "2", "windtunnel_score must be an integer, got '2'"),
        (("windtunnel_score",), None, "windtunnel_score must be an integer, got null"),
        (("outcome",), None, "outcome must be an object, got null"),
        (("trajectory",), [], "trajectory must be an object, got an array"),
        (("constraint", "passed"), 1, "constraint.passed must be a boolean, got 1"),
        (("outcome", "passed"), "true", "outcome.passed must be a boolean, got 'true'"),
        (("outcome", "detail"), None, "outcome.detail must be a string, got null"),
        (("outcome", "metrics"), None, "outcome.metrics must be an object, got null"),
        (("outcome", "metrics"), {"": 1}, "outcome: metric names"),
        (("outcome", "metrics"), {"a": None}, "outcome: metric 'a' must be"),
        (("outcome", "metrics"), {"a": float("nan")}, "outcome: metric 'a' must be finite"),
        (("failure_cost",), [], "failure_cost must be an object, got an array"),
        (("failure_cost", "severity"), "dire", "failure_cost: severity must be one of"),
        (("failure_cost", "severity"), None, "failure_cost.severity must be a string, got null"),
        (("failure_cost", "reversible"), 0, "failure_cost.reversible must be a boolean, got 0"),
    ]:
        with subtests.test(path=path, value=value, named=named):
            written = copy.deepcopy(score_to_dict(a_score()))
            holder = written
            for step in path[:-1]:
                holder = holder[step]
            holder[path[-1]] = value
            with pytest.raises(ScoreFormatError) as refusal:
                score_from_dict(written)
            assert str(refusal.value).startswith(named)


@given(payload=json_values() | json_objects())
def test_rubbish_is_refused_with_one_kind_of_error(payload):
    """Whatever a file holds, the reader answers with a format error or a score."""
    with pytest.raises(ScoreFormatError):
        score_from_dict(payload)


@given(st.data())
def test_a_score_with_any_part_replaced_is_read_or_refused(data):
    """No other exception leaves the reader."""
    written = score_to_dict(a_score(turns=2))
    part = data.draw(st.sampled_from(sorted(written)))
    if data.draw(st.booleans()) and isinstance(written[part], dict):
        inner = data.draw(st.sampled_from(sorted(written[part])))
        written[part][inner] = data.draw(json_values())
    else:
        written[part] = data.draw(json_values())
    try:
        score = score_from_dict(written)
    except ScoreFormatError:
        return
    assert json.loads(json.dumps(score_to_dict(score))) == score_to_dict(score)
