"""Finding scenario packs: built-in, installed, and named by `--pack-source`."""

from __future__ import annotations

import importlib
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from wt_git.api.pack import ScenarioPack
from wt_git.api.scenario import Scenario
from wt_git.errors import LoadError, UsageError
from wt_git.plugins.loading import (
    FOREIGN_FAILURES,
    describe,
    entry_points_of,
    load,
    load_failure,
    parse_source,
)
from wt_git.records.record import as_recorded
from wt_git.runner.safe_values import safe_repr
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.metadata import EntryPoint

PACK_GROUP = "windtunnel.scenario_packs"


class Discovered(NamedTuple):
    """All packs in order, and the names of those that `--pack-source` brought."""

    packs: list[ScenarioPack]
    sourced: tuple[str, ...]


def discover_packs(sources: Sequence[str]) -> Discovered:
    """Return the built-in packs, then installed ones, then one for each of `sources`.

    Raises `LoadError` for what cannot be loaded and `UsageError` for packs that contradict each
    other: a name used twice, a scenario name used twice in one pack, a `dim:` tag of no pack.
    """
    packs = list(importlib.import_module("wt_git.scenarios").builtin_packs())
    packs += [_installed_pack(point, value) for point, value in _load_installed()]
    sourced = [_sourced_pack(source) for source in sources]
    # One source given twice, or a pack that is also installed, is the same object: keep one.
    for pack in sourced:
        if not any(pack is known for known in packs):
            packs.append(pack)
    problems = [*_duplicates(packs), *_wrong_tags(packs)]
    if problems:
        raise UsageError(
            "\n".join(problems),
            code="packs-inconsistent",
            facts={"packs": [pack.name for pack in packs], "problems": problems},
        )
    return Discovered(packs, tuple(dict.fromkeys(pack.name for pack in sourced)))


def _load_installed() -> list[tuple[EntryPoint, Any]]:
    loaded = []
    for point in entry_points_of(PACK_GROUP):
        try:
            loaded.append((point, point.load()))
        except FOREIGN_FAILURES as error:
            raise load_failure(
                f"could not load scenario pack '{point.name}' ({point.value}): {describe(error)}; "
                "mend or uninstall the package that registers it",
                what="scenario pack",
                source=point.value,
                problem=describe(error),
            ) from error
    return loaded


def _installed_pack(point: EntryPoint, value: Any) -> ScenarioPack:
    return _as_pack(value, f"entry point '{point.name}' of group {PACK_GROUP}", point.value)


def _sourced_pack(spec: str) -> ScenarioPack:
    source = parse_source(spec)
    if source is None:
        raise UsageError(
            f"--pack-source '{one_line(spec)}' must be module:attr or path/to/file.py:attr",
            code="bad-source",
            facts={"option": "--pack-source", "value": spec, "missing": "attribute"},
        )
    return _as_pack(load(source, "scenario pack source").value, f"--pack-source '{spec}'", spec)


def _as_pack(value: Any, where: str, source: str) -> ScenarioPack:
    if callable(value) and not isinstance(value, type):
        try:
            value = value()
        except FOREIGN_FAILURES as error:
            raise _unusable(
                f"could not load scenario pack source: {where} raised {describe(error)}",
                source,
                describe(error),
            ) from error
    if not isinstance(value, ScenarioPack):
        found = f"is a {type(value).__name__}"
        raise _unusable(
            f"{where} {found}; expected a ScenarioPack, or a function without arguments that "
            "returns one",
            source,
            f"it {found}",
        )
    problem = _malformed(value)
    if problem is not None:
        raise _unusable(f"{where} is no usable ScenarioPack: {problem}", source, problem)
    return value


def _unusable(message: str, source: str, problem: str) -> LoadError:
    return load_failure(message, what="scenario pack", source=source, problem=problem)


def _malformed(pack: ScenarioPack) -> str | None:
    """Return the problem with the fields that other code relies on; None without one."""
    name: object = pack.name
    if not isinstance(name, str) or not name.strip():
        return f"its name must be a non-blank string, got {safe_repr(name)}"
    if pack.owner is not None and not isinstance(pack.owner, str):
        return f"its owner must be a string or None, got {safe_repr(pack.owner)}"
    if not isinstance(pack.scenarios, (list, tuple)):
        return f"its scenarios must be a list, got {type(pack.scenarios).__name__}"
    wrong = (_malformed_scenario(f"scenarios[{n}]", one) for n, one in enumerate(pack.scenarios))
    return next(filter(None, wrong), None)


def _malformed_scenario(place: str, scenario: object) -> str | None:
    """Return the same for a scenario, which can be changed after it was made."""
    if not isinstance(scenario, Scenario):
        return f"{place} must be a Scenario, got {type(scenario).__name__}"
    name: object = scenario.name
    if not isinstance(name, str) or not name.strip():
        return f"the name of {place} must be a non-blank string, got {safe_repr(name)}"
    try:
        scenario.resolved_gate_layers()
    except ValueError as error:
        return str(error)
    return None


def _duplicates(packs: Sequence[ScenarioPack]) -> list[str]:
    problems = [
        f"two scenario packs are named '{one_line(name)}'; rename one, pack names are identities"
        for name, count in Counter(as_recorded(pack.name) for pack in packs).items()
        if count > 1
    ]
    for pack in packs:
        names = Counter(as_recorded(scenario.name) for scenario in pack.scenarios)
        problems += [
            f"pack '{one_line(pack.name)}' has {count} scenarios named '{one_line(name)}'; "
            "a scenario's name must be unique in its pack"
            for name, count in names.items()
            if count > 1
        ]
    return problems


def _wrong_tags(packs: Sequence[ScenarioPack]) -> list[str]:
    known = {pack.name for pack in packs}
    problems = []
    for pack in packs:
        for scenario in pack.scenarios:
            dims = [tag.removeprefix("dim:") for tag in scenario.tags if tag.startswith("dim:")]
            where = f"scenario '{one_line(scenario.name)}' of pack '{one_line(pack.name)}'"
            if dims and pack.name not in dims:
                problems.append(f"{where} has dim: tags but not its own pack's, 'dim:{pack.name}'")
            problems += [
                f"{where} is tagged 'dim:{one_line(dim)}', but no pack has that name"
                for dim in dims
                if dim not in known
            ]
    return problems
