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
    from wt_git.records.runs.fast_decode import TraceFacts
    from wt_git.records.runs.run_files import RunFile, RunIdentity
    from wt_git.records.runs.run_filter import RunFilter
    from wt_git.records.runs.saved_runs import SavedRun


@dataclass(frozen=True, slots=True)
class RunGroup:
    """The runs that count, by their start, and the row that they are of, if there is one."""

    runs: tuple[SavedRun, ...]
    row: Row | None


def groups_of(runs: Iterable[SavedRun], rows: Sequence[Row]) -> list[RunGroup]:
    """Return the groups of one scenario and label: one for each row that has runs.

    `rows` are those that count, one for each pack. Where none of them names a run, all runs are one
    group, without probes unless there is nothing else. A run that is stored twice counts once.
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
    """The runs that were taken in so far: `labels` have at least one, `scenarios` were met."""

    def __init__(self, asked: RunFilter, rows: Mapping[ScenarioLabel, Sequence[Row]]) -> None:
        self.labels: set[str] = set()
        self.scenarios: set[str] = set()
        self.left_out = SkippedFiles()
        self._asked = asked
        self._rows = rows
        self._named = {
            pair: frozenset[str]().union(*(row.run_ids for row in of)) for pair, of in rows.items()
        }
        self._runs: dict[str, dict[str, list[SavedRun]]] = {}
        self._settled: set[ScenarioLabel] = set()
        self._postponed: dict[ScenarioLabel, list[str]] = {}

    def read(self, runs_dir: Path, *, everywhere: bool) -> None:
        """Take in all runs below `runs_dir`.

        Without `everywhere`, nothing is opened that is stored where a label belongs that was not
        asked for, and `labels` has only those that were. Raises `OSError` when the directory cannot
        be listed.
        """
        for file in matching_files(runs_dir, self._asked, self.left_out, everywhere=everywhere):
            self._take(file)
        for pair, paths in self._postponed.items():
            if pair not in self._settled:
                for path in paths:
                    self._load(path)

    def groups(self, label: str) -> list[RunGroup]:
        """Return the runs under `label` that count, by scenario and pack."""
        return [
            group
            for scenario, runs in sorted(self._runs.get(label, {}).items())
            for group in sorted(
                groups_of(runs, self._rows.get(ScenarioLabel(scenario, label), ())),
                key=_pack_of_group,
            )
        ]

    def _take(self, file: RunFile) -> None:
        identity, trace = look_at(file.path)
        if identity is not None and self._asked.label(identity.label):
            self.scenarios.add(identity.scenario)
        if not file.is_scored:
            # A file without a score that does not look like a run either is somebody else's.
            if self._may_count(identity) and (identity is not None or file.is_stamped):
                self.left_out.unfinished += 1
        elif identity is None:
            self._load(file.path, trace)
        elif not self._may_count(identity):
            if identity.label not in self.labels:
                self._load(file.path, trace)  # the label is there, if this run can be read
        elif self._may_be_passed_over(identity):
            self._postponed.setdefault(_pair_of(identity), []).append(file.path)
        else:
            self._load(file.path, trace)

    def _may_count(self, identity: RunIdentity | None) -> bool:
        return identity is None or self._asked.run(identity.scenario, identity.label)

    def _may_be_passed_over(self, identity: RunIdentity) -> bool:
        named = self._named.get(_pair_of(identity), frozenset())
        return bool(named) and identity.run_id not in named

    def _load(self, path: str, trace: TraceFacts | None = None) -> None:
        run = self.left_out.flight(path, trace)
        if run is None:
            return
        self.labels.add(run.label)
        if not self._asked.run(run.scenario, run.label):
            return
        pair = ScenarioLabel(run.scenario, run.label)
        self.scenarios.add(run.scenario)
        self._runs.setdefault(run.label, {}).setdefault(run.scenario, []).append(run)
        if run.run_id in self._named.get(pair, ()):
            self._settled.add(pair)


def _pair_of(identity: RunIdentity) -> ScenarioLabel:
    return ScenarioLabel(identity.scenario, identity.label)


def _pack_of_group(group: RunGroup) -> str:
    return (group.row.pack if group.row is not None else None) or ""
