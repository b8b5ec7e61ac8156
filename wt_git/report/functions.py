"""The functions of `windtunnel.report` (docs/reports.md, "From Python")."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeAlias

from wt_git import files
from wt_git.clock import SystemClock
from wt_git.evidence.written_paths import writing_output
from wt_git.records import layout
from wt_git.records.runs_dir import RunsDir
from wt_git.reports.comparison.compare import metric_deltas, scenarios_by_label, shared_scenarios
from wt_git.reports.comparison.load import load_comparison
from wt_git.reports.report.load import (
    is_report_file,
    load_groups_or_none,
    load_report,
    write_report,
)
from wt_git.reports.report.rows import row_groups
from wt_git.reports.run_groups.totals import scenario_totals

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from wt_git.reports.report.load import LoadedReport
    from wt_git.reports.run_groups.groups import RunGroup

    Key: TypeAlias = tuple[str, str]
    RunsPath: TypeAlias = str | os.PathLike[str]


def load_runs(runs_dir: RunsPath) -> dict[Key, dict[str, Any]]:
    """Return the latest run that counts of each scenario and label: `trace` and `score`.

    Both are as in their files. The score has the ledger row of its group, if any, under `_aggregate`.
    A run that vanishes meanwhile is left out.
    """
    found = {key: _raw_run(group) for key, group in load_run_groups(runs_dir).items()}
    return {key: run for key, run in found.items() if run is not None}


def load_run_groups(runs_dir: RunsPath) -> dict[Key, RunGroup]:
    """Return the runs that count of each scenario and label, by scenario, then by label.

    A group has its `runs` in the order of their start, and their `row` in the ledger or None.
    """
    rows = row_groups(load_groups_or_none(Path(runs_dir)).groups)
    return {(row.name, label): group for row in rows for label, group in row.by_label.items()}


def summarize_group(group: RunGroup) -> dict[str, Any]:
    """Return the totals of `group`, as in `wt results --json` (docs/files.md)."""
    return scenario_totals(group).as_document()


def compute_diff(runs_dir: RunsPath, label_a: str, label_b: str) -> list[dict[str, Any]]:
    """Return the scenarios whose verdict under `label_b` differs from that under `label_a`.

    They are the `changes` of `wt compare --json`, the highest risk first. Raises `UsageError` when the
    labels are equal or one of them has no runs.
    """
    compared = load_comparison(Path(runs_dir), [label_a, label_b]).document
    return [change.as_document() for change in compared.changes]


def compute_metric_deltas(
    groups: Mapping[Key, RunGroup], label_a: str, label_b: str
) -> list[dict[str, Any]]:
    """Return the changes of metrics in the scenarios of both labels, by scenario and metric.

    They are the `metric_deltas` of `wt compare --json`; `groups` are those of `load_run_groups`.
    """
    shared = shared_scenarios(
        scenarios_by_label(map(scenario_totals, groups.values())), [label_a, label_b]
    )
    return [delta.as_document() for delta in metric_deltas(shared, label_a)]


def generate_html(runs_dir: RunsPath, out_path: RunsPath) -> Path:
    """Write the page of `wt report` to `out_path`, and return that.

    The file is registered in the runs directory as an output of `wt`, which is not under test. Raises
    `UsageError` for a file of another program, and for one that cannot be written.
    """
    report, out = _report(runs_dir), Path(out_path)
    with writing_output(
        out, RunsDir(Path(runs_dir)), named="the report", is_ours=is_report_file
    ) as stream:
        write_report(report, "html", stream)
    return out


def generate_markdown(runs_dir: RunsPath, out: TextIO | None = None) -> None:
    """Write the report as Markdown to the stream `out`, by default standard output."""
    write_report(_report(runs_dir), "markdown", sys.stdout if out is None else out)


def generate_json(runs_dir: RunsPath, out: TextIO | None = None) -> None:
    """Write the report document (docs/files.md, "Report") to the stream `out`, by default stdout."""
    write_report(_report(runs_dir), "json", sys.stdout if out is None else out)


def _raw_run(group: RunGroup) -> dict[str, Any] | None:
    """Return the files of the latest run of `group`; None where it has vanished."""
    path = group.runs[-1].path
    try:
        trace, score = (
            json.loads(files.read_regular(one)) for one in (path, layout.sidecar_name(path))
        )
    except (OSError, ValueError, RecursionError):
        return None
    if group.row is not None:
        score["_aggregate"] = dict(group.row.record)
    return {"trace": trace, "score": score}


def _report(runs_dir: RunsPath) -> LoadedReport:
    return load_report(Path(runs_dir), now=SystemClock().now())
