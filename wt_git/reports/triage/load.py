"""Making the document of `wt triage` from what is on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import UsageError
from wt_git.naming import listed
from wt_git.records.reading import missing_directory, readable_records
from wt_git.records.triage import TriageCategory, TriageReport
from wt_git.reports.counted.reader import Asked
from wt_git.reports.triage.reader import TriageReader
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from wt_git.records.triage import TriagedRun
    from wt_git.reports.triage.reader import Classify

UNKNOWN = "unknown"

_MOST_NAMED = 40


class LoadedTriage(NamedTuple):
    """The report, and sentences about what it leaves out."""

    document: TriageReport
    remarks: tuple[str, ...]


def load_triage(
    runs_dir: Path,
    classify: Classify,
    *,
    classifier: str,
    labels: Sequence[str] = (),
    scenarios: Sequence[str] = (),
) -> LoadedTriage:
    """Return what `classify`, whose name is `classifier`, says of the failed runs below `runs_dir`.

    All of them, not only those of the latest sweeps; of `labels` (exact) and `scenarios` (patterns),
    where any are named. Raises `UsageError` when there is no such directory or it cannot be read.
    """
    if not runs_dir.is_dir():
        raise UsageError(missing_directory(runs_dir), code="runs-dir-missing")
    asked = Asked(labels=frozenset(labels) or None, scenarios=tuple(scenarios))
    with readable_records():
        reader = _read(runs_dir, asked, classify)
    document = TriageReport(
        runs_dir=str(runs_dir),
        classifier=classifier,
        totals=reader.totals(),
        categories=[_category(name, runs) for name, runs in _ordered(reader.failures)],
    )
    return LoadedTriage(document, tuple(_remarks(reader, asked)))


def _read(runs_dir: Path, asked: Asked, classify: Classify) -> TriageReader:
    """Read what was asked for; everything, when a label is not where its runs are stored."""
    reader = TriageReader(asked, classify)
    reader.read(runs_dir, everywhere=False)
    if asked.labels is not None and not asked.labels <= reader.labels:
        reader = TriageReader(asked, classify)
        reader.read(runs_dir, everywhere=True)
    return reader


def _ordered(
    failures: Mapping[str, Sequence[TriagedRun]],
) -> list[tuple[str, Sequence[TriagedRun]]]:
    return sorted(failures.items(), key=lambda one: (one[0] == UNKNOWN, -len(one[1]), one[0]))


def _category(name: str, runs: Sequence[TriagedRun]) -> TriageCategory:
    fixes = (run.suggested_fix for run in runs if run.suggested_fix is not None)
    return TriageCategory(
        category=name, runs=len(runs), suggested_fix=next(fixes, None), failures=list(runs)
    )


def _remarks(reader: TriageReader, asked: Asked) -> Iterator[str]:
    missing = sorted((asked.labels or frozenset()) - reader.labels)
    if missing:
        yield f"no runs with label(s): {_names(missing)}; there is: {_names(reader.labels)}"
    for pattern in asked.scenarios:
        one = Asked(scenarios=(pattern,))
        if reader.labels and not any(one.scenario(name) for name in reader.scenarios):
            there = f"; there is: {_names(reader.scenarios)}" if reader.scenarios else ""
            yield f"no scenario matched '{one_line(pattern)}'{there}"
    left_out = reader.left_out
    if left_out.unreadable:
        more = left_out.unreadable - len(left_out.examples)
        named = [*map(one_line, left_out.examples), *([f"and {more} more"] if more else [])]
        yield f"{left_out.unreadable} run(s) cannot be read and were skipped: {', '.join(named)}"
    if left_out.unfinished:
        yield f"{left_out.unfinished} run(s) have no score and were skipped: they did not end"
    if left_out.not_flights:
        yield f"{left_out.not_flights} run(s) of selftests and replays are not counted"


def _names(names: Iterable[str]) -> str:
    return listed([f"'{one_line(name)}'" for name in sorted(names)], most=_MOST_NAMED) or "none"
