"""Choosing scenarios by `--scenario`, `--tag`, `--pack` and `--owner`, or by the name in a saved trace.

docs/reference.md, "Choosing scenarios". Pure rules over packs.
"""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from wt_git.errors import UsageError
from wt_git.records.ledger.row import ScenarioId
from wt_git.records.record import as_recorded
from wt_git.text import near_matches, one_line, quoted_list, shortened_list

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wt_git.api.pack import ScenarioPack
    from wt_git.api.scenario import Scenario
    from wt_git.plugins.packs import Discovered
    from wt_git.spi.agent_runtime import AgentRuntime
    from wt_git.spi.state_probe import StateProbe

_SMALLER = "nothing was run: a name that matches nothing would make a smaller experiment"
_LISTED = 20


class Selected(NamedTuple):
    """A scenario together with the pack that owns it, from which all its wiring comes."""

    pack: ScenarioPack
    scenario: Scenario

    @property
    def identity(self) -> ScenarioId:
        """The pack and name as rows hold them: characters that UTF-8 cannot hold are replaced."""
        return ScenarioId(as_recorded(self.pack.name), as_recorded(self.scenario.name))


class Selectors(msgspec.Struct, frozen=True, kw_only=True):
    """The options that select scenarios: values of one option are alternatives, options restrict."""

    scenarios: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    packs: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()

    def is_empty(self) -> bool:
        """Return whether nothing was asked for, which means everything."""
        return not (self.scenarios or self.tags or self.packs or self.owners)


class Unmatched(NamedTuple):
    """A selector value that matches nothing anywhere, the names that come near it, and all there are."""

    kind: str
    value: str
    near: tuple[str, ...]
    known: tuple[str, ...] = ()

    def as_fact(self) -> dict[str, object]:
        """Return it as an error tells it to a program."""
        return {"option": f"--{self.kind}", "value": self.value, "near": list(self.near)}


def select(packs: Sequence[ScenarioPack], selectors: Selectors) -> list[Selected]:
    """Return the selected scenarios of `packs`, in the order of packs and of each pack.

    Raises `UsageError` when a value matches nothing in any pack, since a mistyped name would
    silently make a smaller experiment, and when the options together leave nothing.
    """
    unmatched = find_unmatched(packs, selectors)
    if unmatched:
        raise UsageError(
            "\n".join([*unmatched_lines(unmatched), _SMALLER]),
            code="selector-unmatched",
            facts={"unmatched": [one.as_fact() for one in unmatched]},
        )
    chosen = matching(packs, selectors)
    if not chosen:
        raise UsageError(
            _nothing_message(packs, selectors),
            code="nothing-selected",
            facts={"packs": [pack.name for pack in packs], **msgspec.structs.asdict(selectors)},
        )
    return chosen


def matching(packs: Sequence[ScenarioPack], selectors: Selectors) -> list[Selected]:
    """Return the selected scenarios of `packs`, in that order; perhaps none."""
    pool = (Selected(pack, scenario) for pack in packs for scenario in pack.scenarios)
    return [item for item in pool if _wanted(item, selectors)]


def _wanted(item: Selected, selectors: Selectors) -> bool:
    pack, scenario = item
    return (
        (
            not selectors.scenarios
            or any(fnmatch.fnmatchcase(scenario.name, glob) for glob in selectors.scenarios)
        )
        and (not selectors.tags or any(tag in scenario.tags for tag in selectors.tags))
        and (not selectors.packs or pack.name in selectors.packs)
        and (not selectors.owners or pack.owner in selectors.owners)
    )


def find_unmatched(packs: Sequence[ScenarioPack], selectors: Selectors) -> list[Unmatched]:
    """Return the selector values that match nothing in the whole pool, sorted per kind."""
    names = {scenario.name for pack in packs for scenario in pack.scenarios}
    tags = {tag for pack in packs for scenario in pack.scenarios for tag in scenario.tags}
    globs = [
        value
        for value in selectors.scenarios
        if not any(fnmatch.fnmatchcase(name, value) for name in names)
    ]
    pack_names = {pack.name for pack in packs}
    owners = {pack.owner for pack in packs if pack.owner is not None}
    return [
        *_near("scenario", globs, names),
        *_near("tag", set(selectors.tags) - tags, tags),
        *_near("pack", set(selectors.packs) - pack_names, pack_names),
        *_near("owner", set(selectors.owners) - owners, owners),
    ]


