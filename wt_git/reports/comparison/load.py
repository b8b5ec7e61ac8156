"""Making the document of `wt compare` from what is on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wt_git.errors import UsageError
from wt_git.naming import named
from wt_git.reports.comparison.compare import compare
from wt_git.reports.comparison.words import names_of
from wt_git.reports.counted.load import load_groups, unknown_labels
from wt_git.reports.counted.totals import scenario_totals
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from wt_git.records.comparison import Comparison

_FEWEST = 2


class LoadedComparison(NamedTuple):
    """The comparison, and sentences about what it leaves out."""

    document: Comparison
    remarks: tuple[str, ...]


def load_comparison(runs_dir: Path, labels: Sequence[str]) -> LoadedComparison:
    """Return what changed from the first of `labels` to the others, in one reading of `runs_dir`.

    Raises `UsageError` for fewer than two labels, a label that has no runs, or a directory without.
    """
    wanted = list(dict.fromkeys(labels))
    if len(wanted) < _FEWEST:
        given = f"got only {named(wanted)}" if wanted else "got none"
        raise UsageError(
            f"--labels needs at least 2 different labels, {given}: the first is the baseline",
            code="labels-too-few",
            facts={"labels": wanted},
        )
    loaded = load_groups(runs_dir, wanted)
    if loaded.missing:
        raise unknown_labels(loaded.missing, loaded.present)
    document = compare(map(scenario_totals, loaded.groups), wanted)
    return LoadedComparison(document, (*_lacking(document), *loaded.remarks))


def _lacking(found: Comparison) -> Iterator[str]:
    """Yield which scenarios of the baseline a label was not tried on."""
    shown = names_of(found)
    for label in found.labels[1:]:
        names = [
            shown(one.scenario_id, one.pack)
            for one in found.scenarios
            if one.verdicts[found.baseline] is not None and one.verdicts[label] is None
        ]
        if names:
            yield (
                f"{len(names)} scenario(s) of '{one_line(found.baseline)}' have no runs under "
                f"'{one_line(label)}' and are not compared: {named(names)}"
            )
