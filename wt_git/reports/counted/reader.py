"""Taking in the runs of a directory one after another, reading only those that can count.

A label that is used again and again has thousands of runs, of which a row names five. So a trace is
first looked at by its head, and read whole when it may count. The answer is that of reading all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.records.result_rows import Pair
from wt_git.records.saved_runs import look_at
from wt_git.reports.counted.groups import Group, groups_of
from wt_git.reports.counted.walk import LeftOut, asked_files

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from wt_git.records.asked import Asked
    from wt_git.records.quick_runs import TraceFacts
    from wt_git.records.result_rows import ResultRow
    from wt_git.records.run_files import RunFile, RunIdentity
    from wt_git.records.saved_runs import SavedRun


class RunReader:
    """The runs that were taken in so far: `labels` have at least one, `scenarios` were met."""

    def __init__(self, asked: Asked, rows: Mapping[Pair, Sequence[ResultRow]]) -> None:
        self.labels: set[str] = set()
        self.scenarios: set[str] = set()
        self.left_out = LeftOut()
        self._asked = asked
        self._rows = rows
        self._named = {
            pair: frozenset[str]().union(*(row.run_ids for row in of)) for pair, of in rows.items()
        }
        self._runs: dict[str, dict[str, list[SavedRun]]] = {}
        self._settled: set[Pair] = set()
        self._postponed: dict[Pair, list[str]] = {}

    def read(self, runs_dir: Path, *, everywhere: bool) -> None:
        """Take in all runs below `runs_dir`.

        Without `everywhere`, nothing is opened that is stored where a label belongs that was not
        asked for, and `labels` has only those that were. Raises `OSError` when the directory cannot
        be listed.
        """
        for file in asked_files(runs_dir, self._asked, self.left_out, everywhere=everywhere):
            self._take(file)
        for pair, paths in self._postponed.items():
            if pair not in self._settled:
                for path in paths:
                    self._load(path)

    def groups(self, label: str) -> list[Group]:
        """Return the runs under `label` that count, by scenario and pack."""
        return [
            group
            for scenario, runs in sorted(self._runs.get(label, {}).items())
            for group in sorted(
                groups_of(runs, self._rows.get(Pair(scenario, label), ())), key=_pack
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
            self._postponed.setdefault(_pair(identity), []).append(file.path)
        else:
            self._load(file.path, trace)

    def _may_count(self, identity: RunIdentity | None) -> bool:
        return identity is None or self._asked.run(identity.scenario, identity.label)

    def _may_be_passed_over(self, identity: RunIdentity) -> bool:
        named = self._named.get(_pair(identity), frozenset())
        return bool(named) and identity.run_id not in named

    def _load(self, path: str, trace: TraceFacts | None = None) -> None:
        run = self.left_out.flight(path, trace)
        if run is None:
            return
        self.labels.add(run.label)
        if not self._asked.run(run.scenario, run.label):
            return
        pair = Pair(run.scenario, run.label)
        self.scenarios.add(run.scenario)
        self._runs.setdefault(run.label, {}).setdefault(run.scenario, []).append(run)
        if run.run_id in self._named.get(pair, ()):
            self._settled.add(pair)


def _pair(identity: RunIdentity) -> Pair:
    return Pair(identity.scenario, identity.label)


def _pack(group: Group) -> str:
    return (group.row.pack if group.row is not None else None) or ""
