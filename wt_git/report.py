"""Reports from Python: for notebooks, scripts and tests (docs/reports.md, "From Python").

    from windtunnel.report import load_run_groups, summarize_group

    for (scenario, label), group in load_run_groups("runs").items():
        print(scenario, label, summarize_group(group)["pass_rate"])

Which runs count, and what is said about them, is as in `wt results`, `wt compare` and `wt report`.
Scenarios are keyed by name, and by `<pack>/<name>` where two packs own one. A directory without
runs is empty. Every function raises `UsageError` for a directory that is missing.
"""

from __future__ import annotations

import sys
from pathlib import Path

TYPE_CHECKING = False  # as in `wt_git.api`: typing would be the main cost of the import
if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from typing import Any, TextIO, TypeAlias

    from wt_git.reports.report.load import LoadedReport
    from wt_git.reports.run_groups.groups import RunGroup

    Key: TypeAlias = tuple[str, str]
    RunsPath: TypeAlias = str | os.PathLike[str]

__all__ = [
    "compute_diff",
    "compute_metric_deltas",
    "generate_html",
    "generate_json",
    "generate_markdown",
    "load_run_groups",
    "load_runs",
    "summarize_group",
]


def load_runs(runs_dir: RunsPath) -> dict[Key, dict[str, Any]]:
    """Return the latest run that counts of each scenario and label: `trace` and `score`.

    Both are as their files have them. The score carries the ledger row of its group, where there is
    one, under `_aggregate`. A run that vanishes meanwhile is left out.
    """
    from wt_git.reports.report.load import raw_run  # noqa: PLC0415

    found = {key: raw_run(group) for key, group in load_run_groups(runs_dir).items()}
    return {key: run for key, run in found.items() if run is not None}


def load_run_groups(runs_dir: RunsPath) -> dict[Key, RunGroup]:
    """Return the runs that count of each scenario and label, by scenario, then by label.

    A group has its `runs` in the order of their start, and the `row` of the ledger that they are
    of, or None.
    """
    from wt_git.reports.report.load import load_groups_or_none  # noqa: PLC0415
    from wt_git.reports.report.rows import row_groups  # noqa: PLC0415

    rows = row_groups(load_groups_or_none(Path(runs_dir)).groups)
    return {(row.name, label): group for row in rows for label, group in row.by_label.items()}


def summarize_group(group: RunGroup) -> dict[str, Any]:
    """Return what the runs of `group` came to, as `wt results --json` says it (docs/files.md)."""
    from wt_git.reports.run_groups.totals import scenario_totals  # noqa: PLC0415

    return scenario_totals(group).as_document()


def compute_diff(runs_dir: RunsPath, label_a: str, label_b: str) -> list[dict[str, Any]]:
    """Return the scenarios whose verdict under `label_b` is another one than under `label_a`.

    They are the `changes` of `wt compare --json`, the gravest first. Raises `UsageError` when the
    labels are equal or one of them has no runs.
    """
    from wt_git.reports.comparison.load import load_comparison  # noqa: PLC0415

    compared = load_comparison(Path(runs_dir), [label_a, label_b]).document
    return [change.as_document() for change in compared.changes]


def compute_metric_deltas(
    groups: Mapping[Key, RunGroup], label_a: str, label_b: str
) -> list[dict[str, Any]]:
    """Return how the metrics of the scenarios that both labels have moved, by scenario and metric.

    They are the `metric_deltas` of `wt compare --json`; `groups` are those of `load_run_groups`.
    """
    from wt_git.reports.comparison.compare import (  # noqa: PLC0415
        metric_deltas,
        scenarios_by_label,
        shared_scenarios,
    )
    from wt_git.reports.run_groups.totals import scenario_totals  # noqa: PLC0415

    shared = shared_scenarios(
        scenarios_by_label(map(scenario_totals, groups.values())), [label_a, label_b]
    )
    return [delta.as_document() for delta in metric_deltas(shared, label_a)]


def generate_html(runs_dir: RunsPath, out_path: RunsPath) -> Path:
    """Write the page of `wt report` to `out_path`, and return that.

    The file is remembered in the runs directory as one of `wt`, which is not under test. Raises
    `UsageError` for a file that is somebody else's, and for one that cannot be written.
    """
    from wt_git.evidence.written_paths import writing_output  # noqa: PLC0415
    from wt_git.records.runs_dir import RunsDir  # noqa: PLC0415
    from wt_git.reports.report.formats import is_report_file, write_report  # noqa: PLC0415

    report, out = _report(runs_dir), Path(out_path)
    with writing_output(
        out, RunsDir(Path(runs_dir)), named="the report", is_ours=is_report_file
    ) as stream:
        write_report(report, "html", stream)
    return out


def generate_markdown(runs_dir: RunsPath, out: TextIO | None = None) -> None:
    """Write the report as Markdown to the stream `out`, by default standard output."""
    from wt_git.reports.report.formats import write_report  # noqa: PLC0415

    write_report(_report(runs_dir), "markdown", sys.stdout if out is None else out)


def generate_json(runs_dir: RunsPath, out: TextIO | None = None) -> None:
    """Write the report document (docs/files.md, "Report") to the stream `out`, by default stdout."""
    from wt_git.reports.report.formats import write_report  # noqa: PLC0415

    write_report(_report(runs_dir), "json", sys.stdout if out is None else out)


def _report(runs_dir: RunsPath) -> LoadedReport:
    from wt_git.clock import SystemClock  # noqa: PLC0415
    from wt_git.reports.report.load import load_report  # noqa: PLC0415

    return load_report(Path(runs_dir), now=SystemClock().now())
