"""Replaying a saved run: as a whole with another model, or live from one of its turns."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.traces import a_trace, assistant, traces, turns, user

from wt_git.api.replay import (
    REPLAY_PREFIX_MARKER,
    HistoryPrefix,
    prefix_length,
    replay,
    scoring_view,
    split_at_user_turn,
    with_prefix,
)
from wt_git.api.trace import Turn

TOOL = Turn("tool", "found", [], [], 0.0)


def two_turns():
    """A conversation with two user turns and a tool's answer."""
    return a_trace(user("first"), TOOL, assistant("one"), user("second"), assistant("two"))


def test_an_identity_replay_changes_nothing_that_was_said():
    """Turns, prompts and their hashes are the same; id and times are new."""
    rendered = Turn("user", "hi", [], [], 0.0, rendered_prompt="<hi>")
    original = a_trace(rendered, assistant("ho", {"name": "a", "args": {}}))
    before = datetime.now(UTC)
    again = replay(original, "again", lambda given_turns: given_turns)
    assert again.turns == original.turns
    assert again.turns[0].rendered_prompt_hash == rendered.rendered_prompt_hash
    assert again.run_id != original.run_id
    assert before <= again.started_at <= again.finished_at <= datetime.now(UTC)


def test_a_replay_takes_over_what_identifies_the_test():
    """And nothing that was evidence of the other run."""
    original = a_trace(
        user(),
        tool_schema_hash="sha256:0",
        worker_warnings=["w"],
        mcp_calls=[{"tool_name": "a"}],
        observations={"db": {}},
        surface={},
        usage={},
        model_calls=[],
    )
    again = replay(original, "again", lambda given_turns: [assistant("new")])
    assert again == a_trace(
        assistant("new"),
        variant_id="again",
        tool_schema_hash="sha256:0",
        run_id=again.run_id,
        started_at=again.started_at,
        finished_at=again.finished_at,
    )
    assert again.sampler is not original.sampler


def test_model_and_quantisation_may_be_others():
    """Each on its own; the empty one is one, too."""
    again = replay(a_trace(), "v", list, model="new", quant="")
    assert (again.model, again.quant) == ("new", "")
    again = replay(a_trace(), "v", list, quant="q8")
    assert (again.model, again.quant) == ("some-model", "q8")


def test_the_original_cannot_be_changed_by_the_callback():
    """It gets a copy, all the way down, and is called once."""
    original = a_trace(assistant("hi", {"name": "a", "args": {}}))
    calls = []

    def spoil(given_turns):
        calls.append(given_turns)
        given_turns[0].tool_calls[0]["args"]["x"] = 1
        given_turns.clear()
        return []

    assert replay(original, "v", spoil).turns == []
    assert len(calls) == 1
    assert original == a_trace(assistant("hi", {"name": "a", "args": {}}))


def test_a_prefix_says_where_it_comes_from():
    """Its marker goes to the new trace's warnings."""
    prefix = HistoryPrefix((user(), assistant()), "run-7")
    assert prefix.marker == "replay_prefix: source=run-7 turns=2"
    assert prefix.marker.startswith(REPLAY_PREFIX_MARKER)


def test_a_prefix_is_sent_as_user_and_assistant_texts():
    """Other roles are part of the record and not of the conversation."""
    prefix, _ = split_at_user_turn(two_turns())
    assert len(prefix.turns) == 3
    assert prefix.messages() == [
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": "one"},
    ]


def test_a_run_is_split_at_a_user_turn(subtests):
    """That turn and later ones are sent live; what came before is frozen."""
    for from_turn, frozen, live in [
        (1, 0, ["first", "second"]),
        (2, 3, ["second"]),
        (None, 3, ["second"]),
    ]:
        with subtests.test(from_turn=from_turn, frozen=frozen, live=live):
            trace = two_turns()
            prefix, texts = split_at_user_turn(trace, from_turn)
            assert list(prefix.turns) == trace.turns[:frozen]
            assert (prefix.source, texts) == (trace.run_id, live)


def test_a_turn_that_is_not_there_is_refused(subtests):
    """The message says which there are."""
    for from_turn in [0, -1, 3]:
        with (
            subtests.test(from_turn=from_turn),
            pytest.raises(ValueError, match=f"user turns 1 to 2.*no turn {from_turn}"),
        ):
            split_at_user_turn(two_turns(), from_turn)


def test_a_run_without_user_turns_cannot_be_replayed():
    """A run that broke before its first turn has none."""
    with pytest.raises(ValueError, match="no user turn"):
        split_at_user_turn(a_trace(assistant()))


def test_the_length_of_the_prefix_is_on_the_trace(subtests):
    """The first marker counts; one that cannot be read means none."""
    for warnings, length in [
        ([], 0),
        (["replay_prefix: source=run-7 turns=2"], 2),
        (
            ["other", "replay_prefix: source=a turns=9 turns=1", "replay_prefix: source=b turns=2"],
            1,
        ),
        (["replay_prefix: source=run-7"], 0),
        (["replay_prefix: source=run-7 turns=two"], 0),
        (["replay_prefix: source=run-7 turns=-1"], 0),
        (["replay_prefix: source=run-7 turns=\u0663"], 0),
        (["replay_prefix: source=run-7 turns=" + "9" * 5000], 0),
        (["replay_prefix: source=run-7 turns=x", "replay_prefix: source=b turns=2"], 0),
        (["see replay_prefix: source=run-7 turns=2"], 0),
    ]:
        with subtests.test(warnings=warnings, length=length):
            assert prefix_length(a_trace(worker_warnings=warnings)) == length


def test_a_trace_without_a_prefix_is_scored_itself():
    """No copy is made of it."""
    trace = two_turns()
    assert scoring_view(trace) is trace
    assert with_prefix(trace, trace) is trace


@given(trace=traces(), frozen=st.lists(turns(), max_size=3))
def test_frozen_turns_are_put_aside_and_put_back(trace, frozen):
    """The view has the live turns only; everything else is the same, before and after."""
    trace.worker_warnings.insert(0, HistoryPrefix(tuple(frozen), trace.run_id).marker)
    live = trace.turns
    trace.turns = [*frozen, *live]
    view = scoring_view(trace)
    assert view.turns == live
    assert view.run_id == trace.run_id
    assert trace.turns == [*frozen, *live]
    assert with_prefix(view, trace) == trace


def test_what_changed_on_the_view_stays_changed():
    """Markers added while scoring are kept when the prefix returns."""
    marker = HistoryPrefix((user("old"),), "run-7").marker
    trace = a_trace(user("old"), user("new"), worker_warnings=[marker])
    view = scoring_view(trace)
    view.worker_warnings = [*view.worker_warnings, "perturbation_applied: x"]
    whole = with_prefix(view, trace)
    assert [turn.content for turn in whole.turns] == ["old", "new"]
    assert whole.worker_warnings == [marker, "perturbation_applied: x"]


def test_a_marker_that_claims_too_much_leaves_nothing_to_score():
    """A trace cut short after its marker was written must not be scored by frozen turns."""
    trace = a_trace(user(), worker_warnings=["replay_prefix: source=x turns=5"])
    assert scoring_view(trace).turns == []
    assert with_prefix(scoring_view(trace), trace) == trace
