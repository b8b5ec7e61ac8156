"""Which runs count: those of a scenario's latest row under a label (docs/files.md, "Results")."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from wt_git.api.trace import folder_name
from wt_git.errors import os_reason
from wt_git.records.ledger.row import ScenarioLabel
from wt_git.records.runs.run_files import UnreadableRunError, run_files
from wt_git.records.runs.saved_runs import load_run, look_at
from wt_git.records.runs.sidecars import NOT_FLIGHTS
from wt_git.text import Examples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from wt_git.records.ledger.row import Row
    from wt_git.records.runs.run_files import RunFile, RunFilter
    from wt_git.records.runs.saved_runs import SavedRun, TraceFacts


@dataclass(slots=True)
class SkippedFiles:
    """The files of the directory that were not counted."""

    unreadable: Examples = field(default_factory=Examples)
    unfinished: int = 0
    not_flights: int = 0

    def add_unreadable(self, path: str, reason: str) -> None:
        """Count a run that cannot be read."""
        self.unreadable.add(f"{path} ({reason})")

    def load(self, path: str, trace: TraceFacts | None = None) -> SavedRun | None:
        """Return the run at `path`, whose `trace` may be known; None for one that is skipped."""
        try:
            run = load_run(path, trace)
        except UnreadableRunError as error:
            self.add_unreadable(path, str(error))
            return None
        if run.origin in NOT_FLIGHTS:
            self.not_flights += 1
            return None
        return run

    def remarks(self) -> Iterator[str]:
        """Yield a sentence for each kind of skipped file."""
        unreadable = self.unreadable
        if unreadable.number:
            yield (
                f"{unreadable.number} saved run(s) cannot be read and are not counted: {unreadable}"
            )
        if self.unfinished:
            yield f"{self.unfinished} run(s) have no score and are not counted: they did not end"
        if self.not_flights:
            yield f"{self.not_flights} run(s) of selftests and replays are not counted"


class Scan(Protocol):
    """A reader of one runs directory; `labels` are those that it met."""

    labels: set[str]

    def read(self, runs_dir: Path, *, everywhere: bool) -> None:
        """Read the files that `matching_files` yields."""
        ...


ScanT = TypeVar("ScanT", bound=Scan)


def scan_directory(runs_dir: Path, run_filter: RunFilter, new_scan: Callable[[], ScanT]) -> ScanT:
    """Return a scan of the runs that match.

    It reads every folder when a label is missing from its own: its runs may have been moved, and
    otherwise the error names the labels that exist. Raises `OSError` as `matching_files`.
    """
    scan = new_scan()
    scan.read(runs_dir, everywhere=False)
    if run_filter.labels is not None and not run_filter.labels <= scan.labels:
        scan = new_scan()
        scan.read(runs_dir, everywhere=True)
    return scan


def matching_files(
    runs_dir: Path, run_filter: RunFilter, skipped: SkippedFiles, *, everywhere: bool
) -> Iterator[RunFile]:
    """Yield the files that are named like a trace; unreadable folders count as `skipped`.

    Without `everywhere`, the folders of other labels than those in the filter are passed over.
    Raises `OSError` when the directory cannot be listed.
    """
    labels = run_filter.labels
    folders = None if everywhere or labels is None else {folder_name(label) for label in labels}

    def closed(path: str, error: OSError) -> None:
        skipped.add_unreadable(path, f"folder: {os_reason(error)}")

    def orphan(path: str) -> None:
        skipped.add_unreadable(path, "score without its trace")

    return run_files(runs_dir, folders, on_closed=closed, on_orphan=orphan)


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
