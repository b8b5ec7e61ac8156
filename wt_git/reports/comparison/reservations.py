"""What a reader has to know of the runs that a comparison rests on. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wt_git.naming import named
from wt_git.reports.comparison.words import names_of
from wt_git.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wt_git.records.comparison import Comparison

_PROBE = "probe"


def reservations(found: Comparison) -> Iterator[str]:
    """Yield a sentence for each label with verdicts that are less, or newer, than they look.

    A probe replays one step, so its pass is no pass of the scenario; a score that was made again
    is not what the sweep saw.
    """
    name = names_of(found)
    probed: dict[str, list[str]] = {}
    rescored: dict[str, list[str]] = {}
    for one in found.scenarios:
        called = name(one.scenario_id, one.pack)
        for label, tier in one.tiers.items():
            if tier == _PROBE:
                probed.setdefault(label, []).append(called)
        for label in one.rescored:
            rescored.setdefault(label, []).append(called)
    for label in found.labels:
        if names := probed.get(label):
            yield (
                f"{len(names)} scenario(s) of '{one_line(label)}' rest on a probe, which replays "
                f"one step and certifies nothing: {named(names)}"
            )
        if names := rescored.get(label):
            yield (
                f"{len(names)} scenario(s) of '{one_line(label)}' were scored again since their "
                f"sweep: {named(names)}"
            )
