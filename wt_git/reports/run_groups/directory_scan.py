"""Scanning a runs directory for the runs that match a filter, and counting the files left out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeVar

from wt_git.api.trace import folder_name
from wt_git.errors import os_reason
from wt_git.records.runs.run_files import run_files
from wt_git.records.runs.saved_runs import UnreadableRunError, load_run
from wt_git.records.runs.sidecars import NOT_FLIGHTS
from wt_git.text import Examples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wt_git.records.runs.fast_decode import TraceFacts
    from wt_git.records.runs.run_files import RunFile
    from wt_git.records.runs.run_filter import RunFilter
    from wt_git.records.runs.saved_runs import SavedRun


@dataclass(slots=True)
class SkippedFiles:
    """What stands in the directory and was not counted."""

    unreadable: Examples = field(default_factory=Examples)
    unfinished: int = 0
    not_flights: int = 0

    def broken(self, path: str, why: str) -> None:
        """Count a run that cannot be read."""
        self.unreadable.add(f"{path} ({why})")

    def flight(self, path: str, trace: TraceFacts | None = None) -> SavedRun | None:
        """Return the run at `path`, of which `trace` is known; else None, and it is counted here."""
        try:
            run = load_run(path, trace)
        except UnreadableRunError as error:
            self.broken(path, str(error))
            return None
        if run.origin in NOT_FLIGHTS:
            self.not_flights += 1
            return None
        return run

    def remarks(self) -> Iterator[str]:
        """Yield sentences about it."""
        broken = self.unreadable
        if broken.number:
            yield f"{broken.number} saved run(s) cannot be read and are not counted: {broken}"
        if self.unfinished:
            yield f"{self.unfinished} run(s) have no score and are not counted: they did not end"
        if self.not_flights:
            yield f"{self.not_flights} run(s) of selftests and replays are not counted"


class ScanReader(Protocol):
    """Whoever takes runs in; `labels` are those that were met."""

    labels: set[str]

    def read(self, runs_dir: Path, *, everywhere: bool) -> None:
        """Take in what was asked for, as `asked_files` yields it."""
        ...


ReaderT = TypeVar("ReaderT", bound=ScanReader)


def read_matching(runs_dir: Path, asked: RunFilter, new_reader: Callable[[], ReaderT]) -> ReaderT:
    """Return a reader that took in what was asked for.

    It read everything when a label is not where its runs are stored: somebody may have moved them,
    and otherwise the labels that there are have to be named. Raises `OSError` as `asked_files`.
    """
    reader = new_reader()
    reader.read(runs_dir, everywhere=False)
    if asked.labels is not None and not asked.labels <= reader.labels:
        reader = new_reader()
        reader.read(runs_dir, everywhere=True)
    return reader


def matching_files(
    runs_dir: Path, asked: RunFilter, left_out: SkippedFiles, *, everywhere: bool
) -> Iterator[RunFile]:
    """Yield what has the name of a trace; folders and traces that are missing are `left_out`.

    Without `everywhere`, nothing that is stored where a label belongs that was not asked for. Raises
    `OSError` when the directory cannot be listed.
    """
    wanted = asked.labels
    folders = None if everywhere or wanted is None else {folder_name(one) for one in wanted}

    def closed(path: str, error: OSError) -> None:
        left_out.broken(path, f"folder: {os_reason(error)}")

    def orphan(path: str) -> None:
        left_out.broken(path, "score without its trace")

    return run_files(runs_dir, folders, on_closed=closed, on_orphan=orphan)
