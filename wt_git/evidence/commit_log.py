"""The document of `wt log`: commits with the rows recorded on their trees."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from wt_git.clock import whole_seconds
from wt_git.errors import ConfigurationError
from wt_git.evidence.coverage.checker import CoverageChecker
from wt_git.evidence.coverage.result import Covered
from wt_git.records.documents.log import CommitLog, LoggedCommit, LoggedRow

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pygit2

    from wt_git.evidence.coverage.evidence_trees import NotesSource
    from wt_git.evidence.coverage.row_rules import CheckedRow
    from wt_git.git.history import CommitFacts


def commit_log(
    repository: pygit2.Repository,
    view: NotesSource,
    commits: Iterable[CommitFacts],
    *,
    limit: int | None,
    scenario: str | None = None,
) -> CommitLog:
    """Return the log of the first `limit` of `commits`.

    With `scenario` (`name` or `pack/name`), only its rows, and only commits that have some. Raises
    `GitError`.
    """
    checker = CoverageChecker(repository, view, explain=False)
    skipped: set[bytes] = set()
    logged = (_logged(checker, one, scenario, skipped) for one in commits)
    wanted = (one for one in logged if scenario is None or one.rows)
    found = list(itertools.islice(wanted, limit))
    return CommitLog(commits=found, cut=bool(checker.history.shallow_commits), skipped=len(skipped))


def _logged(
    checker: CoverageChecker, commit: CommitFacts, scenario: str | None, skipped: set[bytes]
) -> LoggedCommit:
    try:
        covered = isinstance(checker.commit(commit.id), Covered)
    except ConfigurationError:  # an old commit, whose tables this version refuses
        covered = False
    rows = checker.recorded(commit.id, skipped)
    return LoggedCommit(
        commit=commit.id,
        time=whole_seconds(commit.time),
        title=commit.subject,
        covered=covered,
        rows=[
            _row(one)
            for one in sorted(rows, key=_order)
            if scenario is None or scenario in {one.row.scenario_id, one.row.name}
        ],
    )


def _order(one: CheckedRow) -> tuple[str, str, str, bytes]:
    return (one.row.ts, one.row.sweep_id, one.row.name, one.row.raw)


def _row(one: CheckedRow) -> LoggedRow:
    row = one.row
    tokens = [row.cost.input_tokens, row.cost.output_tokens]
    held = {sweep.prediction_held for sweep in one.sweeps}
    return LoggedRow(
        sweep_id=row.sweep_id,
        ts=row.ts,
        pack=row.pack,
        scenario=row.scenario_id,
        tier=row.tier,
        verdict=row.verdict,
        passed=row.passed,
        runs=row.runs,
        wall_s=_float(row.cost.wall_s),
        tokens=None if None in tokens else int(sum(one or 0 for one in tokens)),
        usd=_float(row.dollars),
        expect=row.experiment.expect,
        prediction_held=held.pop() if len(held) == 1 else None,
    )


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)
