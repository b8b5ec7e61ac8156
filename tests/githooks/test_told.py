"""Answers for somebody at a terminal: short, however much stands on a tree."""

from __future__ import annotations

from kit.evidence_rows import TREE, notes, parts, row, sweep

from wt_git.evidence.coverage.evidence_trees import EvidenceTree
from wt_git.evidence.coverage.result import Covered
from wt_git.evidence.coverage.rules import CommitEvidence, check_coverage
from wt_git.evidence.policy import Policy
from wt_git.githooks.push_messages import covered_line


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
