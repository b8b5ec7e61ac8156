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
_NAME_LIMIT = 100


def covered_line(subject: str, result: Covered) -> str:
    """Return the line that names the evidence for `subject`."""
    newest_first = [row.sweep_id for row in reversed(result.rows)]
    sweeps = shortened_list(list(dict.fromkeys(newest_first)), most=_MOST_SWEEPS)
    asked = shortened_list(
        [_tested_agent(one) for one in result.agents], most=_MOST_SWEEPS, between="; "
    )
    failing = _each_once([row.name for row in result.failing_rows])
    also = f"; failed there too, and passed: {failing}" if failing else ""
    return (
        f"{subject} is covered by {result.rows[0].tier} evidence of sweep {sweeps} ({asked}){also}"
    )


def _tested_agent(one: AgentIdentity) -> str:
    return (
        f"target {one_line(one.target or 'unknown', _NAME_LIMIT)}, "
        f"model {one_line(one.model or 'unknown', _NAME_LIMIT)}, "
        f"plugin {one_line(one.plugin or 'unknown', _NAME_LIMIT)}"
    )


def seen_lines(result: NotCovered) -> list[str]:
    """Return the lines with the reasons and remarks."""
    lines = [f"  seen: {reason.message}" for reason in result.reasons]
    return [*lines, *(f"  note: {remark}" for remark in result.remarks)]


def rule_line(gate: Gate) -> str:
    """Return the line with the requirement of a policy."""
    against = f" against {gate.runtime}" if gate.runtime else ""
    packs = f" of {_each_once(gate.packs)}" if gate.packs else ""
    where = "each pushed commit" if gate.commits == "each" else "a pushed branch"
    tier = "a focused experiment" if gate.require == "focused" else "a regression"
    return f"  rule: {where} needs evidence of {tier}{against}{packs} on exactly its tree"


def suggested_commands(result: NotCovered, gate: Gate, *, rebuildable: bool = False) -> list[str]:
    """Return the commands that may produce the evidence, ready to paste.

    `rebuildable`: there is a runs directory, with sweeps that may have no notes.
    """
    hints = [hint for reason in result.reasons for hint in reason.hints]
    if not any(hint.startswith("wt run") for hint in hints):
        packs = [f"--pack={pack}" for pack in gate.packs]
        words = ["wt", "run", *packs, f"--runtime={gate.runtime or RUNTIME_PLACEHOLDER}"]
        hints.insert(0, f"{shlex.join(words)} {DECLARATION_OPTIONS}")
    unexplained = {reason.code for reason in result.reasons} & {"no-notes", "no-evidence"}
    if rebuildable and unexplained:
        hints.append("wt notes rebuild")
    # The user has just worked here: a missing experiment is more likely than a missing fetch.
    hints.sort(key=lambda hint: not hint.startswith("wt run"))
    return list(dict.fromkeys(hints))


def command_lines(found: Sequence[str]) -> list[str]:
    """Return the commands as lines: one to run, and alternatives to it."""
    lines = [f"  {'or' if number else 'run'}: {one}" for number, one in enumerate(found)]
    return [*lines, *(f"  where {said}" for said in placeholder_meanings(found))]


def _each_once(names: Sequence[str]) -> str:
    """Return a list of names from notes, each once, with control characters escaped."""
    return shortened_list(
        [one_line(name, _NAME_LIMIT) for name in dict.fromkeys(names)], most=_SHOWN
    )


def commit_name(checked: CheckedCommit) -> str:
    """Return branch, short id and subject of a pushed commit."""
    subject = one_line(checked.commit.subject, 60)
    return f"{checked.pushed.branch} at {checked.commit.short} ({subject})"


def accepted_lines(commits: Sequence[CheckedCommit]) -> list[str]:
    """Return a line for each covered commit, and the remarks about it."""
    lines = []
    for one in commits:
        if isinstance(one.result, Covered):
            lines.append(covered_line(commit_name(one), one.result))
            lines += [f"  note: {remark}" for remark in one.result.remarks]
    return lines


def refusal_lines(
    refused: Sequence[CheckedCommit],
    *,
    rebuildable: bool = False,
    first: Sequence[str] | None = None,
) -> list[str]:
    """Return the lines that refuse a push: the rule, the reasons, and the commands to run.

    `first` are the steps after which an experiment tests the refused commit; None if not known.
    """
    lines = []
    for one in refused[:_SHOWN]:
        assert isinstance(one.result, NotCovered)
        gate = one.settings.gate
        lines += [f"refused: {commit_name(one)} has no evidence that counts", rule_line(gate)]
        lines += seen_lines(one.result)
        lines += [f"  first: {step}" for step in first or ()]
        run_this = suggested_commands(one.result, gate, rebuildable=rebuildable)
        lines += command_lines(run_this)
    if len(refused) > _SHOWN:
        lines.append(f"refused: {len(refused) - _SHOWN} more commits have no evidence that counts")
    if first is None:
        lines.append(
            "an experiment must test the pushed commit: commit or undo other edits first, or check "
            "that commit out"
        )
    return lines
