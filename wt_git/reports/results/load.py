"""Making the document of `wt results` from what is on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wt_git.records.results import Results
from wt_git.reports.counted.load import load_groups
from wt_git.reports.counted.totals import scenario_totals

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class LoadedResults(NamedTuple):
    """The results, and sentences about what they leave out."""

    document: Results
    remarks: tuple[str, ...]


def load_results(
    runs_dir: Path, labels: Sequence[str] = (), scenarios: Sequence[str] = ()
) -> LoadedResults:
    """Return what the runs below `runs_dir` say about `labels` and `scenarios`, as `load_groups`.

    Raises `UsageError` when there is nothing to summarise.
    """
    loaded = load_groups(runs_dir, labels, scenarios)
    document = Results(
        runs_dir=str(runs_dir),
        labels=list(loaded.labels),
        results=[scenario_totals(one) for one in loaded.groups],
    )
    return LoadedResults(document, loaded.remarks)
