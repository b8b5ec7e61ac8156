"""Making results from what is on disk, or saying what is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import UsageError
from wt_git.naming import listed
from wt_git.records import layout
from wt_git.records.ledger import Ledger
from wt_git.records.reading import missing_directory, passed_over, readable_records
from wt_git.records.results import Results
from wt_git.reports.result_totals import scenario_totals
from wt_git.reports.run_reader import Asked, RunReader
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from wt_git.records.result_rows import Pair, ResultRow
    from wt_git.reports.groups import Group
    from wt_git.reports.run_reader import LeftOut

_MOST_NAMED = 40


class LoadedResults(NamedTuple):
    """The results, and sentences about what they leave out."""

    document: Results
    remarks: tuple[str, ...]


def load_results(
    runs_dir: Path, labels: Sequence[str] = (), scenarios: Sequence[str] = ()
) -> LoadedResults:
    """Return what the runs below `runs_dir` say about `labels` (exact; none: all of them).

    Of `scenarios`, which are patterns, one has to match. Raises `UsageError` when there is nothing
    to summarise.
    """
    if not runs_dir.is_dir():
        raise UsageError(missing_directory(runs_dir), code="runs-dir-missing")
    wanted = list(dict.fromkeys(labels))
    asked = Asked(labels=frozenset(wanted) or None, scenarios=tuple(scenarios))
    ledger = Ledger(runs_dir).results(asked.labels)
    with readable_records():
        reader = _read(runs_dir, asked, ledger.rows)
    shown = [one for one in wanted or sorted(reader.labels) if one in reader.labels]
    missing = [one for one in wanted if one not in reader.labels]
    left_out = (*_unread(reader.left_out), *passed_over(ledger.passed_over, layout.LEDGER))
    if not shown:
        raise _no_runs(runs_dir, missing, reader, left_out)
    groups = [group for label in shown for group in reader.groups(label)]
    if not groups:
        raise UsageError(
            f"no scenario matched {_names(scenarios)}; there is: {_names(reader.scenarios)}",
            hints=left_out,
            code="scenario-unmatched",
        )
    document = Results(
        runs_dir=str(runs_dir), labels=shown, results=[scenario_totals(one) for one in groups]
    )
    told = [*_missing_labels(missing, reader), *_unmatched(asked, document), *_gone(groups)]
    return LoadedResults(document, (*told, *left_out))


def _read(runs_dir: Path, asked: Asked, rows: Mapping[Pair, Sequence[ResultRow]]) -> RunReader:
    """Read what was asked for; everything, when a label is not where its runs are stored.

    Somebody may have moved them, and otherwise the labels that there are have to be named.
    """
    reader = RunReader(asked, rows)
    reader.read(runs_dir, everywhere=False)
    if asked.labels is not None and not asked.labels <= reader.labels:
        reader = RunReader(asked, rows)
        reader.read(runs_dir, everywhere=True)
    return reader


def _no_runs(
    runs_dir: Path, missing: Sequence[str], reader: RunReader, left_out: tuple[str, ...]
) -> UsageError:
    if not reader.labels:
        of = f"no runs with label(s): {_names(missing)}; " if missing else ""
        return UsageError(
            f"{of}no scored runs found under '{runs_dir}'", hints=left_out, code="no-scored-runs"
        )
    (told,) = _missing_labels(missing, reader)
    return UsageError(
        told,
        hints=left_out,
        code="label-unknown",
        facts={"missing": list(missing), "present": sorted(reader.labels)},
    )


def _missing_labels(missing: Sequence[str], reader: RunReader) -> Iterator[str]:
    if missing:
        present = _names(reader.labels)
        yield f"no runs with label(s): {_names(missing)}; labels present: {present}"


def _unmatched(asked: Asked, document: Results) -> Iterator[str]:
    found = {one.scenario_id for one in document.results}
    for pattern in dict.fromkeys(asked.scenarios):
        if not any(Asked(scenarios=(pattern,)).scenario(name) for name in found):
            yield f"no scenario matched {_names([pattern])}"
    empty = [one for one in document.labels if all(one != of.label for of in document.results)]
    if asked.labels is not None and empty:
        yield f"no scenario matched under label(s): {_names(empty)}"


def _gone(groups: Iterable[Group]) -> Iterator[str]:
    gone = sum(len(one.row.run_ids) - len(one.runs) for one in groups if one.row is not None)
    if gone:
        yield f"{gone} run(s) that the ledger names are not there any more, or cannot be read"


def _unread(left_out: LeftOut) -> Iterator[str]:
    if left_out.unreadable:
        more = left_out.unreadable - len(left_out.examples)
        named = ", ".join(
            [*map(one_line, left_out.examples), *([f"and {more} more"] if more else [])]
        )
        yield f"{left_out.unreadable} saved run(s) cannot be read and are not counted: {named}"
    if left_out.unfinished:
        yield f"{left_out.unfinished} run(s) have no score and are not counted: they did not end"
    if left_out.not_flights:
        yield f"{left_out.not_flights} run(s) of selftests and replays are not counted"


def _names(names: Iterable[str]) -> str:
    return listed([one_line(name) for name in sorted(names)], most=_MOST_NAMED)
