"""Questions to the ledger, answered from its end (docs/files.md, "Ledger")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git import files
from wt_git.records import layout
from wt_git.records.gate_rows import GateRow, gate_row

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal
    from pathlib import Path

    from wt_git.records.gate_rows import ScenarioId


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCost:
    """What one earlier row took, all its runs together."""

    runs: int
    wall_s: float
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    tokens_known: bool
    tier: str | None


class Ledger:
    """The ledger of a runs directory, read whole at every question."""

    def __init__(self, runs_dir: Path) -> None:
        self._runs_dir = runs_dir
        self.skipped = 0

    def _records(self) -> list[dict[str, Any]]:
        report = files.LineReport()
        found = [line.record for line in files.read_lines(self._runs_dir / layout.LEDGER, report)]
        self.skipped = report.skipped
        return found

    def has_rows(self) -> bool:
        """Say whether there is any row."""
        return bool(self._records())

    def has_target(self, target: str) -> bool:
        """Say whether there is a row of `target`."""
        return any(row.target == target for row in self._rows())

    def _rows(self) -> list[GateRow]:
        return [row for record in self._records() if (row := gate_row(record)) is not None]

    def gate_rows(self, target: str, fingerprint: str) -> list[GateRow]:
        """Return what the gate needs."""
        del fingerprint
        return [row for row in self._rows() if row.target == target]

    def spent(
        self, scenario: ScenarioId, target: str, model: str | None, limit: int = 20
    ) -> list[PastCost]:
        """Return what the scenario took, newest first."""
        del scenario, target, model, limit
        return []

    def highest_cost_per_run(self, scenario: ScenarioId, model: str | None) -> Decimal | None:
        """Return the largest known cost of one run."""
        del scenario, model
        return None

    def trees_that_matter(self) -> set[str]:
        """Return the trees that can still explain a refusal."""
        return trees_that_matter(self._runs_dir)
