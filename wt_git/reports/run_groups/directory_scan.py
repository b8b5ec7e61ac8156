"""Scanning a runs directory for the runs that match a filter, and counting the files left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from wt_git.api.trace import folder_name
from wt_git.errors import os_reason
from wt_git.records.runs.run_files import UnreadableRunError, run_files
from wt_git.records.runs.saved_runs import load_run
from wt_git.records.runs.sidecars import NOT_FLIGHTS
from wt_git.text import Examples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wt_git.records.runs.run_files import RunFile
    from wt_git.records.runs.run_filter import RunFilter
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
