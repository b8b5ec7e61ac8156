"""The lines that hooks and `wt verify` print about evidence, for readers who may be new to the tool."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from wt_git.evidence.coverage.result import (
    RUNTIME_PLACEHOLDER,
    Covered,
    NotCovered,
    placeholder_meanings,
)
from wt_git.text import DECLARATION_OPTIONS, one_line, shortened_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wt_git.config import Gate
    from wt_git.evidence.coverage.stored_rows import AgentIdentity
    from wt_git.githooks.push_check import CheckedCommit

_SHOWN = 8
_MOST_SWEEPS = 3
_SHORT = 10
_NAME_LIMIT = 100


def covered_line(what: str, answer: Covered) -> str:
    """Return the one line that says by which evidence `what` is covered."""
    newest_first = [row.sweep_id for row in reversed(answer.rows)]
    sweeps = shortened_list(list(dict.fromkeys(newest_first)), most=_MOST_SWEEPS)
    asked = shortened_list(
        [_tested_agent(one) for one in answer.subjects], most=_MOST_SWEEPS, between="; "
    )
    failing = _each_once([row.name for row in answer.failing_rows])
    also = f"; failed there too, and passed: {failing}" if failing else ""
    return f"{what} is covered by {answer.rows[0].tier} evidence of sweep {sweeps} ({asked}){also}"


def _tested_agent(one: AgentIdentity) -> str:
    return (
        f"target {one_line(one.target or 'unknown', _NAME_LIMIT)}, "
        f"model {one_line(one.model or 'unknown', _NAME_LIMIT)}, "
        f"plugin {one_line(one.plugin or 'unknown', _NAME_LIMIT)}"
    )


def seen_lines(answer: NotCovered) -> list[str]:
    """Return what was seen, by name."""
    lines = [f"  seen: {reason.message}" for reason in answer.reasons]
    return [*lines, *(f"  note: {remark}" for remark in answer.remarks)]


def rule_line(gate: Gate) -> str:
    """Return what a policy asks for."""
    against = f" against {gate.runtime}" if gate.runtime else ""
    packs = f" of {_each_once(gate.packs)}" if gate.packs else ""
    where = "each pushed commit" if gate.commits == "each" else "what is pushed"
    tier = "a focused experiment" if gate.require == "focused" else "a regression"
    return f"  rule: {where} needs evidence of {tier}{against}{packs} on its very tree"


def suggested_commands(answer: NotCovered, gate: Gate, *, rebuildable: bool = False) -> list[str]:
    """Return the commands that would give the evidence, ready to paste.

    `rebuildable`: there is a runs directory, whose sweeps may have left no notes.
    """
    hints = [hint for reason in answer.reasons for hint in reason.hints]
    if not any(hint.startswith("wt run") for hint in hints):
        packs = [f"--pack={pack}" for pack in gate.packs]
        words = ["wt", "run", *packs, f"--runtime={gate.runtime or RUNTIME_PLACEHOLDER}"]
        hints.insert(0, f"{shlex.join(words)} {DECLARATION_OPTIONS}")
    unexplained = {reason.code for reason in answer.reasons} & {"no-notes", "no-evidence"}
    if rebuildable and unexplained:
        hints.append("wt notes rebuild")
    # Who pushes has just worked here: most likely nobody ran it, rather than nobody fetched it.
    hints.sort(key=lambda hint: not hint.startswith("wt run"))
    return list(dict.fromkeys(hints))


def command_lines(found: Sequence[str]) -> list[str]:
    """Return commands as lines: the first is to be run, each other one may help instead."""
    lines = [f"  {'or' if number else 'run'}: {one}" for number, one in enumerate(found)]
    return [*lines, *(f"  where {said}" for said in placeholder_meanings(found))]


def _each_once(names: Sequence[str]) -> str:
    """Return foreign names for a sentence, each once and made inert."""
    return shortened_list(
        [one_line(name, _NAME_LIMIT) for name in dict.fromkeys(names)], most=_SHOWN
    )


def commit_name(judgement: CheckedCommit) -> str:
    """Return a pushed commit as people know it: branch, id, subject."""
    subject = one_line(judgement.commit.subject, 60)
    return f"{judgement.pushed.branch} at {judgement.commit.short} ({subject})"


def accepted_lines(judgements: Sequence[CheckedCommit]) -> list[str]:
    """Return a line for each covered commit, and what else is worth knowing about it."""
    lines = []
    for one in judgements:
        if isinstance(one.answer, Covered):
            lines.append(covered_line(commit_name(one), one.answer))
            lines += [f"  note: {remark}" for remark in one.answer.remarks]
    return lines


def refusal_lines(
    refused: Sequence[CheckedCommit],
    *,
    rebuildable: bool = False,
    first: Sequence[str] | None = None,
) -> list[str]:
    """Return the lines that refuse a push: which rule, what was seen, and what to run.

    `first` is what has to be done before an experiment is about the refused commit, None where that
    is not known.
    """
    lines = []
    for one in refused[:_SHOWN]:
        assert isinstance(one.answer, NotCovered)
        gate = one.settings.gate
        lines += [f"refused: {commit_name(one)} has no evidence that counts", rule_line(gate)]
        lines += seen_lines(one.answer)
        lines += [f"  first: {step}" for step in first or ()]
        run_this = suggested_commands(one.answer, gate, rebuildable=rebuildable)
        lines += command_lines(run_this)
    if len(refused) > _SHOWN:
        lines.append(f"refused: {len(refused) - _SHOWN} more commits have no evidence that counts")
    if first is None:
        lines.append(
            "what is run must be what is pushed: commit or undo other edits first, or check that "
            "commit out"
        )
    return lines


def trailer_value(answer: Covered) -> str:
    """Return the value of the trailer of a commit with this evidence."""
    row = answer.rows[-1]
    return f"{row.tier} evidence of sweep {row.sweep_id}, recorded {row.ts}"
