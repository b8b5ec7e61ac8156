"""What a lifecycle hook can do with its context, and what it may not."""

from __future__ import annotations

import math
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kit.agents import RecordingHandle, says

from wt_git.spi.hooks import Hook, HookArtifact, HookContext, converse_timeout_s

TIMEOUT = "WT_HOOK_CONVERSE_TIMEOUT_S"


def scored(handle=None, **members):
    """A context at the one point where conversing is allowed."""
    handle = handle or RecordingHandle()
    given = {"hook_name": "asker", "phase": "on_run_scored", "session_id": "s1", "handle": handle}
    return HookContext(**{**given, **members})


class Silent:
    """An agent that answers only when it is released, and says when it has."""

    def __init__(self):
        self.released = threading.Event()
        self.answered = threading.Event()

    def send(self, messages, session_id):
        self.released.wait(60)
        self.answered.set()
        return says("too late")


def test_a_context_refuses_a_name_that_cannot_be_part_of_a_file_name(subtests):
    """Names become parts of warnings and of file names."""
    for name in ["", "Upper", "with space", "a.b", "ä", "x\n", None]:
        with subtests.test(name=name), pytest.raises(ValueError, match="a-z0-9_-"):
            HookContext(hook_name=name, phase="on_provisioned")


def test_members_that_a_point_lacks_are_none():
    """A context needs no more than its hook's name and the point."""
    ctx = HookContext(hook_name="h", phase="on_pack_end")
    assert (ctx.hook_name, ctx.phase) == ("h", "on_pack_end")
    for member in ("scenario", "agent", "run_id", "session_id", "trace", "score", "aggregate"):
        assert getattr(ctx, member) is None
        with pytest.raises(AttributeError):
            setattr(ctx, member, 1)
    assert ctx.artifacts == ctx.converse_calls == ()
    assert not ctx.converse_used
    assert not ctx.converse_timed_out
    assert ctx.converse_duration_ms is ctx.converse_error is None


def test_the_base_hook_does_nothing_at_every_point():
    """A subclass overrides only what it needs."""
    ctx = HookContext(hook_name="h", phase="any")
    for point in ("provisioned", "run_start", "run_scored", "run_end", "scenario_end", "pack_end"):
        assert getattr(Hook(), f"on_{point}")(ctx) is None


def test_a_warning_carries_the_name_of_its_hook():
    """Without a sink it is dropped."""
    said = []
    HookContext(hook_name="h", phase="any", warning_sink=said.append).warn("odd: \n state")
    HookContext(hook_name="h", phase="any").warn("nobody listens")
    assert said == ["hook:h: odd: \n state"]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(payload=json_values)
def test_an_artifact_is_a_copy_of_what_was_emitted(payload):
    """JSON data comes back equal, and later changes by the hook do not reach it."""
    ctx = HookContext(hook_name="h", phase="any")
    ctx.emit_artifact(payload, "label-1")
    assert ctx.artifacts == (HookArtifact("h", payload, "label-1"),)
    if isinstance(payload, (list, dict)):
        assert ctx.artifacts[0].payload is not payload


def test_a_payload_that_json_cannot_hold_is_refused(subtests):
    """NaN and infinities too: no strict reader could load the file."""
    for payload in [object(), {"x": {1, 2}}, math.nan, [math.inf], {("a",): 1}]:
        with subtests.test(payload=payload):
            ctx = HookContext(hook_name="h", phase="any")
            with pytest.raises(TypeError, match="not JSON"):
                ctx.emit_artifact(payload)
            assert ctx.artifacts == ()


def test_a_payload_that_contains_itself_is_refused():
    """A cycle is no JSON either."""
    payload = {}
    payload["self"] = payload
    with pytest.raises(TypeError, match="not JSON"):
        HookContext(hook_name="h", phase="any").emit_artifact(payload)


def test_a_label_that_cannot_be_part_of_a_file_name_is_refused(subtests):
    """Labels become part of a file name as they are."""
    for label in ["", "Upper", "a/b", "..", "a\n"]:
        with subtests.test(label=label), pytest.raises(ValueError, match="label"):
            HookContext(hook_name="h", phase="any").emit_artifact({}, label)


def test_converse_asks_in_the_runs_session_and_returns_the_text():
    """One user message, nothing of the earlier turns; calls are counted and timed."""
    handle = RecordingHandle([{"choices": [{"message": {"content": [{"text": "because"}]}}]}])
    ctx = scored(handle)
    assert ctx.converse("why?") == "because"
    assert handle.sent == [([{"role": "user", "content": "why?"}], "s1")]
    assert ctx.converse_used
    (call,) = ctx.converse_calls
    assert (call["status"], call["timed_out"], call["error"]) == ("ok", False, None)
    assert call["duration_ms"] == ctx.converse_duration_ms >= 0


