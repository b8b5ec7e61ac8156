"""Which scenarios of two labels are the same one (docs/files.md, "Compare"). Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from wt_git.records.results import ScenarioTotals


class Subject(NamedTuple):
    """A scenario that is compared: what it came to under each label that has runs of it."""

    scenario: str
    pack: str | None
    totals: Mapping[str, ScenarioTotals]


class Pair(NamedTuple):
    """A scenario under the baseline and under another label."""

    label: str
    subject: Subject
    baseline: ScenarioTotals
    candidate: ScenarioTotals


def subjects(found: Iterable[ScenarioTotals]) -> list[Subject]:
    """Return the scenarios by name and pack.

    Scenarios of one name in several packs are several. Where only one pack is known, runs whose
    pack nobody recorded are of that one.
    """
    by_name: dict[str, list[ScenarioTotals]] = {}
    for one in found:
        by_name.setdefault(one.scenario_id, []).append(one)
    return [subject for name in sorted(by_name) for subject in _of_name(name, by_name[name])]


def _of_name(name: str, found: Sequence[ScenarioTotals]) -> Iterator[Subject]:
    packs = {one.pack for one in found if one.pack is not None}
    if len(packs) <= 1:
        yield Subject(name, next(iter(packs), None), {one.label: one for one in found})
        return
    for pack in sorted({one.pack for one in found}, key=lambda one: one or ""):
        yield Subject(name, pack, {one.label: one for one in found if one.pack == pack})


def pairs(compared: Sequence[Subject], labels: Sequence[str]) -> Iterator[Pair]:
    """Yield the scenarios with runs under the first label and another, by that other label."""
    baseline, *candidates = labels
    for label in candidates:
        for one in compared:
            if baseline in one.totals and label in one.totals:
                yield Pair(label, one, one.totals[baseline], one.totals[label])
