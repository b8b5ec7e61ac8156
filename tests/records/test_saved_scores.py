"""Reading the score beside a trace: all of it, or why not."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_score, json_values

from wt_git.records.runs.saved_scores import UnreadableScoreError, read_score
from wt_git.records.runs.sidecars import sidecar_document

SCORE = Path("a.score.json")


def saved(**changes: Any) -> None:
    document = sidecar_document(a_score(outcome=False, steps=3), ("outcome",), {"name": "s"})
    SCORE.write_text(json.dumps(document | changes))


def test_a_score_is_read_with_its_gate_and_its_origin():
    """What `wt run` wrote, and who made it where that was somebody else."""
    saved(origin={"kind": "replay", "source_trace": "t"})
    found = read_score("a.json")
    assert found is not None
    assert (found.score.outcome.passed, found.score.metrics) == (False, {"outcome.steps": 3})
    assert (found.gate_layers, found.origin["kind"]) == (("outcome",), "replay")


def test_no_score_is_no_error():
    """A run that was killed between its trace and its score has none."""
    assert read_score("a.json") is None


@pytest.mark.parametrize(
    ("gates", "block", "read"),
    [
        (["constraint", "outcome"], ["trajectory"], ("outcome", "constraint")),
        ([], ["trajectory"], ()),
        (["new_layer"], ["trajectory"], ("trajectory",)),
        (None, None, ("outcome", "trajectory", "constraint")),
    ],
)
def test_the_gate_is_what_the_file_says_in_a_known_way(gates, block, read):
    """The resolved list, else the scenario's, else every layer."""
    saved(gate_layers=gates, scenario={"gate_layers": block})
    found = read_score("a.json")
    assert found is not None
    assert found.gate_layers == read


@pytest.mark.parametrize(
    ("text", "reason", "is_newer"),
    [
        ("", "not JSON", False),
        ('{"windtunnel_score": 2, "outc', "not JSON", False),
        ("[" * 100_000, "not JSON", False),
        ("[]", "not an object", False),
        ("{}", "outcome is missing", False),
        ('{"windtunnel_score": 3}', "unsupported", True),
        ('{"score": {"windtunnel_score": 3}}', "unsupported", True),
        ('{"windtunnel_score": true}', "must be an integer", False),
        ('{"windtunnel_score": 0}', "unsupported", False),
    ],
)
def test_what_is_no_score_is_refused_with_its_reason(text, reason, is_newer):
    """That of a later version is told apart: it may hold what this one does not know."""
    SCORE.write_text(text)
    with pytest.raises(UnreadableScoreError, match=reason) as refused:
        read_score("a.json")
    assert refused.value.is_newer is is_newer


def test_a_pipe_keeps_nobody_waiting():
    """It is no regular file."""
    os.mkfifo(SCORE)
    with pytest.raises(UnreadableScoreError, match="regular file"):
        read_score("a.json")


@given(st.dictionaries(st.sampled_from(["windtunnel_score", "outcome", "gate_layers", "scenario",
                                        "origin", "score", "failure_cost"]), json_values()))  # fmt: skip
def test_any_document_is_read_or_refused(changes):
    """Nothing else comes out of a file of another shape."""
    saved(**changes)
    try:
        found = read_score("a.json")
    except UnreadableScoreError:
        return
    assert found is not None