def test_converse_reads_the_reply_with_the_given_normaliser(subtests):
    """It may return the text or the message."""
    for normalizer in [
        lambda r: r["deep"],
        lambda r: {"content": r["deep"]},
        lambda r: [r["deep"]],
    ]:
        with subtests.test(normalizer=normalizer):
            ctx = scored(RecordingHandle([{"deep": "inside"}]), reply_normalizer=normalizer)
            assert ctx.converse("?") == "inside"


def test_converse_is_refused_elsewhere(subtests):
    """Only a scored run with a live session can be asked; a refusal counts as no use."""
    for members in [
        {"phase": "on_run_end"},
        {"phase": "on_run_start"},
        {"session_id": None},
        {"handle": None},
    ]:
        with subtests.test(members=members):
            ctx = HookContext(
                **{
                    "hook_name": "h",
                    "phase": "on_run_scored",
                    "session_id": "s",
                    "handle": RecordingHandle(),
                    **members,
                }
            )
            with pytest.raises(RuntimeError, match="converse works only"):
                ctx.converse("?")
            assert not ctx.converse_used


def test_a_failing_agent_fails_the_question_and_is_chained(subtests):
    """An exception, an attempt to exit and a reply that is no object end as one kind of error."""
    for answer in [ValueError("no model"), SystemExit("no model"), "text"]:
        with subtests.test(answer=answer):
            handle = RecordingHandle([answer])
            if answer == "text":
                handle.send = lambda messages, session_id: "no model"
            ctx = scored(handle)
            with pytest.raises(RuntimeError, match="converse failed") as failure:
                ctx.converse("?")
            assert failure.value.__cause__ is not None
            assert ctx.converse_used
            assert not ctx.converse_timed_out
            assert ctx.converse_calls[0]["status"] == "error"
            assert ctx.converse_error == str(failure.value)


def test_a_question_that_is_not_answered_in_time_is_given_up(monkeypatch):
    """The caller is told; a reply that comes later changes nothing."""
    monkeypatch.setenv(TIMEOUT, "0.01")
    agent = Silent()
    ctx = scored(agent)
    with pytest.raises(RuntimeError, match="timed out"):
        ctx.converse("?")
    agent.released.set()
    assert agent.answered.wait(60)
    assert ctx.converse_timed_out
    assert [call["status"] for call in ctx.converse_calls] == ["timeout"]
    assert ctx.converse_calls[0]["timed_out"] is True


def test_errors_of_several_questions_are_joined():
    """The record of each call stays; the copies handed out are the reader's own."""
    ctx = scored(RecordingHandle([ValueError("one"), "fine", ValueError("two")]))
    for question in "abc":
        try:
            ctx.converse(question)
        except RuntimeError as error:
            assert "converse failed" in str(error)  # noqa: PT017 - two of three raise
    assert ctx.converse_error == "converse failed: one; converse failed: two"
    ctx.converse_calls[0]["status"] = "changed"
    assert [call["status"] for call in ctx.converse_calls] == ["error", "ok", "error"]


def test_objects_emitted_after_a_question_say_that_tools_were_enabled(monkeypatch):
    """Only objects can carry the stamp, and a key of the hook's own stands."""
    monkeypatch.setenv(TIMEOUT, "0.01")
    agent = Silent()
    ctx = scored(agent)
    ctx.emit_artifact({"n": 0})
    with pytest.raises(RuntimeError, match="timed out"):
        ctx.converse("?")
    agent.released.set()
    for payload in ({"n": 1}, {"tools_disabled": "own", "timed_out": "own"}, [1]):
        ctx.emit_artifact(payload)
    assert [artifact.payload for artifact in ctx.artifacts] == [
        {"n": 0},
        {"n": 1, "tools_disabled": False, "timed_out": True},
        {"tools_disabled": "own", "timed_out": "own"},
        [1],
    ]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("0.5", 0.5), ("7", 7.0), (None, 30.0), ("", 30.0), ("soon", 30.0)]
    + [(text, 30.0) for text in ("nan", "inf", "-inf", "0", "-3")],
)
def test_the_deadline_comes_from_the_environment(monkeypatch, value, seconds):
    """Unset or unusable means thirty seconds."""
    if value is not None:
        monkeypatch.setenv(TIMEOUT, value)
    assert converse_timeout_s() == seconds


def test_a_deadline_beyond_what_threads_can_wait_is_the_longest_wait(monkeypatch):
    """An absurd number is no crash."""
    monkeypatch.setenv(TIMEOUT, "1e300")
    assert scored().converse("?") == "ok"
