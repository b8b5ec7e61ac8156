"""What a sweep is for, and whether it came out as predicted."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from wt_git.errors import UsageError
from wt_git.ladder.declaration import Declaration, check_declared, prediction_held


def _check(
    declaration: Declaration, *, has_history: bool = True, command: str = "wt run --scenario s"
) -> None:
    check_declared(
        declaration,
        has_history=has_history,
        tier="focused",
        runs_dir=Path("my runs"),
        command=command,
    )


def test_the_first_sweep_into_a_directory_needs_no_question() -> None:
    """A fresh baseline, or CI on a clean checkout."""
    _check(Declaration(), has_history=False)


def test_history_asks_for_a_question_and_an_expectation() -> None:
    """Both given is enough; the plan is optional."""
    _check(Declaration(question="why?", expect="fail"))


@pytest.mark.parametrize(
    ("declaration", "missing"),
    [
        (Declaration(), ["--question", "--expect"]),
        (Declaration(question="why?"), ["--expect"]),
        (Declaration(expect="pass"), ["--question"]),
        (Declaration(question=" \t\n", expect="pass"), ["--question"]),
        (Declaration(question="", expect="pass"), ["--question"]),
    ],
)
def test_what_is_missing_is_named_and_completed(
    declaration: Declaration, missing: list[str]
) -> None:
    """The refusal names the directory and the tier, and the command with what it lacks."""
    with pytest.raises(UsageError) as caught:
        _check(declaration)
    error = caught.value
    assert error.specific_code == "undeclared"
    assert "'my runs'" in error.message
    assert "focused" in error.message
    assert "--question" in error.message
    assert "--expect" in error.message
    assert error.facts["missing"] == missing
    (command,) = error.commands
    words = shlex.split(command)
    assert words[:4] == ["wt", "run", "--scenario", "s"]
    assert [word for word in words[4:] if word.startswith("--")] == missing


@pytest.mark.parametrize("blank", [["--question", " "], ["--question="], ["--question= \t"]])
def test_a_blank_question_is_not_in_the_command_that_asks_for_one(blank: list[str]) -> None:
    """It would stand there beside the real one, and look like part of the advice."""
    typed = shlex.join(["wt", "run", *blank, "--expect", "pass", "--label", "--question"])
    with pytest.raises(UsageError) as caught:
        _check(Declaration(question=" ", expect="pass"), command=typed)
    (command,) = caught.value.commands
    assert command == 'wt run --expect pass --label --question --question "…"'


@pytest.mark.parametrize(
    ("expect", "passed", "held"),
    [
        ("pass", True, True),
        ("pass", False, False),
        ("fail", True, False),
        ("fail", False, True),
        (None, True, None),
        (None, False, None),
    ],
)
def test_a_prediction_is_about_the_exit_code(expect, held, *, passed: bool) -> None:
    """Whatever caused a failure; without a prediction there is nothing to hold."""
    assert prediction_held(expect, passed=passed) is held
