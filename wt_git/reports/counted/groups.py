"""Which runs count: those of a scenario's latest row under a label (docs/files.md, "Results")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wt_git.records.result_rows import ResultRow
    from wt_git.records.saved_runs import SavedRun


@dataclass(frozen=True, slots=True)
class Group:
    """The runs that count, by their start, and the row that they are of, if there is one."""

    runs: tuple[SavedRun, ...]
    row: ResultRow | None


def groups_of(runs: Iterable[SavedRun], rows: Sequence[ResultRow]) -> list[Group]:
    """Return the groups of one scenario and label: one for each row that has runs.

    `rows` are those that count, one for each pack. Where none of them names a run, all runs are one
    group, without probes unless there is nothing else. A run that is stored twice counts once.
    """
    ordered = _once(sorted(runs, key=lambda run: (run.started_at, run.path.rpartition("/")[2])))
    found = [Group(_named_by(row, ordered), row) for row in rows]
    if any(group.runs for group in found):
        return [group for group in found if group.runs]
    left = tuple(run for run in ordered if not run.is_probe) or ordered
    return [Group(left, None)] if left else []


def _named_by(row: ResultRow, runs: Iterable[SavedRun]) -> tuple[SavedRun, ...]:
    return tuple(run for run in runs if run.run_id in row.run_ids)


def _once(runs: Iterable[SavedRun]) -> tuple[SavedRun, ...]:
    return tuple({run.run_id or run.path: run for run in runs}.values())
