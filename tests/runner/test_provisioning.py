"""The serialised handle: one call at a time, and no wait without an end."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from kit.agents import RecordingHandle, says

from wt_git.runner.provisioning import (
    HandleStuckError,
    SerialisedHandle,
    consumes_full_history,
    path_attribute,
)
from wt_git.spi import AgentHandle


class Slow(RecordingHandle):
    """Answers only when it is told to."""

    def __init__(self):
        super().__init__()
        self.entered = threading.Event()
        self.released = threading.Event()

    def send(self, messages, session_id):
        self.log.append("send begins")
        self.entered.set()
        self.released.wait(60)
        self.log.append("send ends")
        return says("late")


def abandoned(handle, session="s"):
    """A turn somebody gave up on, still running on a thread of its own."""
    failures = []

    def turn():
        try:
            handle.send([], session)
        except RuntimeError as error:
            failures.append(error)

    thread = threading.Thread(target=turn, daemon=True)
    thread.start()
    return thread, failures


def test_everything_but_the_three_calls_passes_through():
    """Attributes, methods and their absence."""
    raw = RecordingHandle(attributes={"workspace_dir": "/work"})
    handle = SerialisedHandle(raw, lambda: 60)
    assert isinstance(handle, AgentHandle)
    assert handle.workspace_dir == "/work"
    assert handle.sent is raw.sent
    assert not hasattr(handle, "describe_surface")
    assert handle.send([{"role": "user", "content": "hi"}], "s") == says("ok")
    handle.reset_state()
    handle.teardown()
    assert raw.log == ["send", "reset_state", "teardown"]


@pytest.mark.parametrize("call", ["reset_state", "teardown"])
def test_a_late_answer_lands_before_the_next_call(call):
    """The effects of an abandoned turn do not cross a reset."""
    raw = Slow()
    handle = SerialisedHandle(raw, lambda: 60)
    thread, _ = abandoned(handle)
    assert raw.entered.wait(60)
    threading.Timer(0.02, raw.released.set).start()
    getattr(handle, call)()
    thread.join()
    assert raw.log == ["send begins", "send ends", call]


@pytest.mark.parametrize("call", ["send", "reset_state", "teardown"])
def test_a_turn_that_never_ends_makes_the_agent_unusable(call):
    """The wait is bounded; afterwards every call is refused at once."""
    raw = Slow()
    handle = SerialisedHandle(raw, lambda: 0.02)
    abandoned(handle)
    assert raw.entered.wait(60)
    arguments = ([], "s") if call == "send" else ()
    with pytest.raises(HandleStuckError, match=f"{call} could not be called"):
        getattr(handle, call)(*arguments)
    assert handle.is_stuck
    raw.released.set()
    for method in (handle.reset_state, handle.teardown):
        with pytest.raises(HandleStuckError):
            method()
    assert call not in raw.log


@pytest.mark.parametrize("call", ["reset_state", "teardown"])
def test_a_turn_still_waiting_at_a_reset_is_never_sent(call):
    """Two questions are abandoned; the second, which waited for the first, belongs to a session
    that is gone by the time its turn comes."""
    raw = Slow()
    waiting, was_reset = threading.Event(), threading.Event()

    def patience_s():
        waiting.set()
        was_reset.wait(60)
        return 60

    handle = SerialisedHandle(raw, patience_s)
    first, _ = abandoned(handle)
    assert raw.entered.wait(60)
    second, failures = abandoned(handle)
    assert waiting.wait(60)
    raw.released.set()
    first.join()
    getattr(handle, call)()
    was_reset.set()
    second.join()
    assert raw.log == ["send begins", "send ends", call]
    (failure,) = failures
    assert "reset before this turn" in str(failure)


@pytest.mark.parametrize("value", [None, "", 3, object(), ["a"]])
def test_a_workspace_that_is_no_path_counts_as_absent(value):
    """As does a missing one, and one whose property raises."""

    class Raising:
        @property
        def workspace_dir(self):
            raise OSError("not yet")

    handle = RecordingHandle(attributes={"workspace_dir": value})
    assert path_attribute(handle, "workspace_dir") is None
    assert path_attribute(RecordingHandle(), "workspace_dir") is None
    assert path_attribute(Raising(), "workspace_dir") is None


@pytest.mark.parametrize("value", ["/work", Path("/work"), b"/work"])
def test_every_path_like_workspace_is_a_path(value):
    """Text, path object or bytes."""
    handle = RecordingHandle(attributes={"workspace_dir": value})
    assert path_attribute(handle, "workspace_dir") == Path("/work")


def test_history_is_delivered_unless_a_handle_says_it_is_not():
    """On the class or on the instance."""
    assert consumes_full_history(RecordingHandle())
    no = RecordingHandle(attributes={"_windtunnel_consumes_full_history": False})
    assert not consumes_full_history(SerialisedHandle(no, lambda: 60))
