"""From an exception to what a program is told of it: a code, facts, commands that help."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import click

from wt_git.api.json_values import json_value
from wt_git.errors import WindTunnelError
from wt_git.records.run_records import Failure
from wt_git.runner.foreign_values import safe_repr
from wt_git.sweep.loading import describe
from wt_git.text import shell_word

if TYPE_CHECKING:
    from collections.abc import Sequence

# How alike two names must be for one to be a slip of the other: one letter in five.
_LIKENESS = 0.8


def failure_of(error: BaseException, arguments: Sequence[str] = ()) -> Failure:
    """Return why `error` ended a command; `arguments` are the words behind `wt`, as typed."""
    match error:
        case WindTunnelError():
            return Failure(
                code=error.specific_code,
                message=error.message,
                facts=json_value(error.facts),
                commands=list(error.commands),
                retryable=error.retryable,
            )
        case click.ClickException():
            return _mistyped(error, arguments)
        case OSError():
            facts = {"reason": error.strerror or describe(error), "path": error.filename}
            return Failure(code="system-error", message=describe(error), facts=facts)
        case SystemExit():
            facts = {"exit": safe_repr(error.code), "arguments": list(arguments)}
            return Failure(code="foreign-exit", message=describe(error), facts=facts)
        case _:
            facts = {"error": type(error).__name__, "arguments": list(arguments)}
            return Failure(code="defect", message=describe(error), facts=facts)


def _mistyped(error: click.ClickException, arguments: Sequence[str]) -> Failure:
    asked: dict[str, object] = {"arguments": list(arguments)}
    commands: list[str] = []
    match error:
        case click.NoSuchOption():
            code = "unknown-option"
            near = list(error.possibilities or ())
            asked |= {"option": error.option_name, "near": near}
            alike = difflib.get_close_matches(error.option_name, near, cutoff=_LIKENESS)
            if len(alike) == 1:
                commands = [_put_right(arguments, error.option_name, alike[0])]
        case click.BadParameter():
            code = "option-value"
            asked |= {
                "option": error.param.opts[0] if error.param else error.param_hint,
                "problem": error.message,
            }
        case click.BadOptionUsage():
            code = "option-misused"
            asked |= {"option": error.option_name, "problem": error.message}
        case _:
            code = "usage"
    return Failure(code=code, message=error.format_message(), facts=asked, commands=commands)


def _put_right(arguments: Sequence[str], wrong: str, right: str) -> str:
    """Return the command as typed, with one option's name put right."""
    words = [
        right + word.removeprefix(wrong) if word == wrong or word.startswith(f"{wrong}=") else word
        for word in arguments
    ]
    return " ".join(["wt", *map(shell_word, words)])
