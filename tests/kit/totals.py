"""What scenarios came to under labels, made from literals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from wt_git.records.runs.saved_runs import SavedRun
from wt_git.reports.run_groups.groups import RunGroup
from wt_git.reports.run_groups.totals import scenario_totals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wt_git.records.documents.results import ScenarioTotals

VERDICTS = {"P": "PASS", "F": "FAIL", "I": "INVALID"}


def totals(
    label: str,
    runs: str = "P",
    *,
    scenario: str = "s",
    metrics: Sequence[Mapping[str, Any]] = (),
    **changed: Any,
) -> ScenarioTotals:
    """A scenario under `label`: `runs` has a letter for each, `P`, `F` or `I` for invalid."""
    reported = [*metrics, *({} for _ in runs[len(metrics) :])]
    saved = tuple(
        SavedRun(
            path=f"runs/{number}.json",
            run_id=str(number),
            scenario=scenario,
            label=label,
            started_at="2026-01-02T12:00:00+00:00",
            verdict=VERDICTS[letter],
            metrics=reported[number],
            failed_layers=(),
            diagnostic_failures=(),
            risk_weight=4,
            is_probe=False,
            origin=None,
        )
        for number, letter in enumerate(runs)
    )
    return replace(scenario_totals(RunGroup(saved, None)), **changed)
