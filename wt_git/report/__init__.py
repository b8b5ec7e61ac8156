"""Reports from Python: for notebooks, scripts and tests (docs/reports.md, "From Python").

    from windtunnel.report import load_run_groups, summarize_group

    for (scenario, label), group in load_run_groups("runs").items():
        print(scenario, label, summarize_group(group)["pass_rate"])

The runs that count and their totals are those of `wt results`, `wt compare` and `wt report`. Scenarios
are keyed by name, and by `<pack>/<name>` where two packs have one of the name. A directory without runs
is empty. Every function raises `UsageError` for a directory that is missing.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # as in `wt_git.api`: typing would be the main cost of the import
if TYPE_CHECKING:
    from typing import Any

    from wt_git.report.functions import (
        compute_diff,
        compute_metric_deltas,
        generate_html,
        generate_json,
        generate_markdown,
        load_run_groups,
        load_runs,
        summarize_group,
    )

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


def __getattr__(name: str) -> Any:
    """Load the functions when one of them is used first: importing this module costs little."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.functions"), name)
