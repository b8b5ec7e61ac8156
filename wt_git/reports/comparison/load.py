"""Loads the comparison of `wt compare`, and says on which runs it rests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import UsageError
from wt_git.reports.comparison.compare import compare
from wt_git.reports.comparison.text import comparison_names
from wt_git.reports.run_groups.load import load_groups, unknown_labels_error
from wt_git.reports.run_groups.totals import scenario_totals
from wt_git.text import one_line, quoted_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from wt_git.records.documents.results import Comparison

_FEWEST_LABELS = 2


class LoadedComparison(NamedTuple):
    """The comparison, and sentences about what it leaves out."""

    document: Comparison
    remarks: tuple[str, ...]


def load_comparison(runs_dir: Path, labels: Sequence[str]) -> LoadedComparison:
    """Return what changed from the first of `labels` to the others; `runs_dir` is read once.

    Raises `UsageError` for fewer than two labels, and for a label or a directory without runs.
    """
    wanted = list(dict.fromkeys(labels))
    if len(wanted) < _FEWEST_LABELS:
        given = f"got only {quoted_list(wanted)}" if wanted else "got none"
        raise UsageError(
            f"--labels needs at least 2 different labels, {given}: the first is the baseline",
            code="labels-too-few",
            facts={"labels": wanted},
        )
    loaded = load_groups(runs_dir, wanted)
    if loaded.missing:
        raise unknown_labels_error(loaded.missing, loaded.present)
    document = compare(map(scenario_totals, loaded.groups), wanted)
    return LoadedComparison(document, (*_not_run_remarks(document), *loaded.remarks))


def _not_run_remarks(found: Comparison) -> Iterator[str]:
    """Yield a sentence for each label that lacks scenarios of the baseline."""
    name_of = comparison_names(found)
    for label in found.labels[1:]:
        names = [
            name_of(one.scenario_id, one.pack)
            for one in found.scenarios
            if one.verdicts[found.baseline] is not None and one.verdicts[label] is None
        ]
        if names:
            yield (
                f"{len(names)} scenario(s) of '{one_line(found.baseline)}' have no runs under "
                f"'{one_line(label)}' and are not compared: {quoted_list(names)}"
            )


def weak_verdict_remarks(found: Comparison) -> Iterator[str]:
    """Yield a sentence for each label with verdicts that rest on a probe or on a rescore.

    A probe replays one step, so its pass is no pass of the scenario. A rescore differs from the score
    of the sweep.
    """
    name_of = comparison_names(found)
    probed: dict[str, list[str]] = {}
    rescored: dict[str, list[str]] = {}
    for one in found.scenarios:
        name = name_of(one.scenario_id, one.pack)
        for label, tier in one.tiers.items():
            if tier == "probe":
                probed.setdefault(label, []).append(name)
        for label in one.rescored:
            rescored.setdefault(label, []).append(name)
    for label in found.labels:
        if names := probed.get(label):
            yield (
                f"{len(names)} scenario(s) of '{one_line(label)}' rest on a probe, which replays "
                f"one step and certifies nothing: {quoted_list(names)}"
            )
        if names := rescored.get(label):
            yield (
                f"{len(names)} scenario(s) of '{one_line(label)}' were scored again since their "
                f"sweep: {quoted_list(names)}"
            )
