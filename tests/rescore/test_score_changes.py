"""What counts as a change between an old score and a new one."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_score

from wt_git.api.score import GATE_LAYER_ORDER, SCORE_LAYER_ORDER, LayerResult, Score
from wt_git.records.runs.saved_scores import CostFacts, LayerFacts, SavedScore, ScoreFacts
from wt_git.records.runs.sidecars import run_verdict
from wt_git.rescore import TraceIdentity, score_change

IDENTITY = TraceIdentity("runs/a.json", "lookup_order", "candidate", "abcd")
VALUES = st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 2.5]) | st.text()
LAYERS = st.builds(
    LayerResult,
    st.booleans(),
    st.text(),
    st.dictionaries(st.sampled_from(["steps", "right"]), VALUES, max_size=2),
)
SCORES = st.builds(Score, LAYERS, LAYERS, LAYERS, LAYERS)
GATES = st.sets(st.sampled_from(GATE_LAYER_ORDER)).map(
    lambda names: tuple(name for name in GATE_LAYER_ORDER if name in names)
)


def saved(score: Score, gates: tuple[Any, ...]) -> SavedScore:
    """The score as it is found beside a trace."""
    layers = {
        name: LayerFacts(layer.passed, layer.detail, dict(layer.metrics))
        for name in SCORE_LAYER_ORDER
        for layer in [getattr(score, name)]
    }
    facts = ScoreFacts(**layers, failure_cost=CostFacts("low", False, True, False))
    return SavedScore(score=facts, gate_layers=gates, origin={})


def passed(*, yes: bool) -> str:
    return "PASS" if yes else "FAIL"


@given(SCORES, GATES, SCORES, GATES)
def test_what_is_said_follows_from_the_two_scores(
    before: Score, old_gates: tuple[Any, ...], new: Score, gates: tuple[Any, ...]
) -> None:
    """Layer by layer, the verdict by each score's own gate, and metrics by type and value."""
    entry = score_change(IDENTITY, saved(before, old_gates), new, gates, written=False)
    assert entry.verdict.old == run_verdict(before, old_gates)
    assert entry.verdict.new == run_verdict(new, gates)
    assert list(entry.layers) == list(SCORE_LAYER_ORDER)
    for name, layer in entry.layers.items():
        was, now = getattr(before, name), getattr(new, name)
        assert (layer.old, layer.new) == (passed(yes=was.passed), passed(yes=now.passed))
        assert (layer.old_detail, layer.detail) == (was.detail, now.detail)
        assert layer.changed == (was.passed != now.passed)
    flipped = any(layer.changed for layer in entry.layers.values())
    assert entry.changed == (flipped or entry.verdict.old != entry.verdict.new)
    assert (entry.metrics.old, entry.metrics.new) == (before.metrics, new.metrics)
    old_text, text = (json.dumps(one, sort_keys=True) for one in (before.metrics, new.metrics))
    assert entry.metrics_changed == (old_text != text)


@given(SCORES, GATES)
def test_nothing_changes_where_nothing_was_known(new: Score, gates: tuple[Any, ...]) -> None:
    """A run without a score, or with one that cannot be read, was neither this nor that."""
    entry = score_change(IDENTITY, None, new, gates, written=True)
    assert (entry.changed, entry.metrics_changed, entry.written) == (False, False, True)
    assert (entry.verdict.old, entry.metrics.old) == ("UNKNOWN", None)
    for layer in entry.layers.values():
        assert (layer.old, layer.changed, layer.old_detail) == ("UNKNOWN", False, None)


@given(SCORES, GATES)
def test_the_same_score_again_changes_nothing(score: Score, gates: tuple[Any, ...]) -> None:
    """Scoring is a function of the trace and the definition."""
    entry = score_change(IDENTITY, saved(score, gates), score, gates, written=False)
    assert (entry.changed, entry.metrics_changed) == (False, False)


def test_another_gate_changes_the_verdict_although_no_layer_flips() -> None:
    """The author may take a layer into the gate."""
    score = a_score(trajectory=False)
    old = saved(score, ("outcome",))
    entry = score_change(IDENTITY, old, score, ("outcome", "trajectory"), written=False)
    assert (entry.verdict.old, entry.verdict.new, entry.changed) == ("PASS", "FAIL", True)
    assert not any(layer.changed for layer in entry.layers.values())


def test_half_a_surrogate_pair_in_a_trace_is_no_reason_to_say_nothing() -> None:
    """Agents send such text, and scorers quote it."""
    score = a_score(said="\ud83d")
    entry = score_change(IDENTITY, None, score, ("outcome",), written=False)
    assert json.dumps(entry.as_document(), ensure_ascii=False).encode()
