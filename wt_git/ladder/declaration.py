"""The declaration of a sweep: its question and expected outcome.

Rules: docs/ladder.md, "Question and expectation".
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.records.sweep_records import Expectation, SweepRecord, Tier


class Declaration(NamedTuple):
    """The question, the expected outcome, and what the user plans for either outcome."""

    question: str | None = None
    expect: Expectation | None = None
    if_pass: str | None = None
    if_fail: str | None = None


def missing_of(declaration: Declaration) -> list[str]:
    """Return the missing options of a declaration, with values to fill in."""
    question = declaration.question is not None and declaration.question.strip()
    options = {
        '--question "…"': not question,
        "--expect pass": declaration.expect is None,
    }
    return [option for option, lacks in options.items() if lacks]


def check_declared(
    declaration: Declaration, *, has_history: bool, tier: Tier, runs_dir: Path, command: str
) -> None:
    """Raise `UsageError` when a sweep into a directory with history has no declaration.

    `command` is the command as typed; the error contains it with the missing options added.
    """
    missing = missing_of(declaration)
    if not has_history or not missing:
        return
    completed = " ".join([_without_blank_question(command), *missing])
    raise UsageError(
        f"the runs directory '{runs_dir}' has history, so this {tier} sweep has to say what it is "
        "for: --question with what you want to find out, and --expect with pass or fail, what you "
        "think will come out",
        code="undeclared",
        facts={
            "runs_dir": str(runs_dir),
            "tier": tier,
            "missing": [option.split()[0] for option in missing],
        },
        hints=(completed,),
        commands=(completed,),
    )


def _without_blank_question(command: str) -> str:
    words = shlex.split(command)
    kept: list[str] = []
    while words:
        word = words.pop(0)
        if word == "--question" and words and not words[0].strip():
            words.pop(0)
        elif not (word.startswith("--question=") and not word.partition("=")[2].strip()):
            kept.append(word)
    return shlex.join(kept)


def prediction_held(expect: Expectation | None, *, passed: bool) -> bool | None:
    """Return whether the outcome is the expected one, None if none was expected."""
    return None if expect is None else (expect == "pass") == passed


def prediction_line(record: SweepRecord) -> str | None:
    """Return a sentence about the prediction of a sweep that ended, None if it had none."""
    if record.prediction_held is None:
        return None
    held = "held" if record.prediction_held else "MISSED"
    return f"prediction {held}: expected {record.expect}, got {record.outcome}"


def plan_line(record: SweepRecord) -> str | None:
    """Return the plan for the outcome that came, None if there was none."""
    plan = record.if_pass if record.outcome == "pass" else record.if_fail
    return f"you planned, on this outcome: {plan}" if plan else None
