"""Which groups of runs share a row of a report. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wt_git.naming import scenario_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wt_git.reports.counted.groups import Group


@dataclass(frozen=True, slots=True)
class RowGroups:
    """The groups of one scenario, by label; `name` is what the row, and no other, is called."""

    scenario: str
    name: str
    pack: str | None
    by_label: Mapping[str, Group]


def row_groups(groups: Iterable[Group]) -> list[RowGroups]:
    """Return the rows by scenario and pack, the labels of each in order.

    Scenarios of one name that belong to different packs have nothing in common, so each pack has a
    row of its own, and so have runs of which no pack is known, where that leaves a doubt.
    """
    by_scenario: dict[str, list[Group]] = {}
    for group in groups:
        by_scenario.setdefault(group.runs[0].scenario, []).append(group)
    return _told_apart(
        row for name in sorted(by_scenario) for row in _rows(name, by_scenario[name])
    )


def variants(rows: Iterable[RowGroups]) -> list[str]:
    """Return the labels in the order in which the rows first name them."""
    return list(dict.fromkeys(label for row in rows for label in row.by_label))


def _rows(scenario: str, groups: Sequence[Group]) -> list[RowGroups]:
    packs = sorted({pack for group in groups if (pack := _pack(group)) is not None})
    if len(packs) <= 1:
        return [RowGroups(scenario, scenario, next(iter(packs), None), _by_label(groups))]
    found = [
        RowGroups(
            scenario,
            scenario_name(pack, scenario),
            pack,
            _by_label(group for group in groups if _pack(group) == pack),
        )
        for pack in (None, *packs)
    ]
    return [row for row in found if row.by_label]


def _told_apart(rows: Iterable[RowGroups]) -> list[RowGroups]:
    """Return `rows` with a number behind a name that is taken: a scenario may be called `pack/name`."""
    seen: Counter[str] = Counter()
    found = []
    for row in rows:
        seen[row.name] += 1
        number = seen[row.name]
        found.append(row if number == 1 else replace(row, name=f"{row.name} ({number})"))
    return found


def _by_label(groups: Iterable[Group]) -> dict[str, Group]:
    by_label = {group.runs[0].label: group for group in groups}
    return {label: by_label[label] for label in sorted(by_label)}


def _pack(group: Group) -> str | None:
    return None if group.row is None else group.row.pack
