"""Answers for somebody at a terminal: short, however much stands on a tree."""

from __future__ import annotations

import pytest
from kit.evidence_rows import TREE, notes, parts, row, sweep

from wt_git.config import Gate
from wt_git.evidence.coverage.evidence_trees import EvidenceTree
from wt_git.evidence.coverage.result import Covered, NotCovered, Reason
from wt_git.evidence.coverage.rules import CommitEvidence, check_coverage
from wt_git.evidence.policy import Policy
from wt_git.githooks.push_messages import (
    command_lines,
    covered_line,
    rule_line,
    seen_lines,
    suggested_commands,
)
from wt_git.text import DECLARATION_OPTIONS


def told(count: int, *, models: int = 1) -> str:
    """What is said after `count` sweeps, a minute apart, the newest with the highest id."""
    records = []
    for number in range(count):
        of, ts = f"{number:012x}", f"2026-01-02T{number // 60:02}:{number % 60:02}:00Z"
        about = parts(model=f"m{number % models}")
        records += [row(sweep=of, ts=ts, fingerprint_parts=about), sweep(of, ts=ts)]
    filed = CommitEvidence(
        commit="c" * 40, trees=[EvidenceTree(TREE)], notes={TREE: notes(*records)}
    )
    answer = check_coverage(filed, Policy())
    assert isinstance(answer, Covered)
    return covered_line("main", answer)


def test_the_sweeps_of_a_covered_commit_are_named() -> None:
    """The newest first."""
    assert told(2).startswith(
        "main is covered by focused evidence of sweep 000000000001, 000000000000 (target "
    )


def test_of_many_sweeps_and_subjects_the_newest_are_named_and_the_rest_is_counted() -> None:
    """A tree that was tested for weeks must not fill the screen with each push."""
    line = told(500, models=50)
    assert "of sweep 0000000001f3, 0000000001f2, 0000000001f1 and 497 more (target " in line
    assert "; and 47 more)" in line
    assert len(line) < 600


def test_a_failure_beside_a_pass_is_named() -> None:
    """Each scenario once."""
    failing = [row(sweep=of, verdict="FAIL") for of in ("b" * 12, "c" * 12)]
    records = [row(), sweep(), *failing, sweep("b" * 12), sweep("c" * 12)]
    filed = CommitEvidence(
        commit="c" * 40, trees=[EvidenceTree(TREE)], notes={TREE: notes(*records)}
    )
    found = check_coverage(filed, Policy())
    assert isinstance(found, Covered)
    line = covered_line("main", found)
    assert line.endswith("plugin unknown); failed there too, and passed: orders/refund")


@pytest.mark.parametrize(
    ("gate", "rule"),
    [
        (Gate(), "a pushed branch needs evidence of a focused experiment on "),
        (Gate(commits="each"), "each pushed commit needs evidence of a focused experiment on "),
        (Gate(require="regression"), "a pushed branch needs evidence of a regression on "),
        (
            Gate(runtime="agent", packs=("a", "b", "a")),
            "evidence of a focused experiment against agent of a, b on ",
        ),
    ],
)
def test_the_rule_is_what_the_policy_asks_for(gate: Gate, rule: str) -> None:
    """Tier, runtime and packs, as far as it names them."""
    assert rule_line(gate).startswith("  rule: ")
    assert rule in rule_line(gate)


def missing(*reasons: Reason, remarks: tuple[str, ...] = ()) -> NotCovered:
    return NotCovered(commit="c" * 40, tree=TREE, reasons=reasons, remarks=remarks)


def test_reasons_and_remarks_are_lines() -> None:
    """In their order."""
    found = missing(
        Reason(code="a", message="one"), Reason(code="b", message="two"), remarks=("x",)
    )
    assert seen_lines(found) == ["  seen: one", "  seen: two", "  note: x"]


def test_an_experiment_is_suggested_first() -> None:
    """Its own hint, or one by the policy; the others may help instead, each once."""
    none = missing(Reason(code="no-notes", message="", hints=("wt verify --fetch",)))
    stale = missing(
        Reason(code="stale-evidence", message="", hints=("git fetch", "wt run --pack=a")),
        Reason(code="other", message="", hints=("git fetch",)),
    )
    gate = Gate(runtime="agent", packs=("a", "b"))
    assert suggested_commands(none, gate) == [
        f"wt run --pack=a --pack=b --runtime=agent {DECLARATION_OPTIONS}",
        "wt verify --fetch",
    ]
    assert suggested_commands(none, Gate())[0].startswith("wt run --runtime=RUNTIME ")
    assert suggested_commands(stale, gate) == ["wt run --pack=a", "git fetch"]
    assert suggested_commands(stale, gate, rebuildable=True) == ["wt run --pack=a", "git fetch"]
    assert suggested_commands(none, gate, rebuildable=True)[1:] == [
        "wt verify --fetch",
        "wt notes rebuild",
    ]


def test_commands_are_lines_with_what_their_placeholders_mean() -> None:
    """The first is to be run."""
    lines = command_lines(["wt run --pack=PACK", "git fetch"])
    assert lines[:2] == ["  run: wt run --pack=PACK", "  or: git fetch"]
    assert len(lines) == 3
    assert lines[2].startswith("  where PACK is ")
