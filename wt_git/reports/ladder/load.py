"""Reading what the totals of the ladder are made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import UsageError
from wt_git.json_lines import LineReport
from wt_git.records import layout
from wt_git.records.finished_sweeps import newest_first
from wt_git.records.reading import missing_directory, passed_over, readable_records
from wt_git.reports.ladder.totals import ladder_results

if TYPE_CHECKING:
    from pathlib import Path

    from wt_git.records.ladder_results import LadderResults


class LoadedLadder(NamedTuple):
    """The totals, and sentences about what they leave out."""

    document: LadderResults
    remarks: tuple[str, ...]


def load_ladder(runs_dir: Path) -> LoadedLadder:
    """Return the totals of the sweeps that ended in `runs_dir`. Raises `UsageError` without any."""
    report = LineReport()
    with readable_records():
        found = ladder_results(newest_first(runs_dir, report), str(runs_dir))
    if found is None:
        where = f" in '{runs_dir}'" if runs_dir.is_dir() else f": {missing_directory(runs_dir)}"
        raise UsageError(
            f"no finished sweeps recorded{where}",
            hints=passed_over(report.skipped, layout.EXPERIMENTS),
            code="no-finished-sweeps",
            facts={"runs_dir": str(runs_dir)},
        )
    return LoadedLadder(found, passed_over(report.skipped, layout.EXPERIMENTS))
