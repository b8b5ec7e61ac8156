"""What a program is told of an exception that no rule foresaw."""

from __future__ import annotations

import click
import pytest

from wt_git.cli.run.records import failure_of
from wt_git.errors import BusyError, UsageError, WindTunnelError


class MuteError(Exception):
    """It cannot say what it is about."""

    def __str__(self) -> str:
        return str(1 / 0)


@pytest.mark.parametrize(
    ("error", "code", "fact"),
    [
        (PermissionError(13, "Permission denied", "x"), "system-error", {"path": "x"}),
        (SystemExit(3), "foreign-exit", {"exit": "3"}),
        (KeyError("x"), "defect", {"error": "KeyError"}),
        (MuteError(), "defect", {"error": "MuteError"}),
        (click.UsageError("what?"), "usage", {"arguments": ["run", "--x"]}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_whatever_ends_a_command_has_a_code_and_facts(error, code, fact):
    """Nobody can try it again with another outcome."""
    failure = failure_of(error, ["run", "--x"])
    assert (failure.code, failure.retryable, failure.commands) == (code, False, [])
    assert fact.items() <= failure.facts.items()
    assert failure.message


def test_facts_that_json_cannot_hold_do_not_cost_the_record():
    """They are there as text."""
    error = UsageError("no", facts={"limit": float("inf"), "value": {1}, "of": (1, 2)})
    assert failure_of(error).facts == {"limit": "inf", "value": "{1}", "of": [1, 2]}


def test_one_error_may_differ_from_its_class():
    """Whether trying again can help is the class's word, or the error's own."""
    assert not WindTunnelError("x").retryable
    assert WindTunnelError("x", retryable=True).retryable
    assert BusyError("x").retryable
    assert not failure_of(BusyError("x", retryable=False)).retryable
