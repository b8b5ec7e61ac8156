"""The verdict matrix: a row for each scenario, a column for each label."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from wt_git.reports.page.filters import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

PASSED = ("PASS", "PASS_WITH_VARIANCE")


class VerdictMatrix:
    """The rows, each made when it is reached; then how many cells of each label passed."""

    def __init__(self, labels: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
        self.labels = labels
        self._rows = rows
        self._passed: Counter[str] = Counter()
        self._cells: Counter[str] = Counter()

    def rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield the rows, counting their cells."""
        for row in self._rows:
            cells = row["cells"]
            self._cells.update(cells.keys())
            self._passed.update(label for label in cells if cells[label]["verdict"] in PASSED)
            yield row

    def passed(self, label: str) -> str:
        """Return how many of the cells of `label` passed, of those that were run."""
        return f"{self._passed[label]}/{self._cells[label]}"


def worst_severity(cells: Mapping[str, Any]) -> str | None:
    """Return the gravest severity of a row that is worth a mark: a low one is not."""
    given = {(cell.get("failure_cost") or {}).get("severity") for cell in cells.values()}
    known = [severity for severity in SEVERITIES[1:] if severity in given]
    return known[-1] if known else None


def is_clean(cells: Mapping[str, Any]) -> bool:
    """Say whether every cell of a row passed without variance."""
    return all(cell["verdict"] == "PASS" for cell in cells.values())


def notes(cell: Mapping[str, Any]) -> Iterator[str]:
    """Yield words that a reader must know before comparing this cell with another."""
    if cell.get("tier") == "probe":
        yield "probe"
    if cell.get("rescored"):
        yield "rescored"
    if cell.get("invalid"):
        yield f"{cell['invalid']} invalid"
