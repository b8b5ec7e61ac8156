"""What failed, by its risk, and what passed only sometimes. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.records.report import Failure, Flaky
from wt_git.reports.counted.totals import scenario_totals, valid_runs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wt_git.reports.report.scored_groups import ScoredGroup

_PASS = "PASS"  # noqa: S105 - a verdict


def failures(scored: Iterable[tuple[str, ScoredGroup]]) -> list[Failure]:
    """Return the groups whose verdict is not `PASS`, each with the name of its row.

    The one with the highest risk is the first; what is invalid is no risk, and comes last.
    """
    found = [_failure(name, of) for name, of in scored if of.verdict != _PASS]
    return sorted(found, key=lambda one: (-one.failure_risk, one.name, one.label))


def _failure(name: str, scored: ScoredGroup) -> Failure:
    totals = scenario_totals(scored.group)
    failed = scored.failure
    return Failure(
        scenario_id=totals.scenario_id,
        name=name,
        label=totals.label,
        verdict=scored.verdict,
        failure_risk=scored.failure_risk,
        severity=scored.sample.cost.severity,
        runs=totals.runs,
        passed=totals.passed,
        interval=totals.interval,
        run_id=None if failed is None else failed.run_id,
        decided_by=[] if failed is None else list(failed.decided_by),
        detail="" if failed is None else failed.detail,
    )


def flaky(scored: Iterable[tuple[str, ScoredGroup]]) -> list[Flaky]:
    """Return the groups of whose valid runs some passed and some did not, the most even first."""
    found = [one for name, of in scored if (one := _flaky(name, of)) is not None]
    return sorted(found, key=lambda one: (abs(one.pass_rate - 0.5), one.name, one.label))


def _flaky(name: str, scored: ScoredGroup) -> Flaky | None:
    totals = scenario_totals(scored.group)
    valid = valid_runs(passed=totals.passed, runs=totals.runs, invalid=totals.invalid)
    if valid is None or not 0 < valid.passed < valid.runs:
        return None
    return Flaky(
        scenario_id=totals.scenario_id,
        name=name,
        label=totals.label,
        runs=valid.runs,
        passed=valid.passed,
        pass_rate=valid.rate,
        interval=totals.interval,
    )
