"""Questions to the ledger, answered from its end (docs/files.md, "Ledger")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wt_git import files
from wt_git.records import layout

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def has_target(runs_dir: Path, target: str | None) -> bool:
    """Say whether the ledger holds a row of `target`; a recent one is found at once."""
    lines = files.read_lines_backwards(runs_dir / layout.LEDGER)
    return any(target_of_row(line.record) == target for line in lines)


def target_of_row(row: Mapping[str, Any]) -> str | None:
    """Return the target that a row recorded; None for rows of older writers."""
    experiment = row.get("experiment")
    parts = experiment.get("fingerprint_parts") if isinstance(experiment, dict) else None
    target = parts.get("target") if isinstance(parts, dict) else None
    return target if isinstance(target, str) else None


def trees_that_matter(runs_dir: Path) -> set[str]:
    """Return the trees of rows that can still explain a refusal.

    Per target these are the rows from the latest passing focused one on: what came before it can
    no longer be the pass that went stale.
    """
    kept: set[str] = set()
    settled: set[str | None] = set()
    for line in files.read_lines_backwards(runs_dir / layout.LEDGER):
        target = target_of_row(line.record)
        if target in settled:
            continue
        experiment = line.record.get("experiment")
        if not isinstance(experiment, dict):
            continue
        parts = experiment.get("fingerprint_parts")
        tree = parts.get("git_tree") if isinstance(parts, dict) else None
        if isinstance(tree, str):
            kept.add(tree)
        if experiment.get("tier") == "focused" and experiment.get("counts_as_failure") is False:
            settled.add(target)
    return kept
