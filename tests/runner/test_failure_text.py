"""What is said of the exception that broke a run."""

from __future__ import annotations

import importlib.util
import json
import re
from typing import TYPE_CHECKING

import pytest
from kit.agents import RecordingHandle, RecordingRuntime

from wt_git.api.scenario import Scenario
from wt_git.runner.batch import run_scenario
from wt_git.runner.safe_values import failure_text

if TYPE_CHECKING:
    from pathlib import Path

DRIVER = """
import json


def answer(messages, session_id):
    return {"content": {}["percent"]}


def through_a_library():
    json.dumps(object())
"""


@pytest.fixture
def driver(tmp_path: Path):
    """The module of somebody's driver."""
    path = tmp_path / "driver.py"
    path.write_text(DRIVER)
    spec = importlib.util.spec_from_file_location("driver", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def raised(call) -> Exception:
    try:
        call()
    except Exception as error:  # noqa: BLE001 - it is what the test is about
        return error
    raise AssertionError("it raised nothing")


def test_a_slip_says_what_it_was_and_where(driver):
    """The message of a missing key is the key alone: nobody would find it."""
    result = run_scenario(Scenario("a", "hi"), RecordingRuntime(RecordingHandle([driver.answer])))
    (run,) = result.runs
    assert run.trace.worker_warnings == ["runner_error: 'percent' (KeyError at driver.py:6)"]
    assert run.score.outcome.detail.endswith("'percent' (KeyError at driver.py:6)")


def test_the_place_is_the_author_s_line_and_not_that_of_a_library(driver):
    """What the standard library raised on the way down is no place to look at."""
    text = failure_text(raised(driver.through_a_library))
    assert text.endswith("is not JSON serializable (TypeError at driver.py:10)")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (RuntimeError("the model is gone"), "the model is gone (RuntimeError at PLACE)"),
        (ValueError("no such voice"), "no such voice (ValueError at PLACE)"),
        (TimeoutError(), "TimeoutError (at PLACE)"),
        (
            json.JSONDecodeError("Expecting value", "", 0),
            "Expecting value: line 1 column 1 (char 0) (JSONDecodeError at PLACE)",
        ),
        (
            ExceptionGroup("two", [KeyError("a"), ExceptionGroup("x", [OSError("full")])]),
            "two (2 sub-exceptions): KeyError: 'a'; OSError: full",
        ),
    ],
)
def test_what_reports_trouble_has_its_type_and_the_last_line_of_the_author(error, text):
    """Drivers are asked to raise with a sentence for people; a group shows its innermost causes."""

    def fail():
        raise error

    said = re.sub(r"test_failure_text\.py:\d+", "PLACE", failure_text(raised(fail)))
    assert said == text


def test_a_slip_that_came_from_nowhere_has_its_type():
    """An exception that nobody raised holds no place."""
    assert failure_text(KeyError("k")) == "'k' (KeyError)"
