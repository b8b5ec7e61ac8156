"""Making the document of `wt triage` from what is on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wt_git.records.asked import Asked, missing_labels, missing_scenarios
from wt_git.records.reading import check_directory, readable_records
from wt_git.records.triage import TriageCategory, TriageReport
from wt_git.reports.counted.walk import read_asked
from wt_git.reports.triage.reader import TriageReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from wt_git.records.triage import TriagedRun
    from wt_git.reports.triage.reader import Classify

UNKNOWN = "unknown"


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
    check_directory(runs_dir)
    asked = Asked(labels=frozenset(labels) or None, scenarios=tuple(scenarios))
    with readable_records():
        reader = read_asked(runs_dir, asked, lambda: TriageReader(asked, classify))
    document = TriageReport(
        runs_dir=str(runs_dir),
        classifier=classifier,
        totals=reader.totals(),
        categories=[_category(name, runs) for name, runs in _ordered(reader.failures)],
    )
    return LoadedTriage(document, tuple(_remarks(reader, asked)))


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
    missing = (asked.labels or frozenset()) - reader.labels
    if missing:
        yield missing_labels(missing, reader.labels)
    unmatched = asked.unmatched(reader.scenarios) if reader.labels else []
    if unmatched:
        yield missing_scenarios(unmatched, reader.scenarios)
    yield from reader.left_out.remarks()
