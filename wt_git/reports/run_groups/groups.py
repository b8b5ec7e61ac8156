"""Which runs count: those of a scenario's latest row under a label (docs/files.md, "Results").

A label may have thousands of runs, of which its row names five. So only the head of a trace is read
at first, and the rest when the run may count. The result is the same as that of reading all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wt_git.records.ledger.row import ScenarioLabel
from wt_git.records.runs.saved_runs import look_at
from wt_git.reports.run_groups.directory_scan import SkippedFiles, matching_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from wt_git.records.ledger.row import Row
    from wt_git.records.runs.run_files import RunFile
    from wt_git.records.runs.run_filter import RunFilter
    from wt_git.records.runs.saved_runs import SavedRun, TraceFacts


@dataclass(frozen=True, slots=True)
class RunGroup:
    """The runs that count, in the order of their start, and their row in the ledger, if any."""

    runs: tuple[SavedRun, ...]
    row: Row | None


def groups_of(runs: Iterable[SavedRun], rows: Sequence[Row]) -> list[RunGroup]:
    """Return the groups of one scenario and label: one for each row that has runs.

    `rows` are those that count, one for each pack. Where none of them names a run, all runs are one
    group, without probes unless there are only probes. A run that is stored twice counts once.
    """
    ordered = _without_copies(
        sorted(runs, key=lambda run: (run.started_at, run.path.rpartition("/")[2]))
    )
    found = [RunGroup(_runs_of_row(row, ordered), row) for row in rows]
    if any(group.runs for group in found):
        return [group for group in found if group.runs]
    left = tuple(run for run in ordered if not run.is_probe) or ordered
    return [RunGroup(left, None)] if left else []


def _runs_of_row(row: Row, runs: Iterable[SavedRun]) -> tuple[SavedRun, ...]:
    return tuple(run for run in runs if run.run_id in row.run_ids)


def _without_copies(runs: Iterable[SavedRun]) -> tuple[SavedRun, ...]:
    return tuple({run.run_id or run.path: run for run in runs}.values())


class RunReader:
    """The runs that were read so far: `labels` have at least one, `scenarios` were met."""

    def __init__(self, run_filter: RunFilter, rows: Mapping[ScenarioLabel, Sequence[Row]]) -> None:
        self.labels: set[str] = set()
        self.scenarios: set[str] = set()
        self.skipped = SkippedFiles()
        self._filter = run_filter
        self._rows = rows
        self._named = {
            pair: frozenset[str]().union(*(row.run_ids for row in of)) for pair, of in rows.items()
        }
        self._runs: dict[ScenarioLabel, list[SavedRun]] = {}
        self._settled: set[ScenarioLabel] = set()
        self._postponed: dict[ScenarioLabel, list[str]] = {}

    def read(self, runs_dir: Path, *, everywhere: bool) -> None:
        """Read all runs below `runs_dir` that match the filter.

        Without `everywhere`, only the folders of the labels in the filter are read, and `labels` has
        no others. Raises `OSError` when the directory cannot be listed.
        """
        for file in matching_files(runs_dir, self._filter, self.skipped, everywhere=everywhere):
            self._take(file)
        for pair, paths in self._postponed.items():
            if pair not in self._settled:
                for path in paths:
                    self._load(path)

    def groups(self, label: str) -> list[RunGroup]:
        """Return the runs under `label` that count, by scenario and pack."""
        return [
            group
            for pair in sorted(pair for pair in self._runs if pair.label == label)
            for group in sorted(
                groups_of(self._runs[pair], self._rows.get(pair, ())), key=_pack_of_group
            )
        ]

    def _take(self, file: RunFile) -> None:
        """Read the run now, or postpone it where the row of its scenario does not name it."""
        identity, trace = look_at(file.path)
        if identity is None:
            # A file without a score that has no run's name belongs to another program.
            if file.is_scored:
                self._load(file.path, trace)
            elif file.is_stamped:
                self.skipped.unfinished += 1
            return
        pair = ScenarioLabel(identity.scenario, identity.label)
        if self._filter.label(pair.label):
            self.scenarios.add(pair.scenario)
        matches = self._filter.run(*pair)
        if not file.is_scored:
            self.skipped.unfinished += matches
        elif not matches:
            if pair.label not in self.labels:
                self._load(file.path, trace)  # the label exists, if this run can be read
        elif (named := self._named.get(pair)) and identity.run_id not in named:
            self._postponed.setdefault(pair, []).append(file.path)
        else:
            self._load(file.path, trace)

    def _load(self, path: str, trace: TraceFacts | None = None) -> None:
        run = self.skipped.load(path, trace)
        if run is None:
            return
        self.labels.add(run.label)
        if not self._filter.run(run.scenario, run.label):
            return
        pair = ScenarioLabel(run.scenario, run.label)
        self.scenarios.add(run.scenario)
        self._runs.setdefault(pair, []).append(run)
        if run.run_id in self._named.get(pair, ()):
            self._settled.add(pair)


def _pack_of_group(group: RunGroup) -> str:
    return (group.row.pack if group.row is not None else None) or ""
