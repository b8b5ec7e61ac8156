"""The rows and the runs of a report, made as they are reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wt_git.records.report import ScenarioRow
from wt_git.records.saved_runs import UnreadableRunError, load_score
from wt_git.records.saved_traces import load_saved_trace
from wt_git.reports.report.cells import cell, run_key
from wt_git.reports.report.run_detail import run_detail
from wt_git.reports.report.scored_groups import scored_group

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from wt_git.reports.report.rows import RowGroups
    from wt_git.reports.report.scored_groups import ScoredGroup


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """A row with what is said about each of its groups; its runs are counted from `first_run` on."""

    groups: RowGroups
    cells: Mapping[str, ScoredGroup]
    first_run: int


def scored_rows(rows: Iterable[RowGroups]) -> list[ScoredRow]:
    """Return `rows` with what their scores say; the runs of all of them are counted from 1."""
    found: list[ScoredRow] = []
    number = 1
    for row in rows:
        found.append(
            ScoredRow(row, {label: scored_group(of) for label, of in row.by_label.items()}, number)
        )
        number += sum(len(of.runs) for of in row.by_label.values())
    return found


class ReportRows:
    """The rows of a report as documents, each made when it is reached, as often as it is asked."""

    def __init__(self, rows: Sequence[ScoredRow]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield each row as JSON holds it."""
        return (_document(row, _turns).as_document() for row in self._rows)

    def without_turns(self) -> Iterator[ScenarioRow]:
        """Yield each row without the conversations, for which no file has to be read."""
        return (_document(row, lambda _path: []) for row in self._rows)


class RunDetails:
    """The runs of a report in the order of its rows, each read when it is reached.

    A run that cannot be read any more is left out; the keys of the others stay as they are.
    """

    def __init__(self, rows: Sequence[ScoredRow]) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the detail of each run as JSON holds it."""
        for row in self._rows:
            runs = [run for scored in row.cells.values() for run in scored.group.runs]
            for number, run in enumerate(runs, row.first_run):
                try:
                    saved, score = load_saved_trace(run.path), load_score(run.path)
                except UnreadableRunError:
                    continue
                yield run_detail(run, saved, score, run_key(number)).as_document()


def _document(row: ScoredRow, turns: Callable[[str], Sequence[dict[str, Any]]]) -> ScenarioRow:
    cells, number = {}, row.first_run
    for label, scored in row.cells.items():
        cells[label] = cell(scored, number, turns(scored.group.runs[-1].path))
        number += len(scored.group.runs)
    return ScenarioRow(
        scenario_id=row.groups.scenario,
        name=row.groups.name,
        pack=row.groups.pack,
        cells=cells,
    )


def _turns(path: str) -> Sequence[dict[str, Any]]:
    try:
        return load_saved_trace(path).turns
    except UnreadableRunError:
        return []
