"""The rows of a report: which groups share one, and their documents, made as they are reached."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from wt_git.records.documents.report import ScenarioRow
from wt_git.records.runs.run_files import UnreadableRunError
from wt_git.records.runs.saved_runs import load_saved_trace
from wt_git.records.runs.saved_scores import load_score
from wt_git.reports.report.cells import cell, run_key, scored_group
from wt_git.reports.report.run_detail import run_detail
from wt_git.text import scenario_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from wt_git.records.documents.report import RunDetail
    from wt_git.reports.report.cells import ScoredGroup
    from wt_git.reports.run_groups.groups import RunGroup


@dataclass(frozen=True, slots=True)
class RowGroups:
    """The groups of one scenario, by label; `name` is the unique name of the row."""

    scenario: str
    name: str
    pack: str | None
    by_label: Mapping[str, RunGroup]


def row_groups(groups: Iterable[RunGroup]) -> list[RowGroups]:
    """Return the rows by scenario and pack, the labels of each in order.

    Scenarios of one name in several packs have nothing in common, so each pack has a row of its own.
    Runs without a known pack have one too, unless there is only one pack.
    """
    by_scenario: dict[str, list[RunGroup]] = {}
    for group in groups:
        by_scenario.setdefault(group.runs[0].scenario, []).append(group)
    return _with_unique_names(
        row for name in sorted(by_scenario) for row in _rows_of_scenario(name, by_scenario[name])
    )


def variants(rows: Iterable[RowGroups]) -> list[str]:
    """Return the labels in the order in which the rows first name them."""
    return list(dict.fromkeys(label for row in rows for label in row.by_label))


def _rows_of_scenario(scenario: str, groups: Sequence[RunGroup]) -> list[RowGroups]:
    packs = sorted({pack for group in groups if (pack := _pack_of_group(group)) is not None})
    if len(packs) <= 1:
        return [RowGroups(scenario, scenario, next(iter(packs), None), _by_label(groups))]
    found = [
        RowGroups(
            scenario,
            scenario_name(pack, scenario),
            pack,
            _by_label(group for group in groups if _pack_of_group(group) == pack),
        )
        for pack in (None, *packs)
    ]
    return [row for row in found if row.by_label]


def _with_unique_names(rows: Iterable[RowGroups]) -> list[RowGroups]:
    """Return `rows` with a number after a name that is taken: a scenario may be called `pack/name`."""
    seen: Counter[str] = Counter()
    found = []
    for row in rows:
        seen[row.name] += 1
        number = seen[row.name]
        found.append(row if number == 1 else replace(row, name=f"{row.name} ({number})"))
    return found


def _by_label(groups: Iterable[RunGroup]) -> dict[str, RunGroup]:
    by_label = {group.runs[0].label: group for group in groups}
    return {label: by_label[label] for label in sorted(by_label)}


def _pack_of_group(group: RunGroup) -> str | None:
    return None if group.row is None else group.row.pack


@dataclass(frozen=True, slots=True)
class ScoredRow:
    """A row whose groups have their scores; `first_run` is the number of its first run."""

    groups: RowGroups
    cells: Mapping[str, ScoredGroup]
    first_run: int


def scored_rows(rows: Iterable[RowGroups]) -> list[ScoredRow]:
    """Return `rows` with their scores; the runs of all of them are counted from 1."""
    found: list[ScoredRow] = []
    number = 1
    for row in rows:
        cells = {label: scored_group(group) for label, group in row.by_label.items()}
        found.append(ScoredRow(row, cells, number))
        number += sum(len(group.runs) for group in row.by_label.values())
    return found


class ReportRows:
    """The rows of a report as documents, each made when it is reached, as often as it is asked."""

    def __init__(self, rows: Sequence[ScoredRow]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield each row as JSON holds it."""
        return (row.as_document() for row in self.with_turns())

    def with_turns(self) -> Iterator[ScenarioRow]:
        """Yield each row with the conversations of its latest runs."""
        return (_row_document(row, _turns_of_run) for row in self._rows)

    def without_turns(self) -> Iterator[ScenarioRow]:
        """Yield each row without the conversations, for which no file has to be read."""
        return (_row_document(row, lambda _path: []) for row in self._rows)


class RunDetails:
    """The runs of a report in the order of its rows, each read when it is reached.

    A run that can no longer be read is left out; the keys of the others stay as they are.
    """

    def __init__(self, rows: Sequence[ScoredRow]) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[RunDetail]:
        """Yield the detail of each run as JSON holds it."""
        for row in self._rows:
            runs = [run for scored in row.cells.values() for run in scored.group.runs]
            for number, run in enumerate(runs, row.first_run):
                try:
                    trace, sidecar = load_saved_trace(run.path), load_score(run.path)
                except UnreadableRunError:
                    continue
                yield run_detail(run, trace, sidecar, run_key(number))


def _row_document(row: ScoredRow, turns: Callable[[str], Sequence[dict[str, Any]]]) -> ScenarioRow:
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


def _turns_of_run(path: str) -> Sequence[dict[str, Any]]:
    try:
        return load_saved_trace(path).turn_documents()
    except UnreadableRunError:
        return []
