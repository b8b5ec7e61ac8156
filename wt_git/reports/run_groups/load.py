"""Loads the runs that count from a directory, for every table, comparison and report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wt_git.errors import UsageError
from wt_git.records import layout
from wt_git.records.layout import check_directory, passed_over, readable_records
from wt_git.records.ledger.ledger import Ledger
from wt_git.records.runs.run_files import RunFilter, missing_labels, missing_scenarios
from wt_git.reports.run_groups.groups import RunReader, scan_directory
from wt_git.text import sorted_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from wt_git.reports.run_groups.groups import RunGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedGroups:
    """The runs that count, by label in the order of `labels`, then by scenario and pack.

    `labels` are the requested ones that have runs, `missing` the others, `present` all that the scan
    met. `remarks` are sentences about runs that were left out.
    """

    runs_dir: Path
    labels: tuple[str, ...]
    present: tuple[str, ...]
    missing: tuple[str, ...]
    groups: tuple[RunGroup, ...]
    remarks: tuple[str, ...]


def load_groups(
    runs_dir: Path, labels: Sequence[str] = (), scenarios: Sequence[str] = ()
) -> LoadedGroups:
    """Return the runs below `runs_dir` that count under `labels` (exact; none: all of them).

    Of `scenarios`, which are patterns, one has to match. Raises `UsageError` when nothing is left.
    """
    check_directory(runs_dir)
    wanted = list(dict.fromkeys(labels))
    run_filter = RunFilter(labels=frozenset(wanted) or None, scenarios=tuple(scenarios))
    ledger = Ledger(runs_dir).results(run_filter.labels)
    with readable_records():
        reader = scan_directory(runs_dir, run_filter, lambda: RunReader(run_filter, ledger.rows))
    shown = tuple(one for one in wanted or sorted(reader.labels) if one in reader.labels)
    missing = tuple(one for one in wanted if one not in reader.labels)
    left_out = (*reader.skipped.remarks(), *passed_over(ledger.passed_over, layout.LEDGER))
    if not shown:
        raise _no_runs_error(runs_dir, missing, reader, left_out)
    missing_remark = (missing_labels(missing, reader.labels),) if missing else ()
    groups = tuple(group for label in shown for group in reader.groups(label))
    if not groups:
        raise UsageError(
            missing_scenarios(scenarios, reader.scenarios),
            hints=(*missing_remark, *left_out),
            code="scenario-unmatched",
        )
    remarks = (
        *missing_remark,
        *_unmatched_remarks(run_filter, shown, groups),
        *_missing_run_remarks(groups),
    )
    return LoadedGroups(
        runs_dir=runs_dir,
        labels=shown,
        present=tuple(sorted(reader.labels)),
        missing=missing,
        groups=groups,
        remarks=(*remarks, *left_out),
    )


def _no_runs_error(
    runs_dir: Path, missing: Sequence[str], reader: RunReader, left_out: tuple[str, ...]
) -> UsageError:
    if not reader.labels:
        of = f"no runs with label(s): {sorted_names(missing)}; " if missing else ""
        return UsageError(
            f"{of}no scored runs found under '{runs_dir}'", hints=left_out, code="no-scored-runs"
        )
    return unknown_labels_error(missing, reader.labels, hints=left_out)


def unknown_labels_error(
    missing: Sequence[str], present: Iterable[str], *, hints: tuple[str, ...] = ()
) -> UsageError:
    """Return the error for labels without runs, naming those that exist."""
    labels = sorted(present)
    return UsageError(
        missing_labels(missing, labels),
        hints=hints,
        code="label-unknown",
        facts={"missing": list(missing), "present": labels},
    )


def _unmatched_remarks(
    run_filter: RunFilter, labels: Sequence[str], groups: Sequence[RunGroup]
) -> Iterator[str]:
    found = {one.runs[0].scenario for one in groups}
    for pattern in run_filter.unmatched(found):
        yield f"no scenario matched {sorted_names([pattern])}"
    filled = {one.runs[0].label for one in groups}
    empty = [one for one in labels if one not in filled]
    if run_filter.labels is not None and empty:
        yield f"no scenario matched under label(s): {sorted_names(empty)}"


def _missing_run_remarks(groups: Iterable[RunGroup]) -> Iterator[str]:
    gone = sum(len(one.row.run_ids) - len(one.runs) for one in groups if one.row is not None)
    if gone:
        yield f"{gone} run(s) that the ledger names are not there any more, or cannot be read"
