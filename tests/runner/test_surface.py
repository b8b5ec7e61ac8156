"""The prompt surface: what is kept, and that it never breaks a run."""

from __future__ import annotations

import pytest
from kit.agents import RecordingHandle, RecordingRuntime, SurfaceHandle

from wt_git.api.scenario import Scenario
from wt_git.runner.batch import run_scenario

LISTS = {"system_instructions": [], "tool_definitions": [], "extra_segments": []}


def surface_of(offered, handle_class=SurfaceHandle):
    """The surface and warnings of one run on a handle that offers this."""
    handle = handle_class()
    handle.surface = offered
    (run,) = run_scenario(Scenario("a", "hi"), RecordingRuntime(handle)).runs
    assert run.score.outcome.passed
    return run.trace.surface, run.trace.worker_warnings


@pytest.mark.parametrize(
    "block",
    [{"status": "reported", **LISTS}, {"status": "rendered", **LISTS}, {"status": "unavailable"}],
)
def test_a_conforming_block_is_kept_as_a_copy(block):
    """What the handle changes later is not what the model was given."""
    surface, warnings = surface_of(block)
    assert surface == block
    assert surface is not block
    assert warnings == []


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ({"status": "invalid", "detail": "no list"}, "surface_invalid: no list"),
        ({"status": "invalid"}, "surface_invalid: unspecified"),
        ({"status": "invalid", "detail": ""}, "surface_invalid: unspecified"),
    ],
)
def test_a_block_the_driver_found_invalid_is_kept_with_a_warning(block, said):
    """The driver has dropped the payload itself."""
    assert surface_of(block) == (block, [said])


@pytest.mark.parametrize(
    ("offered", "said"),
    [
        (ValueError("boom"), "ValueError: boom"),
        ("secret prompt", "str"),
        (None, "NoneType"),
        ({"secret": "prompt"}, "status"),
        ({"status": 3, "secret": "prompt"}, "status"),
        ({"status": "reported", "secret": object()}, "not JSON"),
        ({"status": "reported", "secret": float("nan")}, "not JSON"),
    ],
)
def test_anything_else_becomes_invalid_and_is_not_kept(offered, said):
    """The malformed payload appears neither in the block nor in the warning."""
    surface, (warning,) = surface_of(offered)
    assert set(surface) == {"status", "detail"}
    assert surface["status"] == "invalid"
    assert said in surface["detail"]
    assert warning == f"surface_invalid: {surface['detail']}"
    assert "secret" not in warning


def test_a_handle_without_a_surface_has_none():
    """So has one whose attribute is no method, or raises when it is looked up."""

    class NotCallable(RecordingHandle):
        describe_surface = "none"

    class Raising(RecordingHandle):
        @property
        def describe_surface(self):
            raise OSError("not yet")

    for handle_class in (RecordingHandle, NotCallable, Raising):
        assert surface_of(None, handle_class) == (None, [])
