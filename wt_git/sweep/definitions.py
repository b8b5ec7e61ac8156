"""Finding today's definition of a scenario whose trace was saved, by its name alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.errors import UsageError
from wt_git.naming import listed, named
from wt_git.sweep.selection import matching
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wt_git.sweep.packs import Discovered
    from wt_git.sweep.selection import Selected, Selectors

_MOST_NAMED = 20


class Definitions:
    """The scenarios that were selected, by name; more than one where packs share a name.

    Where `--pack-source` brought one and no pack was asked for, it is the one that its author works
    on, so others of the name stand back.
    """

    def __init__(self, found: Discovered, selectors: Selectors) -> None:
        self._known = {scenario.name for pack in found.packs for scenario in pack.scenarios}
        self._chosen: dict[str, list[Selected]] = {}
        for item in matching(found.packs, selectors):
            self._chosen.setdefault(item.scenario.name, []).append(item)
        if not selectors.packs:
            self._chosen = {
                name: _preferred(items, found.sourced) for name, items in self._chosen.items()
            }

    @property
    def is_empty(self) -> bool:
        """Whether the selectors leave nothing."""
        return not self._chosen

    def is_known(self, name: str) -> bool:
        """Say whether any pack defines `name`, selected or not."""
        return name in self._known

    def of(self, name: str) -> Selected | None:
        """Return the definition of `name`; None when there is none, or it was not selected.

        Raises `UsageError` when more than one pack has it.
        """
        items = self._chosen.get(name)
        if items is None:
            return None
        if len(items) > 1:
            raise _ambiguous({name: items})
        return items[0]

    def check_unambiguous(self) -> None:
        """Raise `UsageError` when any name is that of more than one scenario."""
        twice = {name: items for name, items in self._chosen.items() if len(items) > 1}
        if twice:
            raise _ambiguous(twice)


def _preferred(items: list[Selected], sourced: Collection[str]) -> list[Selected]:
    return [item for item in items if item.pack.name in sourced] or items


def _ambiguous(twice: dict[str, list[Selected]]) -> UsageError:
    packs = {name: [item.pack.name for item in items] for name, items in sorted(twice.items())}
    said = [f"'{one_line(name)}' of {named(owners)}" for name, owners in packs.items()]
    return UsageError(
        "ambiguous: a trace names its scenario, not its pack, and more than one pack has "
        f"{listed(said, most=_MOST_NAMED, between='; ')}",
        code="definition-ambiguous",
        hints=(f"choose one: {_choices(packs.values())}",),
        facts={"packs": packs},
    )


def _choices(owners: Iterable[Sequence[str]]) -> str:
    names = dict.fromkeys(name for each in owners for name in each)
    return listed([f"--pack {one_line(name)}" for name in names], most=_MOST_NAMED, between=" or ")