def _near(kind: str, values: Iterable[str], known: Iterable[str]) -> list[Unmatched]:
    candidates = sorted(known)
    return [
        Unmatched(kind, value, near_matches(value, candidates), tuple(candidates))
        for value in sorted(values)
    ]


def unmatched_lines(unmatched: Sequence[Unmatched]) -> list[str]:
    """Return the lines about selector values that match nothing."""
    lines = []
    for kind in ("scenario", "tag", "pack", "owner"):
        of_kind = [item for item in unmatched if item.kind == kind]
        if of_kind:
            lines.append(f"unknown {kind}(s): " + ", ".join(one_line(i.value) for i in of_kind))
            lines += [
                f"  did you mean {' or '.join(one_line(near) for near in item.near)}?"
                for item in of_kind
                if item.near
            ]
            lines += _what_there_is(of_kind)
    return lines


def _what_there_is(of_kind: Sequence[Unmatched]) -> list[str]:
    """Return a line with the existing names, where a value is similar to none of them."""
    lost = next((item for item in of_kind if not item.near and item.known), None)
    if lost is None:
        return []
    more = len(lost.known) - _LISTED
    others = f" and {more} more" if more > 0 else ""
    return [f"  there is: {', '.join(map(one_line, lost.known[:_LISTED]))}{others}"]


def _nothing_message(packs: Sequence[ScenarioPack], selectors: Selectors) -> str:
    if not any(pack.scenarios for pack in packs):
        return "no scenarios found: no pack has any"
    given = [
        f"--{option} {value}"
        for option, values in (
            ("scenario", selectors.scenarios),
            ("tag", selectors.tags),
            ("pack", selectors.packs),
            ("owner", selectors.owners),
        )
        for value in values
    ]
    return (
        "no scenarios found: each of these matches something, but no scenario matches all of them: "
        + one_line(" ".join(given))
    )


_MOST_NAMED = 20


class Definitions:
    """The scenarios that were selected, by name; more than one where packs share a name.

    Without `--pack`, a definition from `--pack-source` is preferred to others of its name.
    """

    def __init__(self, found: Discovered, selectors: Selectors) -> None:
        self._known = {scenario.name for pack in found.packs for scenario in pack.scenarios}
        self._chosen: dict[str, list[Selected]] = {}
        for item in matching(found.packs, selectors):
            self._chosen.setdefault(item.scenario.name, []).append(item)
        if not selectors.packs:
            self._chosen = {
                name: _from_pack_source(items, found.sourced)
                for name, items in self._chosen.items()
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


def _from_pack_source(items: list[Selected], sourced: Collection[str]) -> list[Selected]:
    return [item for item in items if item.pack.name in sourced] or items


def _ambiguous(twice: dict[str, list[Selected]]) -> UsageError:
    packs = {name: [item.pack.name for item in items] for name, items in sorted(twice.items())}
    said = [f"'{one_line(name)}' of {quoted_list(owners)}" for name, owners in packs.items()]
    return UsageError(
        "ambiguous: a trace names its scenario, not its pack, and more than one pack has "
        f"{shortened_list(said, most=_MOST_NAMED, between='; ')}",
        code="definition-ambiguous",
        hints=(f"choose one: {_choices(packs.values())}",),
        facts={"packs": packs},
    )


def _choices(owners: Iterable[Sequence[str]]) -> str:
    names = dict.fromkeys(name for each in owners for name in each)
    return shortened_list(
        [f"--pack {one_line(name)}" for name in names], most=_MOST_NAMED, between=" or "
    )


def tool_servers_of(selected: Selected, runtime: AgentRuntime) -> list[Any]:
    """Return the pack's mock for this scenario, if the runtime mounts such servers.

    A mock that nothing mounts would be an empty log that overrides the agent's own evidence.
    """
    factory = selected.pack.mcp_factory
    if factory is None or getattr(runtime, "accepts_runner_managed_mcps", True) is False:
        return []
    return [factory(selected.scenario)]


def state_probe_of(selected: Selected) -> StateProbe | None:
    """Return the pack's probe for this scenario, if it has one."""
    factory = selected.pack.state_probe_factory
    return factory(selected.scenario) if factory else None
